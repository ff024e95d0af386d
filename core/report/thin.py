"""Thins a recorded series for a picture without losing its peaks: mean, lowest and highest per bucket of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Series = NDArray[np.float64]

BUCKETS = 360
"""Two per millimetre of a figure across the page: finer than print resolves."""
GAP_S = 5.0
"""A line never bridges a longer silence than this, or three usual sampling intervals."""


@dataclass(frozen=True, slots=True)
class Thinned:
    """A series for drawing. NaN in all four breaks the line where nothing was measured."""

    time_s: Series
    low: Series
    mean: Series
    high: Series


def thin(time_s: Series, values: Series, *, buckets: int = BUCKETS) -> Thinned:
    """At most `buckets` points between breaks; a short series passes unchanged. Times rise."""
    known = np.isfinite(values)
    time_s, values = time_s[known], values[known]
    gaps = _gaps_after(time_s)
    if len(time_s) <= buckets:
        return _with_breaks(Thinned(time_s, values, values, values), gaps)
    edges = np.linspace(time_s[0], time_s[-1], buckets + 1)
    bucket = np.clip(np.searchsorted(edges, time_s, side="right") - 1, 0, buckets - 1)
    piece = np.zeros(len(time_s), dtype=np.intp)
    piece[gaps + 1] = 1
    group = bucket + (buckets + 1) * np.cumsum(piece)
    starts = np.flatnonzero(np.r_[True, np.diff(group) > 0])
    count = np.diff(np.r_[starts, len(time_s)])
    thinned = Thinned(
        np.add.reduceat(time_s, starts) / count,
        np.minimum.reduceat(values, starts),
        np.add.reduceat(values, starts) / count,
        np.maximum.reduceat(values, starts),
    )
    return _with_breaks(thinned, np.flatnonzero(np.diff(np.cumsum(piece)[starts]) > 0))


def _gaps_after(time_s: Series) -> NDArray[np.intp]:
    """Indices of points that are followed by a silence."""
    steps = np.diff(time_s)
    if not len(steps):
        return np.empty(0, dtype=np.intp)
    return np.flatnonzero(steps > max(GAP_S, 3 * float(np.median(steps))))


def _with_breaks(series: Thinned, after: NDArray[np.intp]) -> Thinned:
    def broken(column: Series) -> Series:
        return np.insert(column, after + 1, np.nan)

    return Thinned(broken(series.time_s), broken(series.low), broken(series.mean), broken(series.high))
