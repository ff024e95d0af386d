"""Power: whether a soak reached the limit, whether a sensor is frozen."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.evidence import SoakEvidence
from core.burnin.record.limiter import Limiter
from core.burnin.record.rows import Outcome, Reason
from core.burnin.record.samples import column
from core.burnin.verdict.recorded import Recorded
from core.language import joined, tr
from core.telemetry.device import Device, DeviceKind

SOAK = "soak"
LOADED_S, AT_REST_S = 60.0, 30.0
"""A living sensor does not give one and the same value for so long under load and for so long at rest."""
FROZEN = {"power_w": 0.01, "temperature_c": 0.5}
"""A reading whose steps are all smaller than this, under a load that begins or ends, is stuck."""
_WORDS = {"power_w": tr("power"), "temperature_c": tr("temperature")}


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
        told: str = tr(
            "{stage}: {drawn:.0f} W, {share:.0f} % of the limit in force.", stage=stage.title, drawn=drawn, share=share
        )
        if share < recorded.criteria.power_of_limit_note_pct:
            told = joined([told, _why_below(soak)])
        limit_w = round(100 * drawn / share, 1)
        yield Reason(Outcome.PASS, told, round(drawn, 1), limit_w, "W", tr("power limit as the card reports it"))


def _why_below(soak: SoakEvidence) -> str:
    """A sentence on what held the power of a soak below its limit."""
    by, share_pct = soak.power_held_by, soak.power_held_pct
    if by not in list(Limiter):
        return tr("What held it back is not known.")
    if by == Limiter.NOTHING:
        return tr("Nothing held it back: the load did not need more, which is not a fault by itself.")
    return tr("Held back by {cause} for {share:.0f} % of the time.", cause=Limiter(by).label, share=share_pct or 0)


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
                text = tr(
                    "The {metric} reading stayed at {value:.2f} for {seconds:.0f} s, through load and idle. "
                    "The sensor is frozen: nothing guarded the device.",
                    metric=_WORDS[metric],
                    value=column(samples, metric)[start],
                    seconds=until_s - since_s,
                )
                yield Reason(Outcome.FAIL, text, 0.0, tremble)


def _still(values: NDArray[np.float64], tremble: float) -> Iterator[tuple[int, int]]:
    """First and last index of every stretch in which no step is as large as `tremble`."""
    moves = np.flatnonzero(np.abs(np.diff(values)) >= tremble) if len(values) > 1 else np.arange(0)
    starts, ends = np.concatenate(([0], moves + 1)), np.concatenate((moves, [len(values) - 1]))
    return ((int(start), int(end)) for start, end in zip(starts, ends, strict=True) if end > start)
