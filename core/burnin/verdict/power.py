"""Power: whether a soak reached the limit, whether a sensor is frozen, whether the power limit was the expected one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from core.burnin.record import Outcome, Reason
from core.burnin.samples import Samples, column
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device, DeviceKind

SOAK = "soak"
LOADED_S, AT_REST_S = 60.0, 30.0
"""A living sensor does not give one and the same value for so long under load and for so long at rest."""
FROZEN = {"power_w": 0.01, "temperature_c": 0.5}
"""A reading whose steps are all smaller than this, under a load that begins or ends, is stuck."""


def power_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs: a CPU's package has no limit to reach, and in a virtual machine its sensors may well stand still."""
    if device.kind is DeviceKind.GPU:
        yield from _soak(recorded, device)
        yield from _frozen(recorded, device)


def _soak(recorded: Recorded, device: Device) -> Iterator[Reason]:
    asked = recorded.criteria.power_of_limit_note_pct
    for stage, samples in recorded.loads(device):
        drawn, limit = _late_mean(samples, "power_w"), _late_mean(samples, "power_limit_w")
        if stage.kind != SOAK or drawn is None or limit is None:
            continue
        share = 100 * drawn / limit
        below = " It is no fault by itself: the load may not need more." if share < asked else ""
        text = f"{stage.title}: {drawn:.0f} W, {share:.0f} % of the limit in force.{below}"
        yield Reason(Outcome.PASS, text, round(drawn, 1), round(limit, 1), "W", "power limit as the card reports it")


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


def _late_mean(samples: Samples, metric: str) -> float | None:
    """Of the last third: what was reached, not the way there."""
    values = column(samples[2 * len(samples) // 3 :], metric)
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else None
