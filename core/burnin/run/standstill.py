"""After the runner stood still: did it alone, or did the whole machine?

A runner that alone stood still (stopped by a signal, stuck) left loads without anybody who guards them, and they have
ended by themselves. On a machine that stood still as a whole (a virtual machine that was paused, or one that had no
time for any of our processes) nothing burned either: its loads go on. The sampler tells them apart: it stamps each
sample with the monotonic clock, which all processes of a machine share; what it measured meanwhile waits in the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

EDGE_S = 0.5
"""At both ends: processes of one machine do not fall asleep and wake in the same moment."""
TELLS_WITHIN_S = 4.0
"""A sampler that has measured nothing new by then hangs itself: the worse is assumed."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """From `begun_s` to `ended_s` on the monotonic clock; `alone` once it is known."""

    begun_s: float
    ended_s: float
    alone: bool | None = None

    @property
    def lasted_s(self) -> float:
        """How long it took."""
        return self.ended_s - self.begun_s


class Standstills:
    """Takes in standstills and the stamps of samples, and gives each out once it is known who stood still."""

    def __init__(self) -> None:
        self._unknown: Standstill | None = None

    def note(self, begun_s: float, ended_s: float) -> None:
        """The runner stood still; one that follows before the last was explained is one with it."""
        begun_s = self._unknown.begun_s if self._unknown else begun_s
        self._unknown = Standstill(begun_s, ended_s)

    def take(self, samples: Mapping[str, Any]) -> Standstill | None:
        """A report of the sampler: what the standstill was, where this one tells it."""
        last, measured_s = self._unknown, samples.get("measured_s")
        if last is None or not isinstance(measured_s, int | float) or measured_s <= last.begun_s + EDGE_S:
            return None
        return self._explained(alone=measured_s < last.ended_s - EDGE_S)

    def overdue(self, now_s: float) -> Standstill | None:
        """The standstill that no sample explains any more."""
        last = self._unknown
        return self._explained(alone=True) if last and now_s > last.ended_s + TELLS_WITHIN_S else None

    def at_the_end(self) -> Standstill | None:
        """The one that was still to be explained when the run ended."""
        return self._explained(alone=True)

    def _explained(self, *, alone: bool) -> Standstill | None:
        last, self._unknown = self._unknown, None
        return Standstill(last.begun_s, last.ended_s, alone) if last else None
