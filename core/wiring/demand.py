"""What has to be fed: the sockets of cards, powered risers and the board, and what flows through them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, fsum
from typing import NamedTuple

from core.build.build import Build, Line
from core.parts.part import Part
from core.parts.specs import ConnectorCount, GpuSpec, MotherboardSpec, NicSpec, RiserSpec
from core.parts.vocabulary import Category, GpuForm, PowerConnector
from core.wiring.kinds import ATX_24, EPS_4, EPS_8, PCIE_8, PIN_16, PLUG_W, SLOT_W, WIRED, plug_kind
from core.wiring.wiring import Socket

REST_W = 90.0
"""Board, memory, drives and fans together, to choose each card's PSU by; what a PSU delivers is told with the predicted
sum in its place. That sum would make the choice, and with it every rule on cables, depend on each part that draws a
watt: "only what fits" would ask them all again for every drive, fan and memory kit, to move 100 W of several thousand.
"""
CPU_W = 200.0
"""A CPU without a figure, for balancing alone."""
NIC_W = 25.0
MOST_BOXED = 4
"""PCIe 8-pin plugs on the largest adapter in a card's box."""


class Group(NamedTuple):
    """Sockets that belong to one PSU: those of a card with its powered riser, or those of the board."""

    alike: tuple[str, ...]
    """Equal for groups that can take each other's place."""
    sockets: tuple[Socket, ...]
    load_w: float
    """Through its plugs, W."""
    boxed: int = 0
    """PCIe 8-pin plugs that the adapter in the card's box takes; 0 if there is none."""

    @property
    def is_board(self) -> bool:
        """Whether these are the board's own inputs."""
        return self.alike == ()


@dataclass(frozen=True, slots=True)
class Demand:
    """Everything that wants power."""

    board: Group
    cards: tuple[Group, ...]
    lacking: tuple[str, ...]


def demand(build: Build) -> Demand:
    """All groups; loads are by limit, and a figure that is unknown is named in `lacking`."""
    lacking: list[str] = []
    cards: list[Group] = []
    slots_w = 0.0
    risers = _risers(build)
    for line, spec in sorted(build.gpus(), key=lambda pair: pair[0].part.id):
        if spec.form is not GpuForm.PCIE_CARD:
            slots_w += (line.limit_w or 0.0) * line.quantity
            continue
        if spec.power_connectors is None:
            lacking.append(f"{line.part.id}.power_connectors")
            continue
        groups, from_slots = _cards(line, spec, spec.power_connectors, risers)
        cards += groups
        slots_w += from_slots
    for riser in {riser.id: riser for riser, _ in risers.values()}.values():
        if isinstance(riser.spec, RiserSpec) and riser.spec.powered and riser.spec.power_inputs is None:
            lacking.append(f"{riser.id}.power_inputs")
    board = _board(build, slots_w, lacking)
    return Demand(board, tuple(sorted(cards, key=_hardest_first)), tuple(sorted(lacking)))


def _hardest_first(group: Group) -> tuple[float, str, int]:
    socket = group.sockets[0]
    return (-group.load_w, socket.part_id, socket.number)


def _cards(
    line: Line, spec: GpuSpec, rows: Sequence[ConnectorCount], risers: dict[tuple[str, int], tuple[Part, int]]
) -> tuple[list[Group], float]:
    """A group for each card with sockets, and what the cards draw through the board's slots, W."""
    kinds = [plug_kind(row.kind) for row in rows for _ in range(row.count)]
    plugs_w = fsum(PLUG_W.get(kind, 0.0) for kind in kinds)
    limit_w = line.limit_w if line.limit_w is not None else 0.8 * (SLOT_W + plugs_w)
    slot_w = limit_w * SLOT_W / (SLOT_W + plugs_w)
    boxed = _boxed(spec, limit_w, kinds.count(PIN_16))
    numbered = _numbered(kinds)
    groups, from_slots = [], 0.0
    for number in range(1, line.quantity + 1):
        slot = line.slots[number - 1] if number <= len(line.slots) else None
        riser = risers.get((line.part.id, number))
        own = _sockets(line.part.id, Category.GPU, number, numbered, slot, limit_w / (SLOT_W + plugs_w))
        extra = _riser_sockets(riser, slot, slot_w) if riser else ()
        load_w = limit_w - slot_w + (slot_w if extra else 0.0)
        from_slots += 0.0 if extra else slot_w
        if own or extra:
            alike = (line.part.id, riser[0].id if extra and riser else "")
            groups.append(Group(alike, (*own, *extra), load_w, boxed))
    return groups, from_slots


