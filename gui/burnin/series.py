"""What is drawn and said of one metric of one device: every sample, buckets over them for wide windows, extremes.

Qt-free. A redraw costs the same for a minute and for a day: at most `2 * buckets` samples, or about `buckets` buckets.
Buckets are filled when a window of their width is looked at, and extremes when they are asked for: to open a day costs
no more than to read it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float32]
Times = NDArray[np.float64]

FINEST_BUCKET_S = 4.0
FACTOR = 4
LEVELS = 8
"""Buckets of 4 s, 16 s, ... 18 h: a run of ten years still fits into 900 of them, give or take."""
GAP_S = 5.0
"""Samples further apart than this, and than three usual steps, are not joined by a line."""


@dataclass(frozen=True, slots=True)
class DrawnSamples:
    """A metric in a window of time: arrays of shape (points,), NaN where nothing was measured.

    Of samples, `mean`, `low` and `high` are the same array; `aggregated` says that they are of buckets.
    """

    time_s: Times
    mean: Values
    low: Values
    high: Values
    aggregated: bool


@dataclass(frozen=True, slots=True)
class Extremes:
    """Of the samples in which the metric was measured."""

    lowest: float
    highest: float
    mean: float


class Level:
    """Buckets of one width over the whole time. Bucket b covers [b, b + 1) * width_s."""

    def __init__(self, width_s: float) -> None:
        self.width_s = width_s
        self.low = Growing(np.float32)
        self.high = Growing(np.float32)
        self.mean = Growing(np.float32)
        self._seen = 0

    def catch_up(self, time_s: Times, values: Values) -> None:
        """Takes in the samples that came since the last time: all of the recording, shapes (n,)."""
        if self._seen == len(time_s):
            return
        self._seen = len(time_s)
        start = max(len(self.low) - 1, 0)  # the last bucket may not have been full
        end = int(time_s[-1] // self.width_s) + 1
        edges = np.searchsorted(time_s, np.arange(start, end + 1) * self.width_s)
        filled = np.flatnonzero(np.diff(edges))
        first = edges[filled[0]]
        self._put(start, end, filled, values[first:], edges[filled] - first)

    def _put(self, start: int, end: int, filled: NDArray[np.intp], values: Values, firsts: NDArray[np.intp]) -> None:
        """Makes the buckets from `start` on anew; bucket `start + filled[i]` begins with sample `firsts[i]`."""
        measured = np.isfinite(values)
        total = np.add.reduceat(np.where(measured, values, 0), firsts, dtype=np.float64)
        count = np.add.reduceat(measured, firsts, dtype=np.int64)
        mean = np.divide(total, count, where=count > 0, out=np.full(len(firsts), np.nan))
        figures_of_buckets = (np.fmin.reduceat(values, firsts), np.fmax.reduceat(values, firsts), mean)
        for array, figures in zip((self.low, self.high, self.mean), figures_of_buckets, strict=True):
            buckets = np.full(end - start, np.nan)
            buckets[filled] = figures
            array.put(start, buckets)


class MetricSeries:
    """One metric of a device, a value for each of the device's sample times. Only grows."""

    def __init__(self, times: Growing[np.float64]) -> None:
        self._times = times
        self._values = Growing(np.float32)
        self._levels = [Level(FINEST_BUCKET_S * FACTOR**step) for step in range(LEVELS)]
        self.forget_extremes()

    @property
    def values(self) -> Values:
        """All samples, NaN where it was not measured."""
        return self._values.all

    def append(self, values: NDArray[np.floating]) -> None:
        """Adds the values of samples whose times have been added."""
        self._values.append(values)

    def forget_extremes(self) -> None:
        """Lowest, highest and mean begin anew with the next sample."""
        self._counted = len(self._values)
        self._lowest, self._highest = np.nan, np.nan
        self._total, self._finite = 0.0, 0

    def extremes(self) -> Extremes | None:
        """Since the start, or since they were forgotten; None while it was never measured."""
        news = self.values[self._counted :]
        self._counted = len(self._values)
        measured = news[np.isfinite(news)]
        if len(measured):
            self._lowest = np.fmin(self._lowest, measured.min())
            self._highest = np.fmax(self._highest, measured.max())
            self._total += float(measured.sum(dtype=np.float64))
            self._finite += len(measured)
        if not self._finite:
            return None
        return Extremes(float(self._lowest), float(self._highest), self._total / self._finite)

    def window(self, start_s: float, end_s: float, buckets: int = 900) -> DrawnSamples:
        """What to draw between two times, with a neighbour on either side so that lines reach the edges."""
        times = self._times.all
        first = max(int(np.searchsorted(times, start_s)) - 1, 0)
        last = min(int(np.searchsorted(times, end_s, side="right")) + 1, len(times))
        if last - first <= 2 * buckets:
            time_s, values = _broken(times[first:last], self.values[first:last])
            return DrawnSamples(time_s, values, values, values, aggregated=False)
        least_width_s = (end_s - start_s) / buckets
        level = next((level for level in self._levels if level.width_s >= least_width_s), self._levels[-1])
        level.catch_up(times, self.values)
        return self._buckets(level, start_s, end_s)

    def _buckets(self, level: Level, start_s: float, end_s: float) -> DrawnSamples:
        first = max(int(start_s // level.width_s), 0)
        span = slice(first, min(int(end_s // level.width_s) + 1, len(level.mean)))
        middle = (np.arange(span.start, span.stop) + 0.5) * level.width_s
        mean, low, high = (array.all[span] for array in (level.mean, level.low, level.high))
        return DrawnSamples(np.minimum(middle, self._times.all[-1]), mean, low, high, aggregated=True)


def nearest(times: Times, time_s: float, within_s: float = GAP_S) -> int | None:
    """The place of the sample nearest to a time; None where there is none so near."""
    after = int(np.searchsorted(times, time_s))
    near = [index for index in (after - 1, after) if 0 <= index < len(times)]
    best = min(near, key=lambda index: abs(times[index] - time_s), default=None)
    return None if best is None or abs(times[best] - time_s) > within_s else best


def _broken(time_s: Times, values: Values) -> tuple[Times, Values]:
    """The same samples with a NaN in each pause."""
    steps = np.diff(time_s)
    if not len(steps) or steps.max() <= GAP_S:
        return time_s, values
    pauses = np.flatnonzero(steps > max(GAP_S, 3 * float(np.median(steps))))
    middles = (time_s[pauses] + time_s[pauses + 1]) / 2
    return np.insert(time_s, pauses + 1, middles), np.insert(values, pauses + 1, np.nan)


Number = TypeVar("Number", bound=np.generic)


class Growing(Generic[Number]):
    """Shape (n,). Room is doubled when it runs out: to append one value at a time costs little."""

    def __init__(self, dtype: type[Number]) -> None:
        self._room: NDArray[Number] = np.empty(0, dtype)
        self._length = 0

    def __len__(self) -> int:
        return self._length

    @property
    def all(self) -> NDArray[Number]:
        """A view, good until the next value."""
        return self._room[: self._length]

    def put(self, at: int, values: NDArray[np.generic]) -> None:
        """Replaces all from `at` on; what lies between the end and `at` is undefined."""
        end = at + len(values)
        if end > len(self._room):
            room = np.empty(max(end, 2 * len(self._room)), self._room.dtype)
            room[:at] = self._room[:at]
            self._room = room
        self._room[at:end] = values
        self._length = end

    def append(self, values: NDArray[np.generic]) -> None:
        """Adds values, cast to the array's kind."""
        self.put(self._length, values)
