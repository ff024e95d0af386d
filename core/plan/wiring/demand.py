"""What has to be fed: the sockets of cards, powered risers and the board, and what flows through them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import ceil, fsum
from typing import NamedTuple

from core.parts.part import Part
from core.parts.specs import (
    ConnectorCount,
    CpuSpec,
    FanSpec,
    GpuSpec,
    MotherboardSpec,
    NicSpec,
    RamSpec,
    RiserSpec,
    StorageSpec,
)
from core.parts.vocabulary import Category, GpuForm, PowerConnector, StorageKind
from core.plan.build import Build
from core.plan.line import Line
from core.plan.psus import boxes
from core.plan.seats import SlotNumber
from core.plan.wiring.wiring import (
    ATX_24,
    EPS_4,
    EPS_8,
    PCIE_6,
    PCIE_8,
    PIN_16,
    PLUG_W,
    SLOT_W,
    WIRED,
    PowerSocket,
    plug_kind,
)

CPU_W = 200.0
"""A CPU without a figure."""
CPU_OVER_TDP = 1.15
"""What a CPU is expected to draw over its thermal design power, where no limit is stated."""
MOST_BOXED = 4
"""PCIe 8-pin plugs on the largest adapter in a card's box."""


class SocketGroup(NamedTuple):
    """Sockets that belong to one PSU: those of a card with its powered riser, or those of the board.

    A powered riser for which another PSU is set than for its card is a group of its own.
    """

    alike: tuple[str, ...]
    """Equal for groups that can take each other's place."""
    sockets: tuple[PowerSocket, ...]
    load_w: float
    """Through its plugs, W."""
    boxed: int = 0
    """PCIe 8-pin plugs that the adapter in the card's box takes; 0 if there is none."""
    place: int | None = None
    """The PSU that the user set; None: chosen automatically."""

    @property
    def is_board(self) -> bool:
        """Whether these are the board's own inputs."""
        return self.alike == ()


@dataclass(frozen=True, slots=True)
class Demand:
    """Everything that wants power."""

    board: SocketGroup
    cards: tuple[SocketGroup, ...]
    lacking: tuple[str, ...]
    bus_w: float = 0.0
    """What a board without power inputs takes from the distribution board of its chassis, which all PSUs feed."""
    without_inputs: str | None = None
    """Part id of a carrier whose modules draw through sockets that nobody knows: what feeds what is not known."""


def demand(build: Build) -> Demand:
    """All groups; loads are by limit, and a figure that is unknown is named in `lacking`."""
    lacking: list[str] = []
    cards: list[SocketGroup] = []
    slots_w = 0.0
    risers = _risers(build)
    carriers = {carrier.number: carrier for carrier in build.carriers}
    outside = {card.slot for box in boxes(build) for card in box.cards}
    carried_w: dict[int, float] = {}
    modules: set[int] = set()
    for line, spec in sorted(build.gpus(), key=lambda pair: pair[0].part.id):
        if spec.form is not GpuForm.PCIE_CARD:
            fed = [carriers.get(SlotNumber(slot).carrier or 0) for slot in line.slots if slot not in outside]
            for carrier in fed:
                if carrier is not None and carrier.spec.powered:
                    modules.add(carrier.number)
                    carried_w[carrier.number] = carried_w.get(carrier.number, 0.0) + (line.limit_w or 0.0)
            powered = sum(carrier is not None and bool(carrier.spec.powered) for carrier in fed)
            slots_w += (line.limit_w or 0.0) * (line.quantity - powered - sum(slot in outside for slot in line.slots))
            continue
        if spec.power_connectors is None:
            lacking.append(f"{line.part.id}.power_connectors")
            continue
        for card in _cards(line, spec, spec.power_connectors, risers):
            if outside and card.slot in outside:
                continue  # its box feeds it
            carrier = carriers.get(SlotNumber(card.slot or 0).carrier or 0) if carriers else None
            cards += card.groups
            if carrier is not None and carrier.spec.powered:
                carried_w[carrier.number] = carried_w.get(carrier.number, 0.0) + card.slot_w
            else:
                slots_w += card.slot_w
    unknown = sorted({carriers[number].part.id for number in modules if carriers[number].spec.power_inputs is None})
    own = [group for group in _carriers(build, carried_w) if group.sockets and group.sockets[0].part_id not in unknown]
    if carried_w:  # what has no sockets for plugs, or none that are known, counts at its host
        slots_w += fsum(carried_w.values()) - fsum(group.load_w for group in own)
    cards += own
    board = _board(build, slots_w, lacking)
    bus_w = 0.0
    if build.motherboard is not None and build.motherboard[1].power_inputs == ():
        board, bus_w = board._replace(load_w=0.0), board.load_w
    missing = tuple(sorted([*lacking, *(f"{part_id}.power_inputs" for part_id in unknown)]))
    return Demand(board, tuple(sorted(cards, key=_hardest_first)), missing, bus_w, unknown[0] if unknown else None)


