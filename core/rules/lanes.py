"""Lanes of CPUs and slots: what a CPU has for all, and slots that the board must split."""

from __future__ import annotations

from collections.abc import Iterable

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Attachment, Category
from core.plan.line import Card
from core.plan.placement.links import LINK_READS
from core.plan.placement.risers import key_of
from core.plan.seats import UPLINK_LANES, Seat, SlotNumber
from core.rules.changes import CPU_FOR_BOARD, OTHER_BOARD, OTHER_CPU, OTHER_WIRING, Move, Swap, limits, more
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, EqualCards, Reader, Rule, Subjects, equal_cards
from core.rules.slots import slot_under
from core.words import enumerated, tr

DRIVE_LANES = 4
"""What an M.2 or U.2 drive takes."""


def _budget(read: Reader, machine: RuleContext) -> Answer:
    read(read.board, "slots")
    lanes_by_kind = read.each(Category.CPU, "pcie_lanes")
    cpus = machine.lines(Category.CPU)
    lanes = [count for count, line in zip(lanes_by_kind, cpus, strict=True) for _ in range(line.quantity)]
    used = _lanes_by_cpu(read, machine)
    drives = _m2_lanes(read, machine)
    used[0] = used.get(0, 0) + drives
    most = max(range(len(lanes)), key=lambda cpu: used.get(cpu, 0) - lanes[cpu])
    figures = [tr("{used} of {has} lanes", used=used.get(cpu, 0), has=has) for cpu, has in enumerate(lanes)]
    if len(lanes) == 1:
        usage = tr("Cards and M.2 drives on the CPU use {lanes}", lanes=figures[0])
    else:
        each = [tr("{lanes} of CPU {cpu}", lanes=words, cpu=cpu + 1) for cpu, words in enumerate(figures)]
        usage = tr("Cards and M.2 drives use {lanes}", lanes=enumerated(each))
    if used.get(most, 0) > lanes[most]:
        if used[most] - drives * (most == 0) <= lanes[most]:
            m2_in_use(read)
        message = tr("{told}: some slots will run narrower than the board's table says.", told=usage)
        return Answer(Status.WARN, message, used[most], lanes[most], "lanes")
    return Answer(Status.PASS, tr("{told}.", told=usage), used.get(most, 0), lanes[most], "lanes")


def _lanes_by_cpu(read: Reader, machine: RuleContext) -> dict[int, int]:
    """Lanes in use by CPU: cards' slots, one uplink per switch."""
    slots = {slot.position: slot for card in machine.placed if (slot := machine.slot_of(card))}
    if any(slot.attachment is None for slot in slots.values()):
        raise read.give_up(read.board, "slots")
    population = machine.population
    widths = population.widths(slots)
    used: dict[int, int] = {}
    slots = {position: slot for position, slot in slots.items() if not isinstance(slot, Seat)}
    slots |= {at: machine.slots[at] for at in population.carried if SlotNumber(at).carrier is None}
    for position, slot in slots.items():
        if slot.attachment is Attachment.CPU:
            used[slot.cpu] = used.get(slot.cpu, 0) + widths[position].lanes
    for cpu, _ in {(slot.cpu, slot.switch) for slot in slots.values() if slot.attachment is Attachment.SWITCH}:
        used[cpu] = used.get(cpu, 0) + UPLINK_LANES[Attachment.SWITCH]
    return used


def _m2_lanes(read: Reader, machine: RuleContext) -> int:
    """Lanes of the M.2 and U.2 drives on the CPU; where the board's sockets are unknown, as if all were on it."""
    if not machine.lines(Category.STORAGE):
        return 0
    drives = machine.lines(Category.STORAGE)
    forms = read.all(*((line.part, "form_factor") for line in drives))
    sockets = read.maybe(read.board, "m2")
    if sockets is None:
        of_form = zip(drives, forms, strict=True)
        return DRIVE_LANES * sum(line.quantity for line, form in of_form if form.startswith(("M.2", "U.2")))
    used = machine.population.sockets
    return sum(s.lanes for s in sockets if s.label in used and s.attachment is Attachment.CPU)


def m2_in_use(read: Reader) -> None:
    """Which sockets are taken depends on the drives' form factors and the board's sockets."""
    drives = [line.part for line in read.machine.lines(Category.STORAGE)]
    if drives:
        read.all(*((drive, "form_factor") for drive in drives), (read.board, "m2"))


CPU_LANE_RULES = (
    Rule(
        "cpu-lanes",
        tr("CPU PCIe lanes"),
        tr("Lanes of filled CPU slots + 16 per switch + M.2 on the CPU <= lanes of each CPU."),
        "the CPU's data sheet",
        _budget,
        (Category.MOTHERBOARD, Category.CPU),
        gravest=Status.WARN,
        reads=(
            *("gpu.form", "motherboard.slots", "motherboard.m2", "motherboard.lane_cases", "cpu.pcie_lanes"),
            *("storage.form_factor", "storage.pcie_generation", "storage.pcie_lanes"),
        ),
        fixes=(
            Move.ARRANGE,
            Swap(Category.CPU, "pcie_lanes", limits(CPU_FOR_BOARD, more("pcie_lanes"))),
            OTHER_CPU,
            *OTHER_WIRING,
            Move.FEWER_CARDS,
        ),
    ),
)


