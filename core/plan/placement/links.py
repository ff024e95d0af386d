"""The link that each placed card really gets: width, generation, what it is wired to, and what holds it back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from core.parts.part import Part
from core.parts.specs import CpuSpec, GpuSpec, LaneCase, NicSpec, RiserSpec, Slot
from core.parts.vocabulary import Attachment, Category
from core.plan.build import Build
from core.plan.line import Card
from core.plan.placement.risers import RISER_READS, CardKey, key_of, risers_of
from core.plan.placement.sockets import drive_sockets, ranked_rows
from core.plan.seats import Seat
from core.words import Worded, tr

LINK_READS = (
    "gpu.form",
    "gpu.pcie_lanes",
    "gpu.pcie_generation",
    "nic.pcie_lanes",
    "nic.pcie_generation",
    "motherboard.slots",
    "motherboard.m2",
    "motherboard.lane_cases",
    "cpu.pcie_lanes",
    "cpu.pcie_generation",
    "motherboard.host_ports",
    "storage.form_factor",
    "carrier.host",
    "carrier.host_lanes",
    "carrier.generation",
    "carrier.seats",
    "carrier.switched",
    "storage.pcie_generation",
    "storage.pcie_lanes",
    *RISER_READS,
)
"""Figures that the links of placed cards come from."""

GT_PER_S = {1: 2.5, 2: 5.0, 3: 8.0, 4: 16.0, 5: 32.0, 6: 64.0, 7: 128.0}
WIDTHS = (16, 8, 4, 2, 1)
"""Widths that a link trains at: others round down (PCIe base specification; twelve lanes give eight)."""


class LinkLimit(Worded):
    """What holds a link below what the card itself could do."""

    SLOT = "slot", tr("limited by the slot")
    """The slot is narrower or older."""
    POPULATION = "population", tr("limited by the slot's shared lanes")
    """The slot gives lanes to other slots or M.2 sockets that are in use."""
    SETTING = "setting"
    """The slot is set to an older generation in the firmware."""
    SPLIT = "split", tr("shares the slot with another card")
    """Several cards on risers share the slot's lanes."""
    RISER = "riser", tr("limited by the riser")
    CARRIER = "carrier", tr("limited by the carrier")
    """The carrier under the card, or what it plugs into, is narrower or older."""
    CPU = "cpu", tr("limited by the CPU")
    """The CPU is older or has fewer lanes."""
    NO_CPU = "no_cpu", tr("its CPU is missing")
    """The slot belongs to a CPU that the build does not have."""
    NOT_PLUGGED = "not_plugged", tr("its carrier is not plugged in")
    """The carrier under the card plugs into nothing yet."""


Bounds = list[tuple[LinkLimit, int]]
"""What a figure cannot exceed, by what bounds it."""


class CardLink(NamedTuple):
    """The link of a placed card. A figure of the card that is unknown leaves the field that needs it None.

    `lanes` 0 is a slot that is switched off or whose CPU is absent. `gbps` is GB/s each way, `full_gbps` what the card
    could do by itself. `row` is the row of the board's table that set the width. `riser` is the riser between.
    Figures of riser and CPU that are unknown do not narrow it: rules that need them say so.
    """

    card: Card
    slot: Slot
    lanes: int | None
    generation: int | None
    limits: tuple[LinkLimit, ...] = ()
    row: LaneCase | None = None
    riser: Part | None = None
    share: float = 1.0
    """Of its carrier's way to the board, what other slots in use leave."""

    @property
    def gbps(self) -> float | None:
        """GB/s each way; 0 where the slot is off, None where a figure of the card is unknown."""
        if self.lanes is None or self.generation is None:
            return 0.0 if self.lanes == 0 else None
        return link_gbps(self.generation, self.lanes)

    @property
    def full_gbps(self) -> float | None:
        """GB/s each way that the card could use; None if its own figures are unknown."""
        lanes, generation = own_link(self.card.part)
        return link_gbps(generation, rounded(lanes)) if lanes and generation else None

    @property
    def root(self) -> str | None:
        """What it is wired to: "CPU 1", "chipset", the name of a switch; None if the board's data do not say.

        With the root complex of the CPU, where the board's data state it: "CPU 1, root C0".
        """
        slot = self.slot
        match slot.attachment:
            case None:
                return None
            case Attachment.CHIPSET:
                return tr("chipset")
            case Attachment.SWITCH:
                return slot.switch or tr("switch")
        if slot.root is None:
            return tr("CPU {cpu}", cpu=slot.cpu + 1)
        return tr("CPU {cpu}, root {root}", cpu=slot.cpu + 1, root=slot.root)


def link_gbps(generation: int, lanes: int) -> float:
    """GB/s each way: GT/s x lanes x coding / 8; 8b/10b up to generation 2, 128b/130b from 3 (PCIe base specification).

    Gen3 x16 15.75, Gen4 31.5, Gen5 63.0.
    """
    coding = 0.8 if generation < 3 else 128 / 130
    return GT_PER_S[generation] * lanes * coding / 8


