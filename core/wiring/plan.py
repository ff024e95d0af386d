"""Chooses the PSU and the plugs for every group of sockets: as little unfed, underrated and shared as can be.

Exact where the number of states stays within `MOST_STATES`, which holds for any machine on a desk; beyond it the same
search looks less far ahead. Among equally good choices the PSU with the lowest load is taken.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from core.parts.vocabulary import Category, PowerConnector
from core.wiring.demand import Group
from core.wiring.kinds import EPS_8, PCIE_8, PIN_16, fitting
from core.wiring.offer import Adapter, Pool, Unit
from core.wiring.wiring import BOXED

MOST_STATES = 20_000
MOST_GROUPS = 100

UNFED, UNFED_OPTIONAL, UNDERRATED, PIGTAIL, ADAPTED = 10**12, 10**9, 10**6, 10**3, 1
"""What is worse than any number of what follows."""

Want = tuple[PowerConnector, bool, float, bool]
"""What matters of a socket: kind, whether it must be fed, load in W, whether it is a card's own."""
Made = tuple[PowerConnector, int, PowerConnector, float | None]
"""What matters of an adapter: source, how many, target, rated W."""
Free = tuple[int, ...]
"""Plugs left on a PSU: for each pool those of their own cable and the shared ones."""


class Option(NamedTuple):
    """One way to feed one socket; no pool: it stays unfed."""

    cost: int
    pool: int | None = None
    plugs: int = 0
    adapter: int | str | None = None
    """Index of an adapter of the build, or `BOXED`."""


@dataclass(frozen=True, slots=True)
class Way:
    """One way to feed all sockets of a group from one PSU."""

    cost: int
    options: tuple[Option, ...]
    """In the order of the group's sockets."""
    takes: tuple[tuple[int, int], ...]
    """(pool, plugs)."""
    adapters: tuple[tuple[int, int], ...]
    """(adapter of the build, how many)."""


class Choice(NamedTuple):
    """Where a group ended up."""

    group: Group
    unit: int
    way: Way


class Planner:
    """One search. Groups alike stand next to each other, so that states coincide."""

    def __init__(self, groups: Sequence[Group], units: Sequence[Unit], adapters: Sequence[Adapter]) -> None:
        self.groups = groups
        self.units = units
        self.adapters = adapters
        self.pools = tuple(sorted({pool for unit in units for pool in unit.own}, key=lambda p: (p[0], -p[1])))
        self._free = tuple(self._free_of(unit) for unit in units)
        made = tuple((a.source, a.count, a.target, a.rated_w) for a in adapters)
        self._ways_of = [_ways(_wants(group), group.boxed, self.pools, made) for group in groups]
        self._stock = tuple(adapter.quantity for adapter in adapters)

    def plan(self) -> tuple[Choice, ...]:
        """The best choice for each group."""
        quick, cost = self._descend(_nothing)
        if cost == 0 or len(self.groups) > MOST_GROUPS or (len(self.units) > 1 and cost == self._at_least()):
            return quick
        memo: dict[tuple[int, tuple[Free, ...], Free], int] = {}
        return self._descend(lambda place, frees, stock: self._value(place, frees, stock, memo))[0]

    def _at_least(self) -> int:
        """The cost with all plugs on one PSU: no distribution over several can be better."""
        merged = tuple(sum(column) for column in zip(*self._free, strict=True))
        return self._value(0, (merged,), self._stock, {})

    def _descend(self, future: Callable[[int, tuple[Free, ...], Free], int]) -> tuple[tuple[Choice, ...], int]:
        """Group after group takes what costs least, now and in future; then where the load is lowest."""
        frees, stock, spent = self._free, self._stock, 0
        loads = [0.0] * len(self.units)
        chosen = []
        for place, group in enumerate(self.groups):
            best: tuple[int, float, int, int] | None = None
            taken: tuple[Way, tuple[Free, ...], Free] | None = None
            for unit, index, way, cost, after, left in self._choices(place, frees, stock, first=future is _nothing):
                share = float(unit) if group.is_board else self._share(unit, loads[unit] + group.load_w)
                rank = (cost + future(place + 1, after, left), share, unit, index)
                if best is None or rank < best:
                    best, taken, paid, where = rank, (way, after, left), cost, unit
            assert taken is not None
            way, frees, stock = taken
            spent += paid
            loads[where] += group.load_w
            chosen.append(Choice(group, where, way))
        return tuple(chosen), spent

    def _share(self, unit: int, load_w: float) -> float:
        return load_w / (self.units[unit].power_w or 1000.0)

    def _value(
        self, place: int, frees: tuple[Free, ...], stock: Free, memo: dict[tuple[int, tuple[Free, ...], Free], int]
    ) -> int:
        """The least cost of all groups from `place` on; 0 once the search has grown too large."""
        if place == len(self.groups):
            return 0
        key = (place, tuple(sorted(frees)), stock)
        if key not in memo:
            if len(memo) >= MOST_STATES:
                return 0
            best: int | None = None
            for _, _, _, cost, after, left in self._choices(place, key[1], stock, distinct=True):
                if best is None or cost < best:
                    value = cost + self._value(place + 1, after, left, memo)
                    best = value if best is None else min(best, value)
                if best == 0:
                    break
            assert best is not None
            memo[key] = best
        return memo[key]

    def _choices(
        self, place: int, frees: tuple[Free, ...], stock: Free, *, distinct: bool = False, first: bool = False
    ) -> Iterator[tuple[int, int, Way, int, tuple[Free, ...], Free]]:
        """PSU, number of the way, way, cost, and what is left.

        `distinct`: one of the PSUs with equal plugs left. `first`: of a PSU nothing after a way that shares no cable.
        """
        for unit, free in enumerate(frees):
            if distinct and free in frees[:unit]:
                continue
            for index, way in enumerate(self._ways_of[place]):
                taken = _take(free, way.takes)
                left = _take_adapters(stock, way.adapters)
                if taken is not None and left is not None:
                    after, pigtails = taken
                    cost = way.cost + PIGTAIL * pigtails
                    yield unit, index, way, cost, (*frees[:unit], after, *frees[unit + 1 :]), left
                    if first and not pigtails:
                        break

    def _free_of(self, unit: Unit) -> Free:
        counts = ((len(unit.own.get(pool, ())), len(unit.shared.get(pool, ()))) for pool in self.pools)
        return tuple(number for pair in counts for number in pair)