def _boxed(spec: GpuSpec, limit_w: float, sockets: int) -> int:
    """One PCIe 8-pin plug for each 150 W of the card's own limit, unless the card says what comes with it."""
    if spec.boxed_adapter is not None:
        return sum(row.count for row in spec.boxed_adapter if row.kind is PCIE_8)
    if not sockets:
        return 0
    return min(MOST_BOXED, max(1, ceil((spec.power_limit_w or limit_w) / 150 / sockets)))


def _numbered(kinds: Iterable[PowerConnector]) -> tuple[tuple[PowerConnector, int], ...]:
    """The kinds that matter, each with its number among its like."""
    counts: dict[PowerConnector, int] = {}
    found = []
    for kind in kinds:
        if kind in WIRED:
            counts[kind] = counts.get(kind, 0) + 1
            found.append((kind, counts[kind]))
    return tuple(found)


@lru_cache(maxsize=1024)
def _sockets(
    part_id: str,
    category: Category,
    number: int,
    numbered: tuple[tuple[PowerConnector, int], ...],
    slot: int | None,
    share: float,
) -> tuple[Socket, ...]:
    return tuple(Socket(part_id, category, number, kind, index, slot, PLUG_W[kind] * share) for kind, index in numbered)


def _riser_sockets(riser: tuple[Part, int], slot: int | None, slot_w: float) -> tuple[Socket, ...]:
    part, number = riser
    assert isinstance(part.spec, RiserSpec)
    if not part.spec.powered:
        return ()
    kinds = [plug_kind(row.kind) for row in part.spec.power_inputs or () for _ in range(row.count)]
    total_w = fsum(PLUG_W.get(kind, 0.0) for kind in kinds) or 1.0
    return _sockets(part.id, Category.RISER, number, _numbered(kinds), slot, slot_w / total_w)


def _risers(build: Build) -> dict[tuple[str, int], tuple[Part, int]]:
    """The riser under each hanging card: the widest and fastest go to GPUs first, as in placement."""
    hanging = sorted(
        (card for card in build.cards() if card.on_riser),
        key=lambda card: (card.part.category is not Category.GPU, card.part.id, card.number),
    )
    lines = sorted(build.of(Category.RISER), key=_riser_rank) if hanging else ()
    risers = ((line.part, number) for line in lines for number in range(1, line.quantity + 1))
    return {(card.part.id, card.number): riser for card, riser in zip(hanging, risers, strict=False)}


def _riser_rank(line: Line) -> tuple[int, int, float, str]:
    spec = line.part.spec
    assert isinstance(spec, RiserSpec)
    return -(spec.lanes or 0), -(spec.generation or 0), spec.length_mm or 0, line.part.id


def _board(build: Build, slots_w: float, lacking: list[str]) -> Group:
    cpus_w = fsum((spec.max_power_w or spec.tdp_w or CPU_W) * line.quantity for line, spec in build.cpus())
    nics_w = fsum(
        (line.part.spec.power_w or NIC_W) * line.quantity
        for line in build.of(Category.NIC)
        if isinstance(line.part.spec, NicSpec)
    )
    board = build.motherboard
    if board is None:
        return Group((), (), cpus_w + slots_w + nics_w + REST_W)
    part, spec = board
    if spec.power_inputs is None:
        lacking.append(f"{part.id}.power_inputs")
    return Group((), _board_sockets(part, spec, cpus_w), cpus_w + slots_w + nics_w + REST_W)


def _board_sockets(part: Part, spec: MotherboardSpec, cpus_w: float) -> tuple[Socket, ...]:
    """The 24-pin and one EPS input must be fed; further EPS and auxiliary ones should be."""
    kinds = [plug_kind(row.kind) for row in spec.power_inputs or () for _ in range(row.count)]
    cpu_kinds = [kind for kind in kinds if kind in (EPS_8, EPS_4)]
    eps_w = fsum(PLUG_W[kind] for kind in cpu_kinds) or 1.0
    best = EPS_8 if EPS_8 in cpu_kinds else EPS_4
    sockets = []
    for kind, index in _numbered(kinds):
        load_w = cpus_w * PLUG_W[kind] / eps_w if kind in (EPS_8, EPS_4) else 0.0
        needed = index == 1 and kind in (ATX_24, best)
        sockets.append(Socket(part.id, Category.MOTHERBOARD, 1, kind, index, None, load_w, needed))
    return tuple(sockets)
