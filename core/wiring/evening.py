"""Shares out the cards among several PSUs so that none has more to bear than need be.

The heaviest card first to the PSU with the lowest load is mostly best, but not always: 575, 450, 350 and 350 W overload
one of two PSUs of 1200 and 1000 W so, and need not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from math import fsum
from operator import truediv
from typing import NamedTuple

from core.wiring.free import Free
from core.wiring.ways import Want, Way

EASY_SHARE = 0.8
"""What a PSU may bear day and night, over what it gives: nothing is won by evening out loads below it."""
LEAST_GAIN = 1e-9
"""Less is rounding."""
MOST_TRIED = 1_000
"""Enough for three kinds of cards on three PSUs many times over."""


class Task(NamedTuple):
    """What matters of a group of sockets."""

    wants: tuple[Want, ...]
    boxed: int
    load_w: float
    is_board: bool


Decided = tuple[int, Way]
"""Place of the PSU among all, and the way."""


class Left(NamedTuple):
    """What is left to take for the next task: plugs of each PSU and adapters; and what the tasks before it cost."""

    frees: tuple[Free, ...]
    stock: Free
    spent: int


Branches = Callable[[int, int, Left], Iterator[tuple[Way, Left]]]
"""By the places of task and PSU: the ways that are cheap enough, each with what is left then."""


class Evening:
    """One search through all ways to share out the tasks; after `MOST_TRIED` steps the best so far counts."""

    def __init__(self, tasks: tuple[Task, ...], powers_w: tuple[float, ...], branches: Branches) -> None:
        self._tasks = tasks
        self._powers_w = powers_w
        self._branches = branches
        self._easy = max(EASY_SHARE, fsum(task.load_w for task in tasks) / fsum(powers_w))
        self._tried = 0

    def better(self, decided: tuple[Decided, ...], left: Left) -> tuple[Decided, ...]:
        """What loads the most loaded PSU least; `decided` if nothing is better. The board stays where it is."""
        loads = [0.0] * len(self._powers_w)
        for (unit, _), task in zip(decided, self._tasks, strict=True):
            loads[unit] += task.load_w
        self._best, self._peak = decided, max(map(truediv, loads, self._powers_w))
        if not self._is_enough:
            self._share_out(left, (0.0,) * len(loads), 0.0, ())
        return self._best

    def _share_out(self, left: Left, loads: tuple[float, ...], peak: float, chosen: tuple[Decided, ...]) -> None:
        """`loads` and `peak`, the highest of them over what its PSU gives, are those of what is `chosen` so far."""
        if len(chosen) == len(self._tasks):
            self._best, self._peak = chosen, peak
            return
        task = self._tasks[len(chosen)]
        for unit in self._units(chosen):
            load = loads[unit] + task.load_w
            higher = max(peak, load / self._powers_w[unit])
            for way, rest in self._branches(len(chosen), unit, left):
                if self._is_enough or higher > self._peak - LEAST_GAIN:
                    break
                self._tried += 1
                self._share_out(rest, (*loads[:unit], load, *loads[unit + 1 :]), higher, (*chosen, (unit, way)))

    def _units(self, chosen: tuple[Decided, ...]) -> Iterable[int]:
        """Where the next task may hang. Of tasks alike none hangs before the last: that would be the same again."""
        place = len(chosen)
        task = self._tasks[place]
        if task.is_board:
            return (self._best[place][0],)
        alike = place > 0 and task == self._tasks[place - 1]
        return range(chosen[-1][0] if alike else 0, len(self._powers_w))

    @property
    def _is_enough(self) -> bool:
        return self._peak <= self._easy or self._tried >= MOST_TRIED
