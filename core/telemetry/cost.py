"""What measuring itself costs, and how fast it may go."""

from __future__ import annotations

import time
from collections import deque

KEPT_TICKS = 600
SLOWEST_INTERVAL_S = 2.0
"""Measuring becomes no slower than this by itself: older readings count as gaps."""
_TOO_LONG, _SHORT = 0.5, 0.1
"""Shares of the interval: a tick that takes more of it is too long; one that takes less would allow twice the rate."""
_TIMES_TOO_LONG, _TIMES_SHORT = 3, 30
"""In a row, before the rate changes: once is a hiccup."""


class Cost:
    """Processor time of this process and lengths of its ticks."""

    def __init__(self) -> None:
        self._ticks_s: deque[float] = deque(maxlen=KEPT_TICKS)
        self._mark = self._since = (time.monotonic(), time.process_time())

    def tick(self, length_s: float) -> tuple[float, float]:
        """Notes a tick; returns per cent of one core since the tick before, and the tick's length in ms."""
        self._ticks_s.append(length_s)
        before, self._mark = self._mark, _now()
        return _share_pct(before, self._mark), length_s * 1000

    def summary(self) -> dict[str, float]:
        """Since the last summary; lengths are those of the last ticks."""
        before, self._since = self._since, _now()
        lengths = sorted(self._ticks_s)
        return {
            "cpu_pct": round(_share_pct(before, self._since), 3),
            "tick_p50_ms": round(1000 * _quantile(lengths, 0.5), 2),
            "tick_p99_ms": round(1000 * _quantile(lengths, 0.99), 2),
        }


class Pace:
    """The interval between ticks, in s: the one chosen, or a longer one while the driver is slow."""

    def __init__(self, chosen_s: float) -> None:
        self._chosen_s = chosen_s
        self.interval_s = chosen_s
        self._long = self._short = 0

    def note(self, length_s: float) -> bool:
        """Takes in how long a tick took; whether the interval changed."""
        self._long = self._long + 1 if length_s > _TOO_LONG * self.interval_s else 0
        self._short = self._short + 1 if length_s < _SHORT * self.interval_s else 0
        before = self.interval_s
        if self._long >= _TIMES_TOO_LONG:
            self.interval_s = max(self._chosen_s, min(2 * before, SLOWEST_INTERVAL_S))
        elif self._short >= _TIMES_SHORT:
            self.interval_s = max(self._chosen_s, before / 2)
        if self.interval_s == before:
            return False
        self._long = self._short = 0
        return True


def _now() -> tuple[float, float]:
    return time.monotonic(), time.process_time()


def _share_pct(before: tuple[float, float], now: tuple[float, float]) -> float:
    passed_s = now[0] - before[0]
    return 100 * (now[1] - before[1]) / passed_s if passed_s > 0 else 0.0


def _quantile(ordered: list[float], share: float) -> float:
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
