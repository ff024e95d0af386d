"""Last, lowest, mean and highest value per metric and device; how long each clock limit stood."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.report.recorded_run import RecordedRun
from core.telemetry.metrics import LOAD_METRICS, METRICS, Metric, Reading
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


def told_by_extremes() -> tuple[Metric, ...]:
    """The metrics of which the lowest, mean and highest value is told, not the growth."""
    growing = growing_metrics()
    return tuple(metric for metric in plain_metrics() if metric not in growing)


def never_measured(record: RecordedRun) -> tuple[Metric, ...]:
    """Metrics that no device of the run reported."""
    return tuple(
        metric
        for metric in METRICS
        if not any(np.isfinite(record.series(row.device.id, metric.name)[1]).any() for row in record.devices)
    )


def growing_metrics() -> tuple[Metric, ...]:
    """Counters that go on through the whole run; those of the loads begin anew with each."""
    return tuple(metric for metric in METRICS if metric.reading is Reading.COUNTER and metric.name not in LOAD_METRICS)


def growth(record: RecordedRun, device_id: str, metric: str) -> tuple[float, float, float] | None:
    """A counter's first value, its last, and by how much it grew; one that began anew went on from 0.

    None if it was never read on the device.
    """
    _, values = record.series(device_id, metric)
    known = values[np.isfinite(values)]
    if not len(known):
        return None
    rises = np.diff(known)
    return float(known[0]), float(known[-1]), float(np.where(rises < 0, known[1:], rises).sum())
