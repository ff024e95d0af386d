"""PCIe: what link each card gets in its slot, what feeds it, and what is lost."""

from __future__ import annotations

from core.build.build import Card
from core.parts.part import Part
from core.parts.specs import MotherboardSpec, Slot
from core.parts.vocabulary import Attachment, Category
from core.placement.links import link_gbps
from core.placement.population import Population, used_m2
from core.placement.risers import key_of
from core.placement.topology import UPLINK_LANES
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, parts_of, placed_cards
from core.rules.slots import slot_under
from core.rules.words import count_of, verb

LITTLE_GPUS = 3
"""On up to three GPUs four lanes each are enough for most training (T. Dettmers)."""


def _link(read: Reader, card: Card) -> Answer:
    _, slot = slot_under(read, card)
    lanes, generation = read.all((card.part, "pcie_lanes"), (card.part, "pcie_generation"))
    _population_figures(read)
    _cpu_generation(read, slot)
    link = read.machine.links[key_of(card)]
    name = f"{card.part.title} in slot {slot.position}"
    if not link.lanes or link.generation is None:
        message = f"{name}: this slot is switched off with the other slots and M.2 sockets in use."
        return Answer(Status.FAIL, message, 0, lanes, "lanes", (slot.position,))
    got, best = link_gbps(link.generation, link.lanes), link_gbps(generation, lanes)
    words = f"Gen{link.generation} x{link.lanes}, {got:.1f} GB/s each way"
    share = got / best
    if share > 0.99:
        return Answer(Status.PASS, f"{name} has its full link: {words}.", got, best, "GB/s", (slot.position,))
    message = (
        f"{name} runs at {words}, {100 * share:.0f} % of its own Gen{generation} x{lanes}: transfers take "
        f"{1 / share:.1f} times as long, work that stays on the card loses nothing."
    )
    return Answer(_link_status(read, link.lanes, share), message, got, best, "GB/s", (slot.position,))


def _link_status(read: Reader, lanes: int, share: float) -> Status:
    """Half the bandwidth costs little; a quarter matters where many GPUs exchange gradients."""
    many = read.machine.count(Category.GPU) > LITTLE_GPUS
    if lanes < 4 or share < 0.12:
        return Status.WARN
    return Status.WARN if many and lanes < 8 else Status.NOTE


def _population_figures(read: Reader) -> None:
    """Reads what the widths of a board with a population table depend on."""
    spec = read.board.spec
    assert isinstance(spec, MotherboardSpec)
    if any(row.cpu_lanes is not None for row in spec.lane_cases):
        read.all(*((line.part, "pcie_lanes") for line in read.machine.lines(Category.CPU)))
    if spec.lane_cases:
        _m2_in_use(read)


def _cpu_generation(read: Reader, slot: Slot) -> None:
    if slot.attachment is not Attachment.CHIPSET:
        for line in read.machine.lines(Category.CPU):
            read.maybe(line.part, "pcie_generation")


def _attachment(read: Reader, card: Card) -> Answer:
    board, slot = slot_under(read, card)
    read.about(card.part)
    name = f"{card.part.title} in slot {slot.position}"
    at = (slot.position,)
    if slot.attachment is None:
        raise read.give_up(board, "slots")
    if slot.cpu >= max(1, read.machine.count(Category.CPU)):
        message = f"{name}: this slot belongs to CPU {slot.cpu + 1}, which the build does not have."
        return Answer(Status.FAIL, message, slots=at)
    if slot.attachment is Attachment.CHIPSET:
        message = f"{name} hangs on the chipset and shares its link to the CPU with drives and network."
        status = Status.WARN if card.part.category is Category.GPU else Status.NOTE
        return Answer(status, message, slots=at)
    if slot.attachment is Attachment.SWITCH:
        sharing = [c for c in read.machine.placed if _switch_of(read.machine, c) == slot.switch]
        others = len(sharing) - 1
        if not others:
            return Answer(Status.PASS, f"{name} has the uplink of switch {slot.switch} for itself.", slots=at)
        message = f"{name} shares the uplink of switch {slot.switch} with {count_of(others, 'other card')}."
        return Answer(Status.NOTE, message, others + 1, unit="cards", slots=at)
    return Answer(Status.PASS, f"{name} hangs on the CPU.", slots=at)


def _switch_of(machine: Machine, card: Card) -> str | None:
    slot = machine.slot_of(card)
    return slot.switch if slot and slot.attachment is Attachment.SWITCH else None