def rounded(lanes: int) -> int:
    """The width that trains over so many lanes; 0 over none."""
    return next((width for width in WIDTHS if width <= lanes), 0)


def own_link(part: Part) -> tuple[int | None, int | None]:
    """Lanes and generation of a card's own connector."""
    spec = part.spec
    if not isinstance(spec, (GpuSpec, NicSpec)):
        return None, None
    return None if spec.pcie_lanes is None else int(spec.pcie_lanes), spec.pcie_generation


@dataclass(frozen=True, slots=True)
class Width:
    """Electrical lanes of a slot, and the row of the table that decided; None where nothing shares."""

    lanes: int
    row: LaneCase | None = None
    share: float = 1.0
    """Of the host's lanes, what the seat of a carrier, or the switch that it hangs on, has left."""


class Population:
    """A board's table with what does not depend on where cards sit: M.2 sockets in use and the lanes of its CPU."""

    def __init__(self, build: Build, filled: Iterable[int] | None = None) -> None:
        """Drives keep clear of cards in the `filled` slots; without these, of the cards where they sit."""
        self.slots: dict[int, Slot] = {slot.position: slot for slot in build.seats()}
        self.drives = drive_sockets(build, filled)
        """The socket of each drive that gets one."""
        hosts = [host for carrier in build.carriers for host in carrier.hosts]
        self.sockets = {one.label for one in self.drives.values()} | {host for host in hosts if isinstance(host, str)}
        """Labels of the M.2 and U.2 sockets in use, by drives and by carriers."""
        used = self.sockets.union(slot.label for slot in self.slots.values())
        self.rows: tuple[LaneCase, ...] = tuple(row for row in ranked_rows(build) if used.issuperset(row.filled))
        """Those that can hold with these drives and this CPU, the one that wins first."""
        self.carried = frozenset(host for host in hosts if isinstance(host, int) and host in self.slots)
        """Positions that hold a carrier."""
        self._seats = {position: seat for position, seat in self.slots.items() if isinstance(seat, Seat)}
        self._full = {position: Width(int(slot.lanes)) for position, slot in self.slots.items()}
        self._named = {label for row in self.rows for label in row.widths}
        self._cases: dict[int, Sequence[tuple[frozenset[int], Width]]] = {}
        self._full |= {position: Width(0) for position, seat in self._seats.items() if not seat.plugged}

    def widths(self, positions: Iterable[int]) -> Mapping[int, Width]:
        """Lanes by slot position with cards in these positions (see `LaneCase` for which row wins)."""
        if not self.rows:
            return self._full
        taken = self.carried.union(positions)
        shared = (at for at, slot in self.slots.items() if slot.label in self._named or at in self._seats)
        return self._full | {at: next(width for needed, width in self.cases(at) if needed <= taken) for at in shared}

    def cases(self, position: int) -> Sequence[tuple[frozenset[int], Width]]:
        """The widths that a slot can have, with the slots that must be filled for each; the first that holds wins."""
        cases = self._cases.get(position)
        if cases is None:
            seat, slot = self._seats.get(position), self.slots[position]
            host = seat.board_host if seat else None
            if seat and isinstance(host, int) and host in self.slots:
                cases = [(needed, self._narrowed(seat, host, width)) for needed, width in self.cases(host)]
            else:
                cases = [
                    (self.needed(row), Width(min(row.widths[slot.label], int(slot.lanes)), row))
                    for row in self.rows
                    if slot.label in row.widths
                ]
                cases.append((frozenset(), self._full[position]))
            self._cases[position] = cases
        return cases

    def _narrowed(self, seat: Seat, host: int, width: Width) -> Width:
        """A seat whose carrier's slot has lost lanes: behind a switch it keeps its own."""
        share = width.lanes / int(self.slots[host].lanes)
        if seat.switch_uplink is not None:
            return Width(int(seat.lanes) if share else 0, width.row, share)
        return Width(int(int(seat.lanes) * share), width.row, share)

    def needed(self, row: LaneCase) -> frozenset[int]:
        """Slot positions that must be filled for a row to hold; its M.2 sockets are in use already."""
        return frozenset(position for position, slot in self.slots.items() if slot.label in row.filled)


