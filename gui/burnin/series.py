"""What is drawn of a recording: every sample of a device, and buckets of several widths over it for wide windows.

Qt-free. A redraw costs the same for a minute and for a day: at most `2 * buckets` samples, or about `buckets` buckets.
Buckets are filled when a window of their width is looked at: to open a day costs no more than to read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]
Times = NDArray[np.float64]
Number = TypeVar("Number", bound=np.generic)

FINEST_BUCKET_S = 4.0
FACTOR = 4
LEVELS = 8
"""Buckets of 4 s, 16 s, ... 18 h: a run of ten years still fits into 900 of them, give or take."""
GAP_S = 5.0
"""Samples further apart than this, and than three usual steps, are not joined by a line."""


@dataclass(frozen=True, slots=True)
class Picture:
    """All metrics of a device in a window of time: arrays of shape (metrics, points), NaN where nothing was measured.

    Of samples, `mean`, `low` and `high` are the same array; `aggregated` says that they are of buckets.
    """

    time_s: Times
    mean: Array
    low: Array
    high: Array
    aggregated: bool


class Level:
    """Buckets of one width over the whole time, growing at the end. Bucket b covers [b, b + 1) * width_s."""

    def __init__(self, metrics: int, width_s: float) -> None:
        self.width_s = width_s
        self.length = 0
        self.samples = 0
        self.low = np.full((metrics, 64), np.nan, dtype=np.float32)
        self.high = np.full((metrics, 64), np.nan, dtype=np.float32)
        self.total = np.zeros((metrics, 64), dtype=np.float64)
        self.count = np.zeros((metrics, 64), dtype=np.int32)

    def catch_up(self, time_s: Times, values: Array) -> None:
        """Takes in the samples that came since the last time: shapes (n,) and (metrics, n), all of the recording."""
        if self.samples == len(time_s):
            return
        start = int(time_s[max(self.samples - 1, 0)] // self.width_s)  # its last bucket may not have been full
        row = int(np.searchsorted(time_s, start * self.width_s))
        self._summarise(start, time_s[row:], values[:, row:])
        self.samples = len(time_s)

    def _summarise(self, start: int, time_s: Times, values: Array) -> None:
        """Makes the buckets from `start` on anew."""
        bucket = (time_s // self.width_s).astype(np.int64)
        self.length = int(bucket[-1]) + 1
        self._make_room(self.length)
        firsts = np.flatnonzero(np.diff(bucket, prepend=start - 1))
        touched = bucket[firsts]
        known = np.isfinite(values)
        self.low[:, touched] = np.fmin.reduceat(values, firsts, axis=1)
        self.high[:, touched] = np.fmax.reduceat(values, firsts, axis=1)
        self.total[:, touched] = np.add.reduceat(np.where(known, values, 0), firsts, axis=1, dtype=np.float64)
        self.count[:, touched] = np.add.reduceat(known, firsts, axis=1, dtype=np.int32)

    def _make_room(self, length: int) -> None:
        """Holds at least so many buckets; new ones are empty."""
        self.low = _grown(self.low, length, np.nan)
        self.high = _grown(self.high, length, np.nan)
        self.total = _grown(self.total, length, 0)
        self.count = _grown(self.count, length, 0)


class Series:
    """Everything recorded of one device that can be drawn. Only grows."""

    def __init__(self, metrics: int) -> None:
        self.length = 0
        self._time_s = np.empty((1, 256), dtype=np.float64)
        self._values = np.full((metrics, 256), np.nan, dtype=np.float32)
        self._levels = [Level(metrics, FINEST_BUCKET_S * FACTOR**step) for step in range(LEVELS)]

    @property
    def time_s(self) -> Times:
        """Times of all samples."""
        return self._time_s[0, : self.length]

    @property
    def values(self) -> Array:
        """All samples, shape (metrics, samples)."""
        return self._values[:, : self.length]

    @property
    def last_s(self) -> float:
        """Time of the newest sample, 0 before the first."""
        return float(self._time_s[0, self.length - 1]) if self.length else 0.0

    def append(self, time_s: Times, values: NDArray[np.floating]) -> None:
        """Adds samples of rising times: shapes (n,) and (metrics, n). Buckets follow when they are to be drawn."""
        if not len(time_s):
            return
        start, self.length = self.length, self.length + len(time_s)
        self._time_s = _grown(self._time_s, self.length, np.nan)
        self._values = _grown(self._values, self.length, np.nan)
        self._time_s[0, start : self.length] = time_s
        self._values[:, start : self.length] = values

    def window(self, start_s: float, end_s: float, buckets: int = 900) -> Picture:
        """What to draw between two times, with a neighbour on either side so that lines reach the edges."""
        first = max(int(np.searchsorted(self.time_s, start_s)) - 1, 0)
        last = min(int(np.searchsorted(self.time_s, end_s, side="right")) + 1, self.length)
        if last - first <= 2 * buckets:
            return self._samples(first, last)
        wanted_s = (end_s - start_s) / buckets
        level = next((level for level in self._levels if level.width_s >= wanted_s), self._levels[-1])
        level.catch_up(self.time_s, self.values)
        return self._buckets(level, start_s, end_s)

    def nearest(self, time_s: float, within_s: float = GAP_S) -> Array:
        """All metrics at the sample nearest to a time; NaN where there is none so near."""
        times = self.time_s
        after = int(np.searchsorted(times, time_s))
        near = [index for index in (after - 1, after) if 0 <= index < self.length]
        best = min(near, key=lambda index: abs(times[index] - time_s), default=None)
        if best is None or abs(times[best] - time_s) > within_s:
            return np.full(len(self._values), np.nan, dtype=np.float32)
        return self._values[:, best]

    def _samples(self, first: int, last: int) -> Picture:
        time_s, values = _broken(self.time_s[first:last], self._values[:, first:last])
        return Picture(time_s, values, values, values, aggregated=False)

    def _buckets(self, level: Level, start_s: float, end_s: float) -> Picture:
        first = max(int(start_s // level.width_s), 0)
        span = slice(first, min(int(end_s // level.width_s) + 1, level.length))
        middle = (np.arange(span.start, span.stop) + 0.5) * level.width_s
        count = level.count[:, span]
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = (level.total[:, span] / count).astype(np.float32)
        return Picture(np.minimum(middle, self.last_s), mean, level.low[:, span], level.high[:, span], aggregated=True)


def _broken(time_s: Times, values: Array) -> tuple[Times, Array]:
    """The same samples with a NaN in each pause."""
    steps = np.diff(time_s)
    if not len(steps) or steps.max() <= GAP_S:
        return time_s, values
    pauses = np.flatnonzero(steps > max(GAP_S, 3 * float(np.median(steps))))
    middles = (time_s[pauses] + time_s[pauses + 1]) / 2
    return np.insert(time_s, pauses + 1, middles), np.insert(values, pauses + 1, np.nan, axis=1)


def _grown(array: NDArray[Number], length: int, empty: float) -> NDArray[Number]:
    """The same array if it is long enough, otherwise one at least twice as long, filled up with `empty`."""
    if length <= array.shape[1]:
        return array
    held = array.shape[1]
    grown = np.empty((len(array), max(length, 2 * held)), dtype=array.dtype)
    grown[:, :held] = array
    grown[:, held:] = empty
    return grown
