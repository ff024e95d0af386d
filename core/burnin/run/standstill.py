"""After the runner stood still: did it alone, or did the whole machine?

A runner that alone stood still (stopped by a signal, stuck) left loads without anybody who guards them, and they have
ended by themselves. On a machine that stood still as a whole (a virtual machine that was paused, or one that had no
time for any of our processes) nothing burned either: its loads go on. The sampler tells them apart: it stamps each
sample with the monotonic clock, which all processes of a machine share; what it measured meanwhile waits in the line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

WHOLE_SHARE = 0.6
"""Of the standstill: a sampler that measured nothing for so much of it stood still, too. On a machine that goes on it
measures every second, which is half of the shortest standstill; processes of one that was paused fall asleep and wake
up to a second apart, where others wait for the processor as well."""
TELLS_WITHIN_S = 4.0
"""A sampler that has measured nothing new by then hangs itself: the worse is assumed."""


@dataclass(frozen=True, slots=True)
class Standstill:
    """From `begun_s` to `ended_s` on the monotonic clock; `alone` once it is known."""

    begun_s: float
    ended_s: float
    loaded: bool
    """Whether a load ran when it began."""
    alone: bool | None = None

    @property
    def lasted_s(self) -> float:
        """How long it took."""
        return self.ended_s - self.begun_s


class Standstills:
    """Takes in standstills and the stamps of samples, and gives each out once it is known who stood still."""

    def __init__(self) -> None:
        self._unknown: Standstill | None = None
        self._stamp_s = float("-inf")
        """Of the newest sample."""

    def note(self, begun_s: float, ended_s: float, *, loaded: bool) -> None:
        """The runner stood still; one that follows before the last was explained is one with it."""
        if last := self._unknown:
            begun_s, loaded = last.begun_s, last.loaded or loaded
        self._unknown = Standstill(begun_s, ended_s, loaded)

    def take(self, samples: Mapping[str, Any]) -> Standstill | None:
        """A report of the sampler: what the standstill was, where this one tells it."""
        measured_s = samples.get("measured_s")
        if not isinstance(measured_s, int | float):
            return None
        before_s, self._stamp_s = self._stamp_s, measured_s
        if (last := self._unknown) is None:
            return None
        enough_s = WHOLE_SHARE * last.lasted_s
        if min(measured_s, last.ended_s) - max(before_s, last.begun_s) >= enough_s:
            return self._explained(alone=False)
        return self._explained(alone=True) if last.ended_s - measured_s < enough_s else None

    def overdue(self, now_s: float) -> Standstill | None:
        """The standstill that no sample explains any more."""
        last = self._unknown
        return self._explained(alone=True) if last and now_s > last.ended_s + TELLS_WITHIN_S else None

    def at_the_end(self) -> Standstill | None:
        """The one that was still to be explained when the run ended."""
        return self._explained(alone=True)

    def _explained(self, *, alone: bool) -> Standstill | None:
        last, self._unknown = self._unknown, None
        return replace(last, alone=alone) if last else None
