"""Chooses the PSU and the plugs for every group of sockets: as little unfed, underrated and shared as can be.

Exact where the number of states stays within `MOST_STATES`, which holds for any machine on a desk; beyond it the same
search looks less far ahead. Among equally good choices the PSU with the lowest load is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement, product

from core.parts.vocabulary import Category, PowerConnector
from core.wiring.demand import Group
from core.wiring.kinds import EPS_8, PCIE_8, PIN_16, fitting
from core.wiring.offer import Adapter, Pool, Unit
from core.wiring.wiring import BOXED, Socket

MOST_STATES = 20_000
MOST_GROUPS = 100

UNFED, UNFED_OPTIONAL, UNDERRATED, PIGTAIL, ADAPTED = 10**12, 10**9, 10**6, 10**3, 1
"""What is worse than any number of what follows."""

Free = tuple[int, ...]
"""Plugs left on a PSU: for each pool those of their own cable and the shared ones."""


@dataclass(frozen=True, slots=True)
class Option:
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


@dataclass(frozen=True, slots=True)
class Choice:
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
        self.pools: list[Pool] = sorted({pool for unit in units for pool in unit.own}, key=lambda p: (p[0], -p[1]))
        self._free = tuple(self._free_of(unit) for unit in units)
        ways: dict[tuple[str, ...], list[Way]] = {}
        for group in groups:
            if group.alike not in ways:
                ways[group.alike] = self._ways(group)
        self._ways_of = [ways[group.alike] for group in groups]
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
            for unit, index, way, cost, after, left in self._choices(place, frees, stock, distinct=False):
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
        self, place: int, frees: tuple[Free, ...], stock: Free, *, distinct: bool
    ) -> Iterator[tuple[int, int, Way, int, tuple[Free, ...], Free]]:
        """PSU, number of the way, way, cost, and what is left; `distinct`: one of the PSUs with equal plugs left."""
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

    def _free_of(self, unit: Unit) -> Free:
        counts = ((len(unit.own.get(pool, ())), len(unit.shared.get(pool, ()))) for pool in self.pools)
        return tuple(number for pair in counts for number in pair)

    def _ways(self, group: Group) -> list[Way]:
        """All different ways, the cheapest first. Sockets of a kind take the place of each other."""
        kinds: dict[tuple[PowerConnector, bool, Category], list[Socket]] = {}
        for socket in group.sockets:
            kinds.setdefault((socket.kind, socket.needed, socket.category), []).append(socket)
        menus = [
            list(combinations_with_replacement(self._options(group, sockets[0]), len(sockets)))
            for sockets in kinds.values()
        ]
        order = [socket for sockets in kinds.values() for socket in sockets]
        places = [order.index(socket) for socket in group.sockets]
        ways: dict[tuple[tuple[tuple[int, int], ...], tuple[tuple[int, int], ...]], Way] = {}
        for picked in product(*menus):
            flat = [option for options in picked for option in options]
            way = _way([flat[place] for place in places])
            known = ways.get((way.takes, way.adapters))
            if known is None or way.cost < known.cost:
                ways[way.takes, way.adapters] = way
        return sorted(ways.values(), key=lambda way: way.cost)

    def _options(self, group: Group, socket: Socket) -> list[Option]:
        unfed = UNFED if socket.needed else UNFED_OPTIONAL
        found = [
            Option(UNDERRATED * (rated < socket.load_w), place)
            for kind in fitting(socket.kind)
            for place, (pool_kind, rated) in enumerate(self.pools)
            if pool_kind is kind
        ]
        direct = [Option(option.cost, option.pool, 1) for option in found]
        return [*direct, *self._adapted(group, socket), Option(unfed)]

    def _adapted(self, group: Group, socket: Socket) -> Iterator[Option]:
        for index, adapter in enumerate(self.adapters):
            if adapter.target is socket.kind:
                weak = adapter.rated_w is not None and adapter.rated_w < socket.load_w
                for place, (kind, _) in enumerate(self.pools):
                    if kind is adapter.source:
                        yield Option(ADAPTED + UNDERRATED * weak, place, adapter.count, index)
        if group.boxed and socket.kind in (PIN_16, EPS_8) and socket.category is Category.GPU:
            for place, (kind, _) in enumerate(self.pools):
                if kind is PCIE_8:
                    yield Option(ADAPTED, place, group.boxed, BOXED)


def _nothing(*_: object) -> int:
    return 0


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
