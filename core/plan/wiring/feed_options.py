"""All ways in which the sockets of one card, or of the board, can be fed from one PSU, and what each costs."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, inf, prod
from typing import NamedTuple

from core.parts.vocabulary import Category, PowerConnector
from core.plan.wiring.demand import SocketGroup
from core.plan.wiring.offer import Adapter, Pool, fits_psus_of
from core.plan.wiring.wiring import BOXED, EPS_8, PCIE_8, PIN_16, fitting

MOST_OPTIONS = 500
"""To feed one card or board: far more than any has with the plugs and adapters of one machine."""
UNFED, UNFED_OPTIONAL, UNDERRATED, PIGTAIL, ADAPTED = 10**12, 10**9, 10**6, 10**3, 1
"""What is worse than any number of what follows."""

SocketNeed = tuple[PowerConnector, bool, float, bool]
"""What matters of a socket: kind, whether it must be fed, a rating in W that carries it, whether it is a card's own."""
AdapterKind = tuple[PowerConnector, int, PowerConnector, float | None, str]
"""What matters of an adapter: source, how many, target, rated W, whose PSUs alone it fits."""


class SocketFeed(NamedTuple):
    """One way to feed one socket; no pool: it stays unfed."""

    cost: int
    pool: int | None = None
    plugs: int = 0
    adapter: int | str | None = None
    """Index of an adapter of the build, or `BOXED`."""
    whole: tuple[tuple[int, int, int], ...] = ()
    """Where it takes the place of whole cables: (pool, cables, their further plugs); `pool` is the first of them."""


@dataclass(frozen=True, slots=True)
class FeedOption:
    """One way to feed all sockets of a group from one PSU."""

    cost: int
    options: tuple[SocketFeed, ...]
    """In the order of the group's sockets."""
    takes: tuple[tuple[int, int], ...]
    """(pool, plugs)."""
    adapters: tuple[tuple[int, int], ...]
    """(adapter of the build, how many)."""
    whole: tuple[tuple[int, int, int], ...] = ()
    """(pool, cables, their further plugs)."""


def needs_of(group: SocketGroup, ratings_w: Sequence[float]) -> tuple[SocketNeed, ...]:
    """What its sockets ask for. Of `ratings_w`, rising, each asks for the first that carries its load: groups between
    the same two ratings have the same ways."""
    return tuple(
        (socket.kind, socket.needed, _enough_w(socket.load_w, ratings_w), socket.category is Category.GPU)
        for socket in group.sockets
    )


def _enough_w(load_w: float, ratings_w: Sequence[float]) -> float:
    place = bisect_left(ratings_w, load_w)
    return ratings_w[place] if place < len(ratings_w) else inf


def adapter_kind(adapter: Adapter) -> AdapterKind:
    """What it makes of what."""
    return adapter.source, adapter.count, adapter.target, adapter.rated_w, adapter.maker


@lru_cache(maxsize=1024)
def feed_options(
    wants: tuple[SocketNeed, ...], boxed: int, pools: tuple[Pool, ...], adapters: tuple[AdapterKind, ...]
) -> tuple[tuple[FeedOption, ...], bool]:
    """All different ways to feed a group, the cheapest first, and whether these are all.

    Sockets alike take the place of each other. Where there are more than `MOST_OPTIONS`, the dearest are left out.
    """
    counts = Counter(wants)
    options = {want: sorted(_options(want, boxed, pools, adapters), key=lambda option: option.cost) for want in counts}
    whole = True
    while prod(_picks(len(options[want]), count) for want, count in counts.items()) > MOST_OPTIONS:
        longest = max(counts, key=lambda want: (_picks(len(options[want]), counts[want]), want))
        if len(options[longest]) <= 2:
            break
        del options[longest][-2]  # the last is to leave it unfed
        whole = False
    menus = [combinations_with_replacement(options[want], count) for want, count in counts.items()]
    ways: dict[tuple[object, ...], FeedOption] = {}
    for picked in product(*menus):
        lists = {want: iter(options) for want, options in zip(counts, picked, strict=True)}
        way = _way([next(lists[want]) for want in wants])
        taken = (way.takes, way.adapters, way.whole)
        cheapest = ways.get(taken)
        if cheapest is None or way.cost < cheapest.cost:
            ways[taken] = way
    return tuple(sorted(ways.values(), key=lambda way: way.cost)), whole


def _picks(options: int, sockets: int) -> int:
    """How many ways there are to pick one of the options for each socket, whatever the order."""
    return comb(options + sockets - 1, sockets)


def _options(
    want: SocketNeed, boxed: int, pools: tuple[Pool, ...], adapters: tuple[AdapterKind, ...]
) -> list[SocketFeed]:
    """Direct plugs, adapters of the build, the one from the box, nothing."""
    kind, needed, enough_w, of_card = want
    feeds = [
        SocketFeed(UNDERRATED * (pool.rated_w < enough_w), place, 1)
        for fit in fitting(kind)
        for place, pool in enumerate(pools)
        if pool.kind is fit and not pool.empty
    ]
    for index, (source, count, target, rated_w, maker) in enumerate(adapters):
        if target is kind:
            cost = ADAPTED + UNDERRATED * (rated_w is not None and rated_w < enough_w)
            feeding = [at for at, pool in enumerate(pools) if _feeds(pool, source, maker)]
            if maker:
                feeds += _in_place_of_cables(feeding, count, pools, cost, index)
            else:
                feeds += [SocketFeed(cost, at, count, index) for at in feeding]
    if boxed and of_card and kind in (PIN_16, EPS_8):
        feeds += [
            SocketFeed(ADAPTED, place, boxed, BOXED)
            for place, pool in enumerate(pools)
            if pool.kind is PCIE_8 and not pool.empty
        ]
    return [*feeds, SocketFeed(UNFED if needed else UNFED_OPTIONAL)]


def _in_place_of_cables(
    feeding: Sequence[int], count: int, pools: tuple[Pool, ...], cost: int, index: int
) -> Iterator[SocketFeed]:
    """A cable into sockets of the PSU itself takes out any of its cables, with all their plugs."""
    for places in combinations_with_replacement(feeding, count):
        cables = Counter(places)
        whole = tuple((at, number, number * pools[at].beside) for at, number in sorted(cables.items()))
        if len({pools[at].maker for at in cables}) == 1:
            yield SocketFeed(cost, places[0], count, index, whole)


def _feeds(pool: Pool, source: PowerConnector, maker: str) -> bool:
    """Whether an adapter, or a cable that fits PSUs of one maker alone, takes what such a pool has."""
    if not maker:
        return pool.kind is source and not pool.empty
    return (pool.kind is source or pool.replaced) and fits_psus_of(maker, pool.maker)


def _way(options: list[SocketFeed]) -> FeedOption:
    takes: dict[int, int] = {}
    adapters: dict[int, int] = {}
    whole: list[tuple[int, int, int]] = []
    for option in options:
        whole += option.whole
        if option.pool is not None and not option.whole:
            takes[option.pool] = takes.get(option.pool, 0) + option.plugs
        if isinstance(option.adapter, int):
            adapters[option.adapter] = adapters.get(option.adapter, 0) + 1
    cost = sum(option.cost for option in options)
    return FeedOption(
        cost, tuple(options), tuple(sorted(takes.items())), tuple(sorted(adapters.items())), tuple(sorted(whole))
    )