def _hardest_first(group: SocketGroup) -> tuple[float, str, tuple[str, ...], int, int]:
    """Groups that can take each other's place stand next to each other."""
    socket = group.sockets[0]
    return (-group.load_w, socket.part_id, group.alike, group.place or 0, socket.number)


class _FedCard(NamedTuple):
    """A card's groups, and what it draws through its slot where no powered riser gives it, W."""

    slot: int | None
    groups: tuple[SocketGroup, ...]
    slot_w: float


def _cards(
    line: Line, spec: GpuSpec, rows: Sequence[ConnectorCount], risers: dict[tuple[str, int], tuple[Line, int]]
) -> Iterator[_FedCard]:
    kinds = [plug_kind(row.kind) for row in rows for _ in range(row.count)]
    plugs_w = fsum(PLUG_W.get(kind, 0.0) for kind in kinds)
    limit_w = line.limit_w if line.limit_w is not None else 0.8 * (SLOT_W + plugs_w)
    slot_w = limit_w * SLOT_W / (SLOT_W + plugs_w)
    boxed = _boxed(spec, limit_w, kinds.count(PIN_16))
    numbered = _numbered(kinds)
    for number in range(1, line.quantity + 1):
        slot = line.slots[number - 1] if number <= len(line.slots) else None
        own = _sockets(line.part.id, Category.GPU, number, numbered, slot, limit_w / (SLOT_W + plugs_w))
        card = SocketGroup((line.part.id,), own, limit_w - slot_w, boxed, line.psu(number))
        under = _riser_group(risers.get((line.part.id, number)), slot, slot_w)
        yield _FedCard(slot, tuple(_joined(card, under)), slot_w if under is None else 0.0)


def _carriers(build: Build, carried_w: Mapping[int, float]) -> Iterator[SocketGroup]:
    """Powered carriers with cards: they give what the cards draw through their slots."""
    for carrier in build.carriers:
        slot_w = carried_w.get(carrier.number)
        line = build.line(carrier.part.id)
        if slot_w is not None and line is not None:
            sockets = _inputs(carrier.part, carrier.unit, carrier.spec.power_inputs, None, slot_w)
            yield SocketGroup(("", carrier.part.id), sockets, slot_w, 0, line.psu(carrier.unit))


def _joined(card: SocketGroup, riser: SocketGroup | None) -> Iterator[SocketGroup]:
    """The card with its powered riser; apart where the user set two PSUs for them. None without sockets."""
    if riser is None:
        yield from [card] if card.sockets else []
    elif None not in (card.place, riser.place) and card.place != riser.place and card.sockets:
        yield from (card, riser)
    else:
        place = riser.place if card.place is None else card.place
        sockets = (*card.sockets, *riser.sockets)
        yield SocketGroup((*card.alike, *riser.alike), sockets, card.load_w + riser.load_w, card.boxed, place)


def _riser_group(riser: tuple[Line, int] | None, slot: int | None, slot_w: float) -> SocketGroup | None:
    sockets = _riser_sockets(riser, slot, slot_w) if riser else ()
    if riser is None or not sockets:
        return None
    line, number = riser
    return SocketGroup(("", line.part.id), sockets, slot_w, 0, line.psu(number))


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
    numbered = []
    for kind in kinds:
        if kind in WIRED:
            counts[kind] = counts.get(kind, 0) + 1
            numbered.append((kind, counts[kind]))
    return tuple(numbered)


@lru_cache(maxsize=1024)
def _sockets(
    part_id: str,
    category: Category,
    number: int,
    numbered: tuple[tuple[PowerConnector, int], ...],
    slot: int | None,
    share: float,
) -> tuple[PowerSocket, ...]:
    return tuple(
        PowerSocket(part_id, category, number, kind, index, slot, PLUG_W[kind] * share) for kind, index in numbered
    )


def _riser_sockets(riser: tuple[Line, int], slot: int | None, slot_w: float) -> tuple[PowerSocket, ...]:
    line, number = riser
    part = line.part
    assert isinstance(part.spec, RiserSpec)
    return _inputs(part, number, part.spec.power_inputs, slot, slot_w) if part.spec.powered else ()


def _inputs(
    part: Part, number: int, rows: Sequence[ConnectorCount] | None, slot: int | None, slot_w: float
) -> tuple[PowerSocket, ...]:
    """Those that a PCIe plug feeds; of 6 pins, as nearly all have, one a slot, where they are not known."""
    if rows is None:
        count = ceil(slot_w / SLOT_W)
        numbered = tuple((PCIE_6, index) for index in range(1, count + 1))
        return _sockets(part.id, part.category, number, numbered, slot, slot_w / count / PLUG_W[PCIE_6])
    kinds = [plug_kind(row.kind) for row in rows for _ in range(row.count)]
    total_w = fsum(PLUG_W.get(kind, 0.0) for kind in kinds) or 1.0
    return _sockets(part.id, part.category, number, _numbered(kinds), slot, slot_w / total_w)


