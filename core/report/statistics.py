"""Last, lowest, mean and highest value per metric and device; how long each clock limit stood."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.report.recorded_run import RecordedRun
from core.telemetry.metrics import METRICS, Metric
from core.telemetry.throttle import ThrottleReason, reasons

MASKS = ("throttle_mask",)
"""Bit fields: their minimum or mean says nothing."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """Of one metric on one device, in the metric's unit, over the whole run."""

    count: int
    last: float
    lowest: float
    mean: float
    highest: float
    highest_at_s: float


@dataclass(frozen=True, slots=True)
class ClockLimit:
    """A reason for lowered clocks and in how many of the samples it stood."""

    reason: ThrottleReason
    samples: int
    of: int

    @property
    def share_pct(self) -> float:
        """Share of the samples, in per cent."""
        return 100 * self.samples / self.of


def statistics(record: RecordedRun, device_id: str, metric: str) -> Statistics | None:
    """None if the metric was never measured on the device."""
    time_s, values = record.series(device_id, metric)
    known = np.isfinite(values)
    if not known.any():
        return None
    time_s, values = time_s[known], values[known]
    peak = int(np.argmax(values))
    return Statistics(
        count=len(values),
        last=float(values[-1]),
        lowest=float(values.min()),
        mean=float(values.mean()),
        highest=float(values[peak]),
        highest_at_s=float(time_s[peak]),
    )


def clock_limits(record: RecordedRun, device_id: str) -> list[ClockLimit] | None:
    """The reasons seen, most frequent first; None if the mask was never read."""
    _, masks = record.series(device_id, "throttle_mask")
    masks = masks[np.isfinite(masks)]
    if not len(masks):
        return None
    values, counts = np.unique(masks, return_counts=True)
    seen: Counter[ThrottleReason] = Counter()
    for value, count in zip(values, counts, strict=True):
        for reason in reasons(float(value)):
            seen[reason] += int(count)
    return [ClockLimit(reason, count, len(masks)) for reason, count in seen.most_common()]


def plain_metrics() -> tuple[Metric, ...]:
    """The metrics that have a minimum and a mean."""
    return tuple(metric for metric in METRICS if metric.name not in MASKS)


def never_measured(record: RecordedRun) -> tuple[Metric, ...]:
    """Metrics that no device of the run reported, of those that its kinds of device can have."""
    kinds = {row.device.kind for row in record.devices}
    return tuple(
        metric
        for metric in METRICS
        if kinds.intersection(metric.of)
        and not any(np.isfinite(record.series(row.device.id, metric.name)[1]).any() for row in record.devices)
    )
