"""How each metric is told: by its extremes, its growth or its states; and how long each clock limit stood."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

from core.report.recorded_run import RecordedRun
from core.report.summary import CounterGrowth, Statistics
from core.telemetry.metrics import LOAD_METRICS, METRICS, Metric, Reading
from core.telemetry.throttle import ThrottleReason, reasons

MASKS = ("throttle_mask",)
"""Bit fields: their minimum or mean says nothing."""


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
    summary = record.summary(device_id, metric)
    return summary.statistics if summary else None


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
    """Quantities that go up and down: the lowest, mean and highest value is told."""
    return tuple(metric for metric in METRICS if metric.reading is Reading.LEVEL)


def told_by_states() -> tuple[Metric, ...]:
    """Numbers of states: the values that they had are told."""
    return tuple(metric for metric in plain_metrics() if metric.reading is Reading.STATE)


def growing_metrics() -> tuple[Metric, ...]:
    """Counters that go on through the whole run: only their growth is told. Those of the loads begin anew with each
    load and stand in its result."""
    return tuple(metric for metric in METRICS if metric.reading is Reading.COUNTER and metric.name not in LOAD_METRICS)


def growth(record: RecordedRun, device_id: str, metric: str) -> CounterGrowth | None:
    """How a counter rose; None if it was never read on the device."""
    summary = record.summary(device_id, metric)
    return summary.growth if summary else None


def states(record: RecordedRun, device_id: str, metric: str) -> tuple[float, ...] | None:
    """The values that a state had, the lowest first; None if it was never read on the device."""
    summary = record.summary(device_id, metric)
    return summary.states if summary else None


def never_measured(record: RecordedRun) -> tuple[Metric, ...]:
    """Metrics that no device of the run reported."""
    return tuple(
        metric for metric in METRICS if not any(record.summary(row.device.id, metric.name) for row in record.devices)
    )
