"""One budget of time, shared among the parts of a measurement: what one leaves over goes to those that follow."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wish:
    """What a part would like, and below what it is not worth starting, s."""

    most_s: float
    least_s: float


class Budget:
    """Gives each part its time. `wishes` are in the order in which they are granted."""

    def __init__(
        self, total_s: float, wishes: Mapping[str, Wish], *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._clock = clock
        self._ends_s = clock() + total_s
        self._wishes = dict(wishes)

    @property
    def left_s(self) -> float:
        """Until all must be over."""
        return max(self._ends_s - self._clock(), 0.0)

    def grant(self, name: str) -> float | None:
        """The time of the next part, never more than it wished; None where less than its least is left.

        Where the time is short, all parts still to come are cut alike.
        """
        wish = self._wishes[name]
        wished_s = sum(one.most_s for one in self._wishes.values())
        del self._wishes[name]
        granted_s = wish.most_s * min(self.left_s / wished_s, 1.0)
        if granted_s >= wish.least_s:
            return granted_s
        # The least is taken at the cost of what follows, where it is there at all.
        return wish.least_s if self.left_s >= wish.least_s else None
