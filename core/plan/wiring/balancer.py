"""Shares out the cards among several PSUs so that none is overloaded, or bears more than need be.

The heaviest card first to the PSU with the lowest load is mostly best, but not always: 575, 450, 350 and 350 W overload
one of two PSUs of 1200 and 1000 W so, and need not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import ceil, fsum
from operator import truediv
from typing import NamedTuple

from core.plan.wiring.feed_options import UNDERRATED, FeedOption, SocketNeed
from core.plan.wiring.offer import Free

MOST_STEPS = 20_000
"""For one search. A step tries one way to feed one group; eight cards on three PSUs take some hundreds."""
MOST_FIRST_STEPS = 50_000
"""For the first wiring, which every search sets out from: a hundred cards on fifty PSUs keep to it."""
REFUSALS = 8
"""So many ways for which there are too few plugs take as long as a step."""


class StepBudget:
    """Steps left."""

    def __init__(self, steps: int = MOST_STEPS) -> None:
        self._left: float = steps
        self._short = False

    def step(self) -> bool:
        """Takes one; False when none is left."""
        if self._left <= 0:
            self._short = True
            return False
        self._left -= 1
        return True

    def refused(self) -> None:
        """Takes the part of a step that a way costs for which there is too little."""
        self._left -= 1 / REFUSALS

    def spent(self) -> bool:
        """Whether something was left out for it."""
        return self._short


EASY_SHARE = 0.8
"""What a PSU may bear 24/7, over what it gives: nothing is won by evening out loads below it."""
HEAVY_SHARE, STEP = 0.9, 0.05
"""Above the first a PSU is relieved even by cables that are shared, where that wins the second: at 95 % it may well be
overloaded, since what the parts draw is known to some percent."""
LEAST_GAIN = 1e-9
"""Less is rounding."""


class PsuTask(NamedTuple):
    """What matters of a group of sockets."""

    wants: tuple[SocketNeed, ...]
    boxed: int
    load_w: float
    is_board: bool
    unit: int | None = None
    """The place among all of the PSU that the user set."""


Decided = tuple[int, FeedOption]
"""Place of the PSU among all, and the way."""


class Remaining(NamedTuple):
    """What is left to take for the next task: plugs of each PSU and adapters; and what the tasks before it cost."""

    frees: tuple[Free, ...]
    stock: Free
    spent: int


Branches = Callable[[int, int, Remaining], Iterator[tuple[FeedOption, Remaining, int]]]
"""By the places of task and PSU: the ways, the cheapest first, each with what is left then, and with the least that all
tasks together cost on this path."""
Worth = tuple[int, float, int, float]
"""The less the better: unfed and underrated sockets; the highest load of a PSU in coarse steps; the whole cost, shared
cables and adapters included; the highest load. None counts below what any PSU carries easily."""


class PsuBalancer:
    """One search through all ways to share out the tasks; when the budget is spent, the best so far counts."""

    def __init__(
        self, tasks: tuple[PsuTask, ...], powers_w: tuple[float, ...], branches: Branches, budget: StepBudget
    ) -> None:
        self._tasks = tasks
        self._powers_w = powers_w
        self._branches = branches
        self._budget = budget
        self._alike = all(task.unit is None for task in tasks)
        self._been: set[tuple[Remaining, tuple[float, ...], int, int]] = set()
        self._even = fsum(task.load_w for task in tasks) / fsum(powers_w)

    def better(self, decided: tuple[Decided, ...], cost: int, least: int, left: Remaining) -> tuple[Decided, ...]:
        """The best; `decided`, which costs `cost`, if nothing is better. Nothing costs less than `least`.

        The board moves to another PSU only where its own would be overloaded.
        """
        loads = [0.0] * len(self._powers_w)
        for (unit, _), task in zip(decided, self._tasks, strict=True):
            loads[unit] += task.load_w
        peak = max(map(truediv, loads, self._powers_w))
        self._best, self._worth = decided, self._worth_of(cost, peak)
        self._ideal = self._worth_of(least, self._even)
        if not _gains(self._ideal, self._worth):
            return decided
        idle, own = (0.0,) * len(loads), decided[0][0]
        self._boards = [own]
        self._share_out(left, idle, 0.0, ())
        if self._worth[1] > 1 + LEAST_GAIN:
            self._boards = [unit for unit in range(len(loads)) if unit != own]
            self._share_out(left, idle, 0.0, ())
        return self._best

    def _worth_of(self, cost: int, peak: float) -> Worth:
        steps = ceil(peak / STEP - LEAST_GAIN) * STEP
        return cost // UNDERRATED, max(steps, HEAVY_SHARE), cost, max(peak, EASY_SHARE, self._even)

    def _share_out(self, left: Remaining, loads: tuple[float, ...], peak: float, chosen: tuple[Decided, ...]) -> None:
        """`loads` and `peak`, the highest of them over what its PSU gives, are those of what is `chosen` so far."""
        place = len(chosen)
        if place == len(self._tasks):
            self._best, self._worth = chosen, self._worth_of(left.spent, peak)
            return
        if chosen:
            here = (left, loads, place, chosen[-1][0])
            if here in self._been:
                return  # as much is left, at the same cost, by another way
            self._been.add(here)
        for higher, unit, load in self._units(left, loads, peak, chosen):
            for way, rest, least in self._branches(place, unit, left):
                if not self._budget.step() or not _gains(self._ideal, self._worth):
                    return
                if not _gains(self._worth_of(max(least, self._ideal[2]), higher), self._worth):
                    break
                self._share_out(rest, (*loads[:unit], load, *loads[unit + 1 :]), higher, (*chosen, (unit, way)))

    def _units(
        self, left: Remaining, loads: tuple[float, ...], peak: float, chosen: tuple[Decided, ...]
    ) -> list[tuple[float, int, float]]:
        """PSUs that may feed the next task, the easiest first: the highest load then, the PSU, its load.

        Of tasks alike none goes before the last: that would be the same again; as would be a PSU like another one.
        """
        place = len(chosen)
        task = self._tasks[place]
        if task.unit is not None:
            units = [task.unit]
        elif task.is_board:
            units = self._boards
        else:
            alike = place > 0 and task == self._tasks[place - 1]
            units = list(range(chosen[-1][0] if alike else 0, len(self._powers_w)))
        shares, seen = [], set()
        for unit in units:
            like = (left.frees[unit], loads[unit], self._powers_w[unit])
            if self._alike and like in seen:
                continue
            seen.add(like)
            load = loads[unit] + task.load_w
            shares.append((load / self._powers_w[unit], unit, load))
        return [(max(peak, share), unit, load) for share, unit, load in sorted(shares)]


def _gains(worth: Worth, over: Worth) -> bool:
    """Whether it is better by more than rounding."""
    for one, other in zip(worth, over, strict=True):
        if one < other - LEAST_GAIN:
            return True
        if one > other + LEAST_GAIN:
            return False
    return False
