"""Reading a block of samples: columns by name, what is known of them, means."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.telemetry.metrics import NAMES

COLUMN = {name: index + 1 for index, name in enumerate(NAMES)}
"""Column of a metric in a block of samples; column 0 is the time in s since the start of the run."""

Samples = NDArray[np.float64]
"""Shape (n, 1 + metrics): the time in s since the start of the run, then a column for each metric; NaN is unknown."""


def column(samples: Samples, name: str) -> Samples:
    """All values of a metric, NaN where it was not measured."""
    return samples[:, COLUMN[name]]


def known(samples: Samples, name: str) -> Samples:
    """The measured values of a metric."""
    values = column(samples, name)
    return values[~np.isnan(values)]


def mean(samples: Samples, name: str) -> float | None:
    """None where nothing was measured."""
    values = known(samples, name)
    return float(values.mean()) if len(values) else None


def means(samples: Samples, names: tuple[str, ...]) -> dict[str, float]:
    """Rounded means of the metrics that were measured."""
    found = {name: mean(samples, name) for name in names}
    return {name: round(value, 2) for name, value in found.items() if value is not None}


def between(samples: Samples, start_s: float, end_s: float) -> Samples:
    """The samples of a time, start and end included."""
    return samples[(samples[:, 0] >= start_s) & (samples[:, 0] <= end_s)]


def rise(counter: Samples) -> float:
    """How far a counter rose; one that fell was reset, and counts from zero again."""
    counted = counter[~np.isnan(counter)]
    steps = np.diff(counted)
    return float(np.where(steps < 0, counted[1:], steps).sum()) if len(counted) > 1 else 0.0
