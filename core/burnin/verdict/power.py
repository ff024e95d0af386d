"""Power: whether a soak reached the limit, whether a sensor is frozen; steady figures beside the plan's."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.burnin.planned import planned_card
from core.burnin.record.evidence import SoakEvidence
from core.burnin.record.limiter import Limiter
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import Samples, column
from core.burnin.verdict.recorded import Recorded
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.prediction import Prediction, predict
from core.telemetry.device import Device, DeviceKind

SOAK = "soak"
LOADED_S, AT_REST_S = 60.0, 30.0
"""A living sensor does not give one and the same value for so long under load and for so long at rest."""
FROZEN = {"power_w": 0.01, "temperature_c": 0.5}
"""A reading whose steps are all smaller than this, under a load that begins or ends, is stuck."""

HELD_BY = {
    Limiter.POWER_LIMIT: "the power limit, which the driver keeps by a measure of its own",
    Limiter.HEAT: "heat",
    Limiter.POWER_BRAKE: "the power brake of PSU or chassis",
    Limiter.HARDWARE: "a slowdown of the hardware",
    Limiter.BOARD_LIMIT: "a limit of the board",
    Limiter.VOLTAGE: "the highest voltage that is reliable: its clocks could not rise further",
    Limiter.CLOCKS_SET: "clocks that somebody set",
    Limiter.SYNC_BOOST: "sync boost with other cards",
    Limiter.DISPLAY: "the clocks of the display",
}


def power_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs: a CPU's package has no limit to reach, and in a virtual machine its sensors may well stand still."""
    if device.kind is DeviceKind.GPU:
        yield from _soak(recorded, device)
        yield from _frozen(recorded, device)


def _soak(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """In the format that drew the most. Whatever was drawn, it is no fault by itself: not yet calibrated on cards."""
    for stage in recorded.stages:
        result = recorded.result(stage, device)
        if stage.kind != SOAK or result is None:
            continue
        soak = result.told(SoakEvidence)
        drawn, share = soak.steady_power_w, soak.share_of_limit_pct
        if not drawn or not share:
            continue
        told = f"{stage.title}: {drawn:.0f} W, {share:.0f} % of the limit in force."
        if share < recorded.criteria.power_of_limit_note_pct:
            told = f"{told} {_why_below(soak)}"
        limit_w = round(100 * drawn / share, 1)
        yield Reason(Outcome.PASS, told, round(drawn, 1), limit_w, "W", "power limit as the card reports it")


def _why_below(soak: SoakEvidence) -> str:
    """A sentence on what held the power of a soak below its limit."""
    by, share_pct = soak.power_held_by, soak.power_held_pct
    if by not in list(Limiter):
        return "What held it is not known."
    if by == Limiter.NOTHING:
        return "Nothing held it: the load did not ask for more, which is no fault by itself."
    return f"Held by {HELD_BY[Limiter(by)]} for {share_pct or 0:.0f} % of the time."


def _frozen(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Only what stands still through load and rest alike: under a steady load a reading may hardly move."""
    loads = [(float(samples[0, 0]), float(samples[-1, 0])) for _, samples in recorded.loads(device) if len(samples)]
    for metric, tremble in FROZEN.items():
        samples = recorded.samples[device.id]
        samples = samples[~np.isnan(column(samples, metric))]
        for start, end in _still(column(samples, metric), tremble):
            since_s, until_s = float(samples[start, 0]), float(samples[end, 0])
            loaded_s = sum(max(0.0, min(until_s, last) - max(since_s, first)) for first, last in loads)
            if loaded_s >= LOADED_S and until_s - since_s - loaded_s >= AT_REST_S:
                what, value = metric.partition("_")[0], column(samples, metric)[start]
                text = (
                    f"The reading of {what} stood still at {value:.2f} for {until_s - since_s:.0f} s, through load and"
                )
                yield Reason(
                    Outcome.FAIL, f"{text} rest. The sensor is frozen: nothing guarded the device.", 0.0, tremble
                )


def _still(values: NDArray[np.float64], tremble: float) -> Iterator[tuple[int, int]]:
    """First and last index of every stretch in which no step is as large as `tremble`."""
    moves = np.flatnonzero(np.abs(np.diff(values)) >= tremble) if len(values) > 1 else np.arange(0)
    starts, ends = np.concatenate(([0], moves + 1)), np.concatenate((moves, [len(values) - 1]))
    return ((int(start), int(end)) for start, end in zip(starts, ends, strict=True) if end > start)


STEADY = ("soak", "whole-system", "gemm")
"""Stages in which a card draws all that it may; long ones make it as warm as it gets."""
ENOUGH_S = 300.0
"""A card that was loaded for less has not become warm."""


def plan_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Hotter or hungrier than predicted is a warning: the prediction may be wrong, or the machine.

    What a simulated card shows is no measurement.
    """
    if recorded.plan is None or device.kind is not DeviceKind.GPU or device.simulated or device.parent:
        return
    planned = planned_card(recorded.plan, device)
    if planned is None:
        text = f"The plan has no {device.name}, or several cards of that product: nothing is compared with it."
        yield Reason(Outcome.WARN, text, source=recorded.plan.name)
        return
    prediction, source = predict(recorded.plan), f"the prediction for {recorded.plan.name}"
    part_id = planned.part.id
    yield from _power(recorded, device, prediction, part_id, source)
    bands = [card.temperature_c for card in prediction.heat.cards if card.part_id == part_id]
    measured = _steady(recorded, device, "temperature_c")
    if bands and measured is not None:
        warmest = max(bands, key=lambda band: band.expected)
        yield _beside("temperature", "°C", measured, warmest, warmest.high, source)


def _power(recorded: Recorded, device: Device, prediction: Prediction, part_id: str, source: str) -> Iterator[Reason]:
    component = next((part for part in prediction.components if part.part_id == part_id), None)
    measured = _steady(recorded, device, "power_w")
    if component is None or measured is None:
        return
    band = component.dc_w[LoadCase.TRAINING].times(1 / component.count)
    most = band.high * (1 + recorded.criteria.power_above_plan_warn_pct / 100)
    yield _beside("power", "W", measured, band, most, source)


def _beside(what: str, unit: str, measured: float, band: Band, most: float, source: str) -> Reason:
    text = f"Steady {what} {measured:.0f} {unit}; predicted {band.expected:.0f} ({band.low:.0f} to {band.high:.0f})."
    above = measured > most
    return Reason(Outcome.WARN if above else Outcome.PASS, text, round(measured, 1), round(most, 1), unit, source)


def _steady(recorded: Recorded, device: Device, metric: str) -> float | None:
    """Mean of the last third of the longest stage at full load; None where none was long enough."""
    long = [block for stage, block in recorded.loads(device) if stage.kind in STEADY and _lasted_s(block) >= ENOUGH_S]
    if not long:
        return None
    block = max(long, key=_lasted_s)
    values = column(block[2 * len(block) // 3 :], metric)
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else None


def _lasted_s(samples: Samples) -> float:
    return float(samples[-1, 0] - samples[0, 0]) if len(samples) else 0.0