class Linker:
    """Gives links in one build wherever its cards sit: the placement search asks it for many arrangements."""

    def __init__(self, build: Build, filled: Iterable[int] | None = None, population: Population | None = None) -> None:
        """`filled` are the slots whose cards stay, where others are still to be placed; `population` is the build's, if
        the caller has it."""
        self.population = population or Population(build, filled)
        self.cpus = max(1, build.count(Category.CPU))
        self.cpu_generation, self.cpu_lanes = _cpu(build)
        self.set_slots = frozenset(position for position, _ in build.slot_generations)

    def is_dead(self, slot: Slot) -> bool:
        """Whether the slot belongs to a CPU that is not there."""
        if isinstance(slot, Seat) and not slot.plugged:
            return True
        return slot.attachment is not Attachment.CHIPSET and slot.cpu >= self.cpus

    def link(self, card: Card, slot: Slot, width: Width, riser: Part | None, sharing: int = 1) -> CardLink:
        """The link of a card in a slot that has this width, and that so many cards share on risers."""
        if self.is_dead(slot):
            unplugged = isinstance(slot, Seat) and not slot.plugged
            limit = LinkLimit.NOT_PLUGGED if unplugged else LinkLimit.NO_CPU
            return CardLink(card, slot, 0, None, (limit,), None, riser)
        lanes, generation = own_link(card.part)
        bounds = self._lane_bounds(slot, width, riser)
        if sharing > 1:
            bounds.append((LinkLimit.SPLIT, rounded(width.lanes // sharing)))
        wide, narrow = _least(lanes, bounds)
        fast, slow = _least(generation, self._generation_bounds(slot, riser))
        held = narrow + slow
        limits = tuple(limit for limit in LinkLimit if limit in held) if held else ()
        return CardLink(card, slot, wide, fast, limits, width.row, riser, width.share)

    def presumed_gbps(self, part: Part, slot: Slot, width: Width, riser: Part | None) -> float:
        """GB/s each way as in `link`; a card of unknown figures is presumed to use all that the slot gives."""
        if self.is_dead(slot):
            return 0.0
        lanes, generation = own_link(part)
        wide, _ = _least(lanes or WIDTHS[0], self._lane_bounds(slot, width, riser))
        fast, _ = _least(generation or max(GT_PER_S), self._generation_bounds(slot, riser))
        gbps = link_gbps(fast or 1, wide or 0)
        if isinstance(slot, Seat) and slot.cpu_uplink is not None:
            return min(gbps, link_gbps(*slot.cpu_uplink) * width.share)
        return gbps

    def _lane_bounds(self, slot: Slot, width: Width, riser: Part | None) -> Bounds:
        own = LinkLimit.CARRIER if isinstance(slot, Seat) else LinkLimit.SLOT
        bounds = [(LinkLimit.POPULATION if width.lanes < int(slot.lanes) else own, rounded(width.lanes))]
        if riser is not None and isinstance(riser.spec, RiserSpec) and riser.spec.lanes is not None:
            bounds.append((LinkLimit.RISER, int(riser.spec.lanes)))
        if self.cpu_lanes is not None and slot.attachment is not Attachment.CHIPSET and _is_direct(slot):
            bounds.append((LinkLimit.CPU, rounded(self.cpu_lanes)))
        return bounds

    def _generation_bounds(self, slot: Slot, riser: Part | None) -> Bounds:
        own = LinkLimit.SETTING if slot.position in self.set_slots else LinkLimit.SLOT
        bounds = [(LinkLimit.CARRIER if isinstance(slot, Seat) else own, slot.generation)]
        if riser is not None and isinstance(riser.spec, RiserSpec) and riser.spec.generation is not None:
            bounds.append((LinkLimit.RISER, riser.spec.generation))
        if self.cpu_generation is not None and slot.attachment in (None, Attachment.CPU):
            bounds.append((LinkLimit.CPU, self.cpu_generation))
        return bounds


def _is_direct(slot: Slot) -> bool:
    """Whether the CPU's own lanes reach the slot: behind a switch of a carrier they do not."""
    return not isinstance(slot, Seat) or slot.switch_uplink is None


def links(build: Build, population: Population | None = None) -> Mapping[CardKey, CardLink]:
    """Links of all cards that sit in slots of the board or on carriers, by card, from the top.

    Pure. A card that is not placed, or placed in a slot that the board does not have, has none. `population` is that
    of the build, if the caller has it.
    """
    linker = Linker(build, population=population)
    slots = linker.population.slots
    placed = [card for card in build.cards() if card.slot in slots]
    widths = linker.population.widths(card.slot for card in placed if card.slot is not None)
    on_risers = Counter(card.slot for card in placed if card.on_riser)
    risers = risers_of(build)
    by_card = {}
    for card in sorted(placed, key=lambda card: (card.slot or 0, key_of(card))):
        position = card.slot or 0
        riser = risers.get(key_of(card))
        by_card[key_of(card)] = linker.link(card, slots[position], widths[position], riser, max(1, on_risers[position]))
    return by_card


def _cpu(build: Build) -> tuple[int | None, int | None]:
    """Generation and lanes of the CPU, the lesser where CPUs differ; None where unknown."""
    specs: list[CpuSpec] = [spec for _, spec in build.cpus()]
    generations = [spec.pcie_generation for spec in specs if spec.pcie_generation is not None]
    lanes = [spec.pcie_lanes for spec in specs if spec.pcie_lanes is not None]
    return min(generations, default=None), min(lanes, default=None)


def _least(own: int | None, bounds: Bounds) -> tuple[int | None, list[LinkLimit]]:
    """The least of the card's own figure and the bounds, and which bounds hold it there; None if its own is unknown."""
    if own is None:
        return None, []
    least = min(own, *(bound for _, bound in bounds))
    return least, [limit for limit, bound in bounds if bound == least] if least < own else []
