"""Whether a recorded load had become steady, and the means of its last ten minutes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

WINDOW_S = 600.0
STEADY_K = 0.5
"""Reviewers wait until temperatures change by half a kelvin in ten minutes; that takes 20 to 45 minutes."""
COVERED = 0.8
"""Share of the window that samples must cover: the record had no longer gap."""

Series = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Settled:
    """Mean of a series over the window, and by how much its straight line rises within it; unit of the series."""

    mean: float
    drift: float


def last_window(time_s: Series, values: Series, end_s: float) -> Settled | None:
    """The ten minutes before `end_s`; None where they were not measured."""
    chosen = np.isfinite(values) & (time_s > end_s - WINDOW_S) & (time_s <= end_s)
    time_s, values = time_s[chosen], values[chosen]
    if len(values) < 10 or time_s[-1] - time_s[0] < COVERED * WINDOW_S:
        return None
    slope = float(np.polyfit(time_s - time_s[0], values, 1)[0])
    return Settled(float(values.mean()), slope * WINDOW_S)


def is_steady(minutes: float, drifts_k: Sequence[float]) -> bool:
    """Whether a load went on for ten minutes and no card still warms or cools."""
    return 60 * minutes >= WINDOW_S and all(abs(drift) <= STEADY_K for drift in drifts_k)
