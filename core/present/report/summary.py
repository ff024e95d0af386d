"""What a report tells of one metric on one device: its extremes and mean as a quantity, its growth as a counter."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
MOST_STATES = 12
"""Distinct values up to which a metric is told by the values that it had."""


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
class CounterGrowth:
    """Of a counter: its first value, its last, and by how much it grew. One that began anew went on from 0."""

    first: float
    last: float
    grown: float


@dataclass(frozen=True, slots=True)
class Summary:
    """All that is told of a metric that was measured. `states` is empty where it had more than a few values."""

    statistics: Statistics
    growth: CounterGrowth
    states: tuple[float, ...]


def summarise(time_s: Values, values: Values) -> Summary | None:
    """Of samples in the order of time, NaN where nothing was measured; None if nothing ever was."""
    measured = np.isfinite(values)
    if not measured.any():
        return None
    time_s, values = time_s[measured], values[measured]
    peak = int(np.argmax(values))
    statistics = Statistics(
        count=len(values),
        last=float(values[-1]),
        lowest=float(values.min()),
        mean=float(values.mean()),
        highest=float(values[peak]),
        highest_at_s=float(time_s[peak]),
    )
    states = np.unique(values)
    return Summary(statistics, _growth(values), tuple(states.tolist()) if len(states) <= MOST_STATES else ())


def _growth(values: Values) -> CounterGrowth:
    rises = np.diff(values)
    return CounterGrowth(float(values[0]), float(values[-1]), float(np.where(rises < 0, values[1:], rises).sum()))