def _risers(build: Build) -> dict[tuple[str, int], tuple[Line, int]]:
    """The riser under each card on a riser: the widest and fastest go to GPUs first, as in placement."""
    on_risers = sorted(
        (card for card in build.cards() if card.on_riser),
        key=lambda card: (card.part.category is not Category.GPU, card.part.id, card.number),
    )
    lines = sorted(build.of(Category.RISER), key=_riser_rank) if on_risers else ()
    risers = ((line, number) for line in lines for number in range(1, line.quantity + 1))
    return {(card.part.id, card.number): riser for card, riser in zip(on_risers, risers, strict=False)}


def _riser_rank(line: Line) -> tuple[int, int, float, str]:
    spec = line.part.spec
    assert isinstance(spec, RiserSpec)
    return -(spec.lanes or 0), -(spec.generation or 0), spec.length_mm or 0, line.part.id


def _board(build: Build, slots_w: float, lacking: list[str]) -> SocketGroup:
    cpus_w = fsum(_cpu_w(spec) * line.quantity for line, spec in build.cpus())
    load_w = cpus_w + slots_w + rest_w(build)
    board = build.motherboard
    if board is None:
        return SocketGroup((), (), load_w)
    part, spec = board
    if spec.power_inputs is None:
        lacking.append(f"{part.id}.power_inputs")
    line = build.line(part.id)
    return SocketGroup((), _board_sockets(part, spec, cpus_w), load_w, place=line.psu(1) if line else None)


def _cpu_w(spec: CpuSpec) -> float:
    if spec.sustained_power_w is not None:
        return spec.sustained_power_w
    return CPU_OVER_TDP * spec.tdp_w if spec.tdp_w is not None else CPU_W


def _board_sockets(part: Part, spec: MotherboardSpec, cpus_w: float) -> tuple[PowerSocket, ...]:
    """The 24-pin and one EPS input must be fed; further EPS and auxiliary ones should be."""
    kinds = [plug_kind(row.kind) for row in spec.power_inputs or () for _ in range(row.count)]
    cpu_kinds = [kind for kind in kinds if kind in (EPS_8, EPS_4)]
    eps_w = fsum(PLUG_W[kind] for kind in cpu_kinds) or 1.0
    best = EPS_8 if EPS_8 in cpu_kinds else EPS_4
    sockets = []
    for kind, index in _numbered(kinds):
        load_w = cpus_w * PLUG_W[kind] / eps_w if kind in (EPS_8, EPS_4) else 0.0
        needed = index == 1 and kind in (ATX_24, best)
        sockets.append(PowerSocket(part.id, Category.MOTHERBOARD, 1, kind, index, None, load_w, needed))
    return tuple(sockets)


BOARD_W, SERVER_BOARD_W = 45.0, 85.0
UDIMM_W, RDIMM_W, USUAL_MODULES = 3.0, 4.0, 2
DRIVE_W = {StorageKind.NVME: 6.0, StorageKind.SATA_SSD: 2.5, StorageKind.HDD: 7.0}
ANY_DRIVE_W = 5.0
FAN_W, THICK_FAN_W, THICK_MM = 1.6, 11.0, 38.0
COOLER_W, PUMP_W, CASE_W = 4.0, 14.0, 5.0
NIC_W = 14.0
"""The middle of what such parts draw when the whole machine is at its limits, as the prediction of power has it."""


def rest_w(build: Build) -> float:
    """Board, memory, drives, fans and network cards together, W.

    By class, not by the figures of each part: the choice of a PSU for each card rests on it, and with the choice every
    rule on cables. With each part's own watts "what fits" would wire the machine anew for every drive, fan and memory
    kit, to move a few watts of several thousand. Search and verdict use the same sum.
    """
    return sum(_each_w(line) * line.quantity for line in build.lines)


def _each_w(line: Line) -> float:
    match line.part.spec:
        case MotherboardSpec(bmc=bmc, cpu_sockets=sockets):
            return SERVER_BOARD_W if bmc or sockets > 1 else BOARD_W
        case RamSpec(kind=kind, modules=modules):
            return (modules or USUAL_MODULES) * (RDIMM_W if kind is None or kind.is_registered else UDIMM_W)
        case StorageSpec(kind=kind):
            return DRIVE_W[kind] if kind else ANY_DRIVE_W
        case FanSpec(thickness_mm=thickness):
            return THICK_FAN_W if (thickness or 0) >= THICK_MM else FAN_W
        case NicSpec(power_w=power):
            return NIC_W if power is None else power
    return _FLAT_W.get(line.part.category, 0.0)


_FLAT_W = {Category.CPU_COOLER: COOLER_W, Category.PUMP: PUMP_W, Category.CASE: CASE_W}