def _among_chips(read: Reader, group: EqualCards) -> Answer:
    card = group.part
    chips = _chips(card.spec)
    at = group.slots
    if not read(card, "needs_bifurcation"):
        return Answer(Status.PASS, tr("{cards}: a switch on the card links its chips.", cards=group.name), slots=at)
    board, slot = slot_under(read, group.cards[0])
    own = read(card, "pcie_lanes")
    way = "/".join([f"x{own // chips}"] * chips)
    fields = {"cards": group.name, "chips": chips, "way": way}
    needed = tr("{cards}: {chips} chips without a switch, the slot must be split {way}", **fields)
    got = read.machine.links[key_of(group.cards[0])].lanes
    if got is not None and got <= own * (chips - 1) // chips:
        message = tr("{needed}. With {lanes} lanes in this build the last chip has no link.", needed=needed, lanes=got)
        return Answer(Status.FAIL, message, got, own, "lanes", at)
    if not slot.bifurcation:
        raise read.give_up(board, "slots")
    offers = tr("{needed}; {board} offers {ways}", needed=needed, board=board.title, ways=", ".join(slot.bifurcation))
    if not any(len(offer.split("/")) >= chips for offer in slot.bifurcation):
        return Answer(Status.FAIL, tr("{offers}.", offers=offers), slots=at)
    return Answer(Status.PASS, tr("{offers}: set it in the firmware.", offers=offers), slots=at)


def _chips(spec: object) -> int:
    return spec.chips if isinstance(spec, GpuSpec) else 1


def _of_several_chips(machine: RuleContext) -> Iterable[EqualCards]:
    def kind(card: Card) -> object:
        slot, link = machine.slot_of(card), machine.links.get(key_of(card))
        return slot and slot.bifurcation, link and link.lanes

    if all(_chips(line.part.spec) == 1 for line in machine.lines(Category.GPU)):
        return ()
    return (group for group in equal_cards(machine, kind) if _chips(group.part.spec) > 1)


def _among_cards(read: Reader, cards: tuple[Card, ...]) -> Answer:
    read(read.board, "slots")
    slot = read.machine.slot_of(cards[0])
    if slot is None:
        raise read.give_up(read.board, "slots")
    read.about(*(card.part for card in cards))
    each = "x8" if len(cards) == 2 else "x4"
    fields = {"number": len(cards), "slot": slot.position, "each": each}
    words = tr("{number} cards share slot {slot}, which must be split into {each} links", **fields)
    at = (slot.position,)
    if not slot.bifurcation:
        raise read.give_up(read.board, "slots")
    if any(len(way.split("/")) >= len(cards) for way in slot.bifurcation):
        message = tr("{words}: set it in the firmware; the riser must split it, too.", words=words)
        return Answer(Status.NOTE, message, slots=at)
    message = tr("{words}: the board offers {ways}.", words=words, ways=", ".join(slot.bifurcation))
    return Answer(Status.FAIL, message, slots=at)


def _sharing(machine: RuleContext) -> Iterable[tuple[Card, ...]]:
    """Cards that share one slot."""
    shared: dict[int | None, list[Card]] = {}
    for card in machine.placed:
        if card.on_riser:
            shared.setdefault(card.slot, []).append(card)
    return (tuple(cards) for cards in shared.values() if len(cards) > 1)


BIFURCATION_RULES = (
    Rule(
        "bifurcation",
        tr("Slot bifurcation"),
        tr("Several cards on one slot need a board that splits it (x8/x8, x4/x4/x4/x4) and a riser that does."),
        "peine-braun and maxcloudon on bifurcation",
        _among_cards,
        (Category.MOTHERBOARD,),
        subjects=Subjects(_sharing, tr("No two cards share a slot.")),
        reads=("gpu.form", "motherboard.slots"),
        fixes=(Move.OFF_RISERS, Move.ARRANGE, OTHER_BOARD, Move.FEWER_CARDS),
    ),
    Rule(
        "chip-bifurcation",
        tr("Slot of a card with several chips"),
        tr("Chips without a switch on their card each take a part of the slot: the board must split it (x8/x8)."),
        "ASRock and Maxsun, Arc Pro B60 Dual: PCIe 5.0 x16 slot with x8/x8 bifurcation required",
        _among_chips,
        (Category.MOTHERBOARD, Category.GPU),
        subjects=Subjects(_of_several_chips, tr("No card with several chips in a slot.")),
        reads=("gpu.chips", "gpu.needs_bifurcation", *LINK_READS),
        fixes=(Move.ARRANGE, OTHER_BOARD, Move.FEWER_CARDS),
    ),
)
