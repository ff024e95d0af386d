"""Rates from counters that only grow."""

from __future__ import annotations


class CounterRate:
    """How fast a counter grows between two readings."""

    def __init__(self) -> None:
        self._before: tuple[float, float] | None = None

    def per_s(self, now_s: float, count: float | None) -> float | None:
        """Since the reading before, in the counter's unit per second; `now_s` is monotonic.

        None: the first reading, one that is missing, or a counter that began anew.
        """
        before, self._before = self._before, None if count is None else (now_s, count)
        if before is None or count is None or now_s <= before[0] or count < before[1]:
            return None
        return (count - before[1]) / (now_s - before[0])
