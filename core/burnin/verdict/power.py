"""Power: whether a soak reached the limit, whether a sensor is frozen, whether the power limit was the expected one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from core.burnin.record import Outcome, Reason
from core.burnin.samples import Samples, column
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device, DeviceKind

SOAK = "soak"
ENOUGH = 60
"""Samples under load in which a living sensor does not give one and the same value."""
FROZEN = {"power_w": 0.01, "temperature_c": 0.5}
"""A reading that moves less than this, under a load that begins and ends, is stuck."""


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
    blocks = [samples for _, samples in recorded.stage_samples(device)]
    under_load = sum(len(samples) for _, samples in recorded.loads(device))
    if under_load < ENOUGH:
        return
    everything = np.concatenate(blocks)
    for metric, tremble in FROZEN.items():
        values = column(everything, metric)
        values = values[~np.isnan(values)]
        if len(values) >= ENOUGH and float(np.ptp(values)) < tremble:
            text = f"The reading of {metric.partition('_')[0]} stood still at {values[0]:.2f} through rest and load."
            yield Reason(Outcome.FAIL, f"{text} The sensor is frozen: nothing guarded the device.", 0.0, tremble)


def _late_mean(samples: Samples, metric: str) -> float | None:
    """Of the last third: what was reached, not the way there."""
    values = column(samples[2 * len(samples) // 3 :], metric)
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else None
