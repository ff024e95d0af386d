"""Plan against measured: power and temperature of each card beside what was predicted of the build."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.planned import planned_card
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import Samples, column
from core.burnin.verdict.recorded import Recorded
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.prediction import Prediction, predict
from core.telemetry.device import Device, DeviceKind

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
