"""Which PSU output feeds which socket."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import chain, islice
from operator import itemgetter

from core.plan.build import Build
from core.plan.psus import BOX_READS
from core.plan.wiring.demand import Demand, demand
from core.plan.wiring.feed_options import SocketFeed
from core.plan.wiring.offer import Adapter, Pool, PsuUnit, adapters, units
from core.plan.wiring.plan import UNKNOWN_W, FeedChoice, plan, pools_of
from core.plan.wiring.wiring import BOXED, PLUG_W, Feed, Plug, PowerSocket, WiredPsu, Wiring

WIRING_READS: tuple[str, ...] = (
    *(
        "gpu.form",
        "gpu.power_connectors",
        "gpu.power_limit_w",
        "gpu.boxed_adapter",
        "psu.cables",
        "psu.cables_incomplete",
    ),
    "psu.cable_sockets",
    *(
        "psu.power_w",
        "psu.input_limits",
        "motherboard.power_inputs",
        "cpu.sustained_power_w",
        "cpu.tdp_w",
        "nic.power_w",
    ),
    *("cable.source_kind", "cable.source_count", "cable.target_kind", "cable.target_count", "cable.rated_w"),
    *("carrier.powered", "carrier.power_inputs", *BOX_READS),
    *("riser.powered", "riser.power_inputs", "riser.lanes", "riser.generation", "riser.length_mm"),
    *("motherboard.bmc", "motherboard.cpu_sockets", "ram.kind", "ram.modules", "storage.kind", "fan.thickness_mm"),
)
"""Figures that say which plug feeds which socket."""


def wire(build: Build) -> Wiring:
    """Pure, deterministic and independent of the order of the lines.

    What the user set comes first. Then, the first the weightiest: every needed socket fed, then every other one; plug
    and adapter strong enough; no PSU beyond its rating; each plug on a cable of its own; native plugs before adapters;
    the board on the first PSU that can; the loads even, the highest above 80 % as low as can be.
    All sockets of a card and of its powered riser draw from one PSU, unless two are set. PSUs count from the strongest.
    """
    psus, unknown = units(build)
    needs = demand(build)
    lacking = tuple(sorted({*unknown, *needs.lacking}))
    if psus and fed_by_chassis(build):
        whole = needs.board.load_w + needs.bus_w + sum(group.load_w for group in needs.cards)
        even = [whole / len(psus)] * len(psus)
        return Wiring(_psus(psus, even), by_chassis=True, lacking=lacking)
    groups = (needs.board, *needs.cards)
    sockets = tuple(socket for group in groups for socket in group.sockets)
    if not psus:
        return Wiring(unfed=sockets, lacking=lacking, without_inputs=needs.without_inputs)
    kinds = adapters(build)
    choices, cut_short = plan(groups, psus, kinds)
    feeds = _feeds(choices, psus, pools_of(psus), kinds)
    fed = {feed.socket for feed in feeds}
    return Wiring(
        _psus(psus, _loads(build, psus, needs, choices)),
        feeds,
        tuple(socket for socket in sockets if socket not in fed),
        _plugs_there(psus, feeds, kinds),
        board_psu=psus[choices[0].unit].place if plugs_feed_board(build) else None,
        cut_short=cut_short,
        lacking=lacking,
        without_inputs=needs.without_inputs,
    )


def fed_by_chassis(build: Build) -> bool:
    """Whether all PSUs are modules without cables: the chassis that they slide into feeds board and cards."""
    psus = list(build.psus())
    return bool(psus) and all(spec.cables == () for _, spec in psus)


def plugs_feed_board(build: Build) -> bool:
    """Whether the board takes plugs of the PSUs: not where a chassis feeds it, which has no power inputs then."""
    board = build.motherboard
    return not fed_by_chassis(build) and (board is None or board[1].power_inputs != ())


def _loads(build: Build, psus: Sequence[PsuUnit], needs: Demand, choices: Sequence[FeedChoice]) -> list[float]:
    """What each PSU bears, W. What a board takes from its chassis is shared by rating: by the modules that slide into
    it, else by the PSUs that can start a board, else by all."""
    loads = [0.0] * len(psus)
    for choice in choices:
        loads[choice.unit] += choice.group.load_w
    if needs.bus_w:
        specs = {line.part.id: spec for line, spec in build.psus()}
        psu_specs = (specs[unit.part_id] for unit in psus)
        ranks = [0 if spec.cables == () else 2 if spec.gives_12v_alone else 1 for spec in psu_specs]
        powers = [
            (unit.power_w or UNKNOWN_W) if rank == min(ranks) else 0.0 for unit, rank in zip(psus, ranks, strict=True)
        ]
        loads = [load + needs.bus_w * power / sum(powers) for load, power in zip(loads, powers, strict=True)]
    return loads


def _psus(psus: Sequence[PsuUnit], loads: Sequence[float]) -> tuple[WiredPsu, ...]:
    return tuple(
        WiredPsu(unit.place, unit.part_id, unit.number, unit.power_w, load)
        for unit, load in zip(psus, loads, strict=True)
    )


def _feeds(
    choices: Sequence[FeedChoice], psus: Sequence[PsuUnit], pools: Sequence[Pool], kinds: Sequence[Adapter]
) -> tuple[Feed, ...]:
    """Hands out the plugs: in the order of slots; where cables are shared, the heaviest sockets first."""
    fed = [
        (choice.unit, _order(socket), option.pool, socket, option)
        for choice in choices
        for socket, option in zip(choice.group.sockets, choice.way.options, strict=True)
        if option.pool is not None
    ]
    fed.sort(key=itemgetter(0, 1))
    taken = _handed_out(fed, psus, pools)
    return tuple(_feed(socket, option, taken[number], kinds) for number, (*_, socket, option) in enumerate(fed))


_Fed = tuple[int, tuple[int, str, int, str, int], int, PowerSocket, SocketFeed]
"""PSU, order, pool, socket, and how it is fed."""


def _handed_out(fed: Sequence[_Fed], psus: Sequence[PsuUnit], pools: Sequence[Pool]) -> dict[int, tuple[Plug, ...]]:
    """By the place in `fed`. What takes out whole cables comes first; then, of each kind of plug on each PSU, the
    heaviest socket where some must share a cable."""
    own = {(unit, at): list(psu.own.get(pool, ())) for unit, psu in enumerate(psus) for at, pool in enumerate(pools)}
    shared = {
        (unit, at): list(psu.shared.get(pool, ())) for unit, psu in enumerate(psus) for at, pool in enumerate(pools)
    }
    taken: dict[int, tuple[Plug, ...]] = {}
    wanting: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, (unit, _, pool, _, option) in enumerate(fed):
        if not option.whole:
            wanting[unit, pool].append(number)
            continue
        plugs: list[Plug] = []
        for at, cables, _ in option.whole:
            plugs += own[unit, at][:cables]
            del own[unit, at][:cables]
            gone = {plug.cable for plug in plugs}
            shared[unit, at] = [plug for plug in shared[unit, at] if plug.cable not in gone]
        taken[number] = tuple(plugs)
    for place, numbers in wanting.items():
        if sum(fed[number][4].plugs for number in numbers) > len(own[place]):
            numbers.sort(key=lambda number: -fed[number][3].load_w)
        left = chain(own[place], shared[place])
        taken.update((number, tuple(islice(left, fed[number][4].plugs))) for number in numbers)
    return taken


def _order(socket: PowerSocket) -> tuple[int, str, int, str, int]:
    return (socket.slot or 0, socket.part_id, socket.number, socket.kind, socket.index)


def _feed(socket: PowerSocket, option: SocketFeed, plugs: tuple[Plug, ...], kinds: Sequence[Adapter]) -> Feed:
    if isinstance(option.adapter, int):
        adapter = kinds[option.adapter]
        return Feed(socket, plugs, adapter.part_id, adapter.rated_w)
    if option.adapter == BOXED:
        return Feed(socket, plugs, BOXED, min(PLUG_W[socket.kind], sum(PLUG_W[plug.cable.kind] for plug in plugs)))
    return Feed(socket, plugs, None, plugs[0].rated_w)


def _plugs_there(psus: Sequence[PsuUnit], feeds: Sequence[Feed], kinds: Sequence[Adapter]) -> tuple[Plug, ...]:
    """All plugs but those of cables that are taken out for a cable of the maker's own, and of sockets left empty."""
    own = {adapter.part_id for adapter in kinds if adapter.maker}
    fed = {plug for feed in feeds for plug in feed.plugs}
    gone = {plug.cable for feed in feeds if feed.adapter in own for plug in feed.plugs}
    pools = (pair for unit in psus for by_pool in (unit.own, unit.shared) for pair in by_pool.items())
    plugs = chain.from_iterable(plugs for pool, plugs in pools if not pool.empty)
    return tuple(plug for plug in plugs if plug.cable not in gone or plug in fed)
