"""Chooses the PSU and the plugs for every group of sockets: as little unfed, underrated and shared as can be.

Exact within the budget of steps, which any machine on a desk keeps to; beyond it the same search looks less far ahead
and says so. Among equally good choices the PSU with the lowest load is taken, and where that leaves one with much to
bear, the cards are shared out anew: a PSU is overloaded only where no other split feeds as many sockets.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import NamedTuple

from core.plan.wiring.balancer import MOST_FIRST_STEPS, Decided, PsuBalancer, PsuTask, Remaining, StepBudget
from core.plan.wiring.demand import SocketGroup
from core.plan.wiring.feed_options import PIGTAIL, AdapterKind, FeedOption, adapter_kind, feed_options, needs_of
from core.plan.wiring.offer import Adapter, Free, Pool, PsuUnit, plugs_of, take_adapters, take_plugs, usable_plugs

MOST_GROUPS = 100

UNKNOWN_W = 1000.0
"""A PSU without a rating, for evening out loads alone."""

Key = tuple[int, tuple[Free, ...], Free]
Memo = dict[Key, int]
"""Least costs by the next group, the plugs left on each PSU and the adapters left."""


class _Problem(NamedTuple):
    """All that the choice depends on: machines alike in it are wired alike. Groups alike stand next to each other."""

    tasks: tuple[PsuTask, ...]
    pools: tuple[Pool, ...]
    frees: tuple[Free, ...]
    """What each PSU has."""
    powers_w: tuple[float, ...]
    adapters: tuple[AdapterKind, ...]
    stock: Free
    """How many of each adapter."""


class FeedChoice(NamedTuple):
    """Where a group ended up."""

    group: SocketGroup
    unit: int
    way: FeedOption


def pools_of(units: Sequence[PsuUnit]) -> tuple[Pool, ...]:
    """The kinds of plugs, the strongest of each first; options name them by their place."""
    return tuple(
        sorted(
            {pool for unit in units for pool in (*unit.own, *unit.shared)},
            key=lambda pool: (pool.kind, -pool.rated_w, pool.maker, pool.beside),
        )
    )


class WiringPlan(NamedTuple):
    """The best choice for each group."""

    choices: tuple[FeedChoice, ...]
    cut_short: bool = False
    """The search ran out of steps: there may be a better one."""


def plan(groups: Sequence[SocketGroup], units: Sequence[PsuUnit], adapters: Sequence[Adapter]) -> WiringPlan:
    """The best choice for each group, by the cost of `ways` and the load of each PSU."""
    pools = pools_of(units)
    rated_w = {adapter.rated_w for adapter in adapters if adapter.rated_w is not None}
    ratings_w = sorted(rated_w | {pool.rated_w for pool in pools})
    problem = _Problem(
        tuple(_tasks(groups, ratings_w, len(units))),
        pools,
        tuple(plugs_of(unit, pools) for unit in units),
        tuple(unit.power_w or UNKNOWN_W for unit in units),
        tuple(adapter_kind(adapter) for adapter in adapters),
        tuple(adapter.quantity for adapter in adapters),
    )
    solved, cut_short = _solved(problem)
    return WiringPlan(tuple(FeedChoice(group, *way) for group, way in zip(groups, solved, strict=True)), cut_short)


def _tasks(groups: Sequence[SocketGroup], ratings_w: Sequence[float], units: int) -> Iterator[PsuTask]:
    """With one PSU there are no loads to even out. A PSU that is set but not there is no wish to follow."""
    for before, group in pairwise((None, *groups)):
        assert group is not None
        if before is None or (group.alike, group.load_w, group.place) != (before.alike, before.load_w, before.place):
            load_w = group.load_w if units > 1 else 0.0
            unit = group.place - 1 if group.place is not None and group.place <= units else None
            task = PsuTask(needs_of(group, ratings_w), group.boxed, load_w, group.is_board, unit)
        yield task


@lru_cache(maxsize=1024)
def _solved(problem: _Problem) -> tuple[tuple[Decided, ...], bool]:
    search = _WiringSearch(problem)
    return search.solve(), search.cut_short


class _WiringSearch:
    def __init__(self, problem: _Problem) -> None:
        self._problem = problem
        options = [feed_options(task.wants, task.boxed, problem.pools, problem.adapters) for task in problem.tasks]
        self._options_of = [ways for ways, _ in options]
        self._all_ways = all(whole for _, whole in options)
        self._set = any(task.unit is not None for task in problem.tasks)
        self._joined: Memo = {}
        self._apart: Memo = {}
        self._budgets = StepBudget(), StepBudget(), StepBudget(MOST_FIRST_STEPS)
        self._too_many = len(problem.tasks) > MOST_GROUPS

    @property
    def cut_short(self) -> bool:
        """Whether a better choice may be there."""
        return self._too_many or not self._all_ways or any(budget.spent() for budget in self._budgets)

    def solve(self) -> tuple[Decided, ...]:
        """PSU and way for each task."""
        decided, cost = self._cheapest_first()
        return decided if len(self._problem.frees) == 1 or self._too_many else self._evened(decided, cost)

    def _cheapest_first(self) -> tuple[tuple[Decided, ...], int]:
        """With the cost."""
        quick, cost = self._descend(_nothing)
        if cost == 0 or self._too_many or self._budgets[2].spent():
            return quick, cost
        frees, stock = self._problem.frees, self._problem.stock
        least = self._least(0, frees, stock)
        if len(frees) > 1 and cost == least:
            return quick, cost
        guided, cost = self._descend(self._least)
        return (guided, cost) if len(frees) == 1 or cost == least else self._descend(self._value)

    def _evened(self, decided: tuple[Decided, ...], cost: int) -> tuple[Decided, ...]:
        """No PSU overloaded where that can be, then as cheap, then with the highest load as low as can be."""
        problem = self._problem
        least = self._least(0, problem.frees, problem.stock) if cost else 0

        def branches(place: int, unit: int, left: Remaining) -> Iterator[tuple[FeedOption, Remaining, int]]:
            for way, paid, after, stock in self._choices(place, left.frees[unit], left.stock, self._budgets[1]):
                frees = (*left.frees[:unit], after, *left.frees[unit + 1 :])
                spent = left.spent + paid
                future = self._least(place + 1, frees, stock) if cost else 0
                yield way, Remaining(frees, stock, spent), spent + future

        balancer = PsuBalancer(problem.tasks, problem.powers_w, branches, self._budgets[1])
        return balancer.better(decided, cost, least, Remaining(problem.frees, problem.stock, 0))

    def _descend(self, future: Callable[[int, tuple[Free, ...], Free], int]) -> tuple[tuple[Decided, ...], int]:
        """Task after task takes what costs least, now and in future; then where the load is lowest."""
        frees, stock, spent = self._problem.frees, self._problem.stock, 0
        powers_w = self._problem.powers_w
        loads = [0.0] * len(frees)
        decided = []
        for place, task in enumerate(self._problem.tasks):
            least = future(place, frees, stock)
            best: tuple[int, float, int, int] | None = None
            taken: tuple[FeedOption, int, tuple[Free, ...], Free] | None = None
            for unit in self._units(place)[: 1 if self._budgets[2].spent() else None]:
                free = frees[unit]
                share = float(unit) if task.is_board else (loads[unit] + task.load_w) / powers_w[unit]
                cheapest: int | None = None
                for index, (way, cost, after, left) in enumerate(self._choices(place, free, stock, self._budgets[2])):
                    self._budgets[2].step()
                    if cheapest is not None and max(way.cost, least) >= cheapest:
                        break
                    rest = (*frees[:unit], after, *frees[unit + 1 :])
                    total = cost + future(place + 1, rest, left)
                    cheapest = total if cheapest is None else min(cheapest, total)
                    rank = (total, share, unit, index)
                    if best is None or rank < best:
                        best, taken = rank, (way, cost, rest, left)
            assert best is not None and taken is not None
            way, paid, frees, stock = taken
            spent += paid
            loads[best[2]] += task.load_w
            decided.append((best[2], way))
        return tuple(decided), spent

    def _least(self, place: int, frees: tuple[Free, ...], stock: Free) -> int:
        """No more than `_value`: as if all plugs were on one PSU. Soon known, and mostly the same."""
        joined = frees if len(frees) == 1 else (tuple(map(sum, zip(*frees, strict=True))),)
        return self._search(place, joined, stock, self._joined)

    def _value(self, place: int, frees: tuple[Free, ...], stock: Free) -> int:
        """The least cost of all groups from `place` on; less than that once the search has grown too large."""
        return self._search(place, frees, stock, self._apart)

    def _units(self, place: int) -> Sequence[int]:
        unit = self._problem.tasks[place].unit
        return range(len(self._problem.frees)) if unit is None else (unit,)

    def _search(self, place: int, frees: tuple[Free, ...], stock: Free, memo: Memo) -> int:
        if place == len(self._problem.tasks) or self._budgets[0].spent():
            return 0
        most = self._most[place]
        usable = [usable_plugs(free, most) for free in frees]
        key = (place, tuple(usable if self._set else sorted(usable)), stock)
        if key not in memo:
            cheapest = self._cheapest(key, memo)
            if self._budgets[0].spent():
                return cheapest
            memo[key] = cheapest
        return memo[key]

    def _cheapest(self, key: Key, memo: Memo) -> int:
        """Less where the budget ends: then nothing is known but that no cost is below 0."""
        place, frees, stock = key
        joined = len(frees) == 1
        least = 0 if joined else self._least(place, frees, stock)
        best: int | None = None
        for unit in (0,) if joined else self._units(place):
            free = frees[unit]
            if not self._set and free in frees[:unit]:
                continue  # sorted: as good as the one before
            for way, cost, after, left in self._choices(place, free, stock, self._budgets[0]):
                if best is not None and max(way.cost, least) >= best:
                    break
                if not self._budgets[0].step():
                    return least
                total = cost + self._search(place + 1, (*frees[:unit], after, *frees[unit + 1 :]), left, memo)
                best = total if best is None else min(best, total)
        assert best is not None
        return best

    def _choices(
        self, place: int, free: Free, stock: Free, budget: StepBudget
    ) -> Iterator[tuple[FeedOption, int, Free, Free]]:
        """From one PSU, the cheapest first but for shared cables: way, cost, and what is left."""
        for way in self._options_of[place]:
            left = take_adapters(stock, way.adapters) if way.adapters else stock
            taken = None if left is None else take_plugs(free, way.takes, way.whole)
            if left is None or taken is None:
                budget.refused()
                continue
            after, pigtails = taken
            yield way, way.cost + PIGTAIL * pigtails, after, left

    @cached_property
    def _most(self) -> list[list[int]]:
        """For each group, how many plugs of each pool it and those behind it take at most."""
        behind = [0] * len(self._problem.pools)
        most = []
        for ways in reversed(self._options_of):
            here: dict[int, int] = {}
            for way in ways:
                taken = dict(way.takes)
                for pool, cables, beside in way.whole:
                    taken[pool] = taken.get(pool, 0) + cables + beside
                for pool, plugs in taken.items():
                    here[pool] = max(plugs, here.get(pool, 0))
            behind = [plugs + here.get(pool, 0) for pool, plugs in enumerate(behind)]
            most.append(behind)
        return most[::-1]


def _nothing(*_: object) -> int:
    return 0
