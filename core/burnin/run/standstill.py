"""After the runner stood still: did it alone, or did the whole machine?

A runner that alone stood still (stopped by a signal, stuck) left loads without anybody who guards them. On a machine
that stood still as a whole (a virtual machine that was paused, or one that had no time for any of our processes)
nothing burned either. The other processes tell them apart: sampler and workers stamp what they report with the
monotonic clock, which all processes of a machine share; what they reported meanwhile waits in the line. One that went
on is proof that the machine ran, whatever the others did.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

WHOLE_SHARE = 0.6
"""Of the standstill: a witness that reported nothing for so much of it stood still, too. On a machine that goes on one
reports every second, which is half of the shortest standstill that is explained; processes of one that was paused fall
asleep and wake up to a second apart, where others wait for the processor as well."""
TELLS_WITHIN_S = 4.0
"""A witness that has reported nothing new by then is not waited for any more."""


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
    """Takes in standstills and the stamps of witnesses, and gives each out once it is known who stood still."""

    def __init__(self) -> None:
        self._unknown: Standstill | None = None
        self._stamps_s: dict[str, float] = {}
        """Of the newest report of each witness."""
        self._awaited: set[str] = set()
        """Witnesses that may still tell."""
        self._stood_still = False
        """Whether one has told that it stood still, too."""

    def note(self, begun_s: float, ended_s: float, *, loaded: bool, witnesses: Collection[str]) -> None:
        """The runner stood still; one that follows before the last was explained is one with it."""
        if last := self._unknown:
            begun_s, loaded = last.begun_s, last.loaded or loaded
        self._unknown = Standstill(begun_s, ended_s, loaded)
        self._awaited, self._stood_still = set(witnesses), False

    def take(self, witness: str, measured_s: object) -> Standstill | None:
        """A report of one: what the standstill was, where this one tells it."""
        if not isinstance(measured_s, int | float):
            return None
        before_s = self._stamps_s.get(witness, float("-inf"))
        self._stamps_s[witness] = measured_s
        if (last := self._unknown) is None or witness not in self._awaited:
            return None
        enough_s = WHOLE_SHARE * last.lasted_s
        if min(measured_s, last.ended_s) - max(before_s, last.begun_s) >= enough_s:
            self._stood_still = True
            return self.leave(witness)
        return self.ran() if last.ended_s - measured_s < enough_s else None

    def leave(self, witness: str) -> Standstill | None:
        """It has told all that it can."""
        self._awaited.discard(witness)
        return None if self._awaited else self._as_told()

    def ran(self) -> Standstill | None:
        """Something proves that the machine went on."""
        return self._explained(alone=True)

    def overdue(self, now_s: float) -> Standstill | None:
        """The standstill that nobody explains any more."""
        last = self._unknown
        return self._as_told() if last and now_s > last.ended_s + TELLS_WITHIN_S else None

    def at_the_end(self) -> Standstill | None:
        """The one that was still to be explained when the run ended."""
        return self._as_told()

    def _as_told(self) -> Standstill | None:
        """By those who spoke; where nobody did, the worse is assumed."""
        return self._explained(alone=not self._stood_still)

    def _explained(self, *, alone: bool) -> Standstill | None:
        last, self._unknown = self._unknown, None
        return replace(last, alone=alone) if last else None