def _wants(group: Group) -> tuple[Want, ...]:
    return tuple((s.kind, s.needed, s.load_w, s.category is Category.GPU) for s in group.sockets)


def _nothing(*_: object) -> int:
    return 0


@lru_cache(maxsize=1024)
def _ways(wants: tuple[Want, ...], boxed: int, pools: tuple[Pool, ...], adapters: tuple[Made, ...]) -> tuple[Way, ...]:
    """All different ways to feed a group, the cheapest first. Sockets alike take the place of each other."""
    counts = Counter(wants)
    menus = [
        combinations_with_replacement(_options(want, boxed, pools, adapters), count) for want, count in counts.items()
    ]
    ways: dict[tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]], Way] = {}
    for picked in product(*menus):
        lists = {want: iter(options) for want, options in zip(counts, picked, strict=True)}
        way = _way([next(lists[want]) for want in wants])
        known = ways.get((way.takes, way.adapters))
        if known is None or way.cost < known.cost:
            ways[way.takes, way.adapters] = way
    return tuple(sorted(ways.values(), key=lambda way: way.cost))


def _options(want: Want, boxed: int, pools: tuple[Pool, ...], adapters: tuple[Made, ...]) -> list[Option]:
    """Direct plugs, adapters of the build, the one from the box, nothing."""
    kind, needed, load_w, of_card = want
    found = [
        Option(UNDERRATED * (rated < load_w), place, 1)
        for fit in fitting(kind)
        for place, (pool, rated) in enumerate(pools)
        if pool is fit
    ]
    for index, (source, count, target, rated_w) in enumerate(adapters):
        if target is kind:
            cost = ADAPTED + UNDERRATED * (rated_w is not None and rated_w < load_w)
            found += [Option(cost, place, count, index) for place, (pool, _) in enumerate(pools) if pool is source]
    if boxed and of_card and kind in (PIN_16, EPS_8):
        found += [Option(ADAPTED, place, boxed, BOXED) for place, (pool, _) in enumerate(pools) if pool is PCIE_8]
    return [*found, Option(UNFED if needed else UNFED_OPTIONAL)]


def _way(options: list[Option]) -> Way:
    takes: dict[int, int] = {}
    adapters: dict[int, int] = {}
    for option in options:
        if option.pool is not None:
            takes[option.pool] = takes.get(option.pool, 0) + option.plugs
        if isinstance(option.adapter, int):
            adapters[option.adapter] = adapters.get(option.adapter, 0) + 1
    cost = sum(option.cost for option in options)
    return Way(cost, tuple(options), tuple(sorted(takes.items())), tuple(sorted(adapters.items())))


def _take(free: Free, takes: tuple[tuple[int, int], ...]) -> tuple[Free, int] | None:
    """What is left and how many of the plugs are pigtails, None if there are not enough."""
    left, pigtails = list(free), 0
    for pool, plugs in takes:
        own = min(plugs, left[2 * pool])
        shared = plugs - own
        if shared > left[2 * pool + 1]:
            return None
        left[2 * pool] -= own
        left[2 * pool + 1] -= shared
        pigtails += shared
    return tuple(left), pigtails


def _take_adapters(stock: Free, adapters: tuple[tuple[int, int], ...]) -> Free | None:
    if not adapters:
        return stock
    left = list(stock)
    for index, count in adapters:
        left[index] -= count
    return tuple(left) if min(left) >= 0 else None