def _budget(read: Reader, machine: Machine) -> Answer:
    lines = machine.lines(Category.CPU)
    read(read.board, "slots")
    lanes = sum(n * line.quantity for n, line in zip(_lanes(read), lines, strict=True))
    used = _slot_lanes(read, machine) + _m2_lanes(read, machine)
    message = f"Cards and M.2 drives on the CPU use {used} of {lanes} lanes."
    if used > lanes:
        message = f"{message[:-1]}: some slots will run narrower than the board's table says."
        return Answer(Status.WARN, message, used, lanes, "lanes")
    return Answer(Status.PASS, message, used, lanes, "lanes")


def _lanes(read: Reader) -> list[int]:
    return read.all(*((line.part, "pcie_lanes") for line in read.machine.lines(Category.CPU)))


def _slot_lanes(read: Reader, machine: Machine) -> int:
    slots = {slot.label: slot for card in machine.placed if (slot := machine.slot_of(card))}.values()
    if any(slot.attachment is None for slot in slots):
        raise read.give_up(read.board, "slots")
    switches = {slot.switch for slot in slots if slot.attachment is Attachment.SWITCH}
    widths = Population(machine.build).widths(slot.position for slot in slots)
    on_cpu = sum(widths[slot.position].lanes for slot in slots if slot.attachment is Attachment.CPU)
    return on_cpu + UPLINK_LANES * len(switches)


def _m2_lanes(read: Reader, machine: Machine) -> int:
    _m2_in_use(read)
    if not machine.lines(Category.STORAGE):
        return 0
    sockets = read(read.board, "m2")
    used = used_m2(machine.build)
    return sum(s.lanes for s in sockets if s.label in used and s.attachment is Attachment.CPU)


def _m2_in_use(read: Reader) -> None:
    """Which sockets are taken depends on the drives' form factors and the board's sockets."""
    drives = [line.part for line in read.machine.lines(Category.STORAGE)]
    if drives:
        read.all(*((drive, "form_factor") for drive in drives), (read.board, "m2"))


def _bridge(read: Reader, bridge: Part) -> Answer:
    wanted = read.machine.quantity(bridge)
    spacing, products = read.all((bridge, "spacing_slots"), (bridge, "fits_products"))
    found = 0
    for product in products:
        alike = [card for card in read.machine.placed if getattr(card.part.spec, "product", None) == product]
        read.about(*(card.part for card in alike))
        found += _pairs(alike, spacing)
    if found < wanted:
        apart = f"{count_of(found, 'pair')} of {' or '.join(products)} {verb(found, 'sit')} {spacing} slots apart"
        return Answer(Status.FAIL, f"{bridge.title}: {wanted} in the build, but {apart}.", found, wanted, "pairs")
    return Answer(Status.PASS, f"Every {bridge.title} joins two cards at its spacing.", found, wanted, "pairs")


def _pairs(cards: list[Card], spacing: int) -> int:
    left = sorted(card.slot for card in cards if card.slot is not None)
    found = 0
    while left:
        first = left.pop(0)
        if first + spacing in left:
            left.remove(first + spacing)
            found += 1
    return found


_BOARD = (Category.MOTHERBOARD,)
_NO_CARD = "No card sits in a slot of the board."

LINK_RULES = (
    Rule(
        "pcie-link",
        "PCIe link",
        "min(generation) and min(width) of card, slot in this population, and CPU; GT/s x lanes x coding / 8.",
        "PCIe base specification; the board's population table",
        _link,
        _BOARD,
        subjects=placed_cards,
        nothing=_NO_CARD,
    ),
    Rule(
        "pcie-attachment",
        "What the slot hangs on",
        "Cards on the chipset or on one switch share an uplink; slots of an absent CPU are dead.",
        "the board's block diagram; club-3090 measurements (13.2 against 6.5 GB/s at equal reported links)",
        _attachment,
        _BOARD,
        subjects=placed_cards,
        nothing=_NO_CARD,
    ),
    Rule(
        "cpu-lanes",
        "PCIe lanes of the CPU",
        "Lanes of filled CPU slots + 16 per switch + M.2 on the CPU <= lanes of the CPUs.",
        "the CPU's data sheet",
        _budget,
        (Category.MOTHERBOARD, Category.CPU),
    ),
    Rule(
        "nvlink-bridge",
        "NVLink bridges",
        "A bridge joins two cards of one product whose slots are exactly its spacing apart.",
        "Puget Systems, NVLink on RTX 3090 and RTX A6000",
        _bridge,
        subjects=parts_of(Category.NVLINK_BRIDGE),
        nothing="No NVLink bridge in the build.",
    ),
)
