"""The lanes of a CPU: what cards, switches and M.2 drives on it take of what it has."""

from __future__ import annotations

from core.build.seats import UPLINK_LANES, Seat, SlotNumber
from core.language import tr
from core.parts.vocabulary import Attachment, Category
from core.phrasing import enumerated
from core.rules.changes import CPU_FOR_BOARD, OTHER_CPU, OTHER_WIRING, Move, Swap, limits, more
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule

DRIVE_LANES = 4
"""What an M.2 or U.2 drive takes."""


def _budget(read: Reader, machine: RuleContext) -> Answer:
    read(read.board, "slots")
    known = read.all(*((line.part, "pcie_lanes") for line in machine.lines(Category.CPU)))
    lanes = [
        count for count, line in zip(known, machine.lines(Category.CPU), strict=True) for _ in range(line.quantity)
    ]
    used = _lanes_by_cpu(read, machine)
    drives = _m2_lanes(read, machine)
    used[0] = used.get(0, 0) + drives
    most = max(range(len(lanes)), key=lambda cpu: used.get(cpu, 0) - lanes[cpu])
    figures = [tr("{used} of {has} lanes", used=used.get(cpu, 0), has=has) for cpu, has in enumerate(lanes)]
    if len(lanes) == 1:
        told = tr("Cards and M.2 drives on the CPU use {lanes}", lanes=figures[0])
    else:
        each = [tr("{lanes} of CPU {cpu}", lanes=words, cpu=cpu + 1) for cpu, words in enumerate(figures)]
        told = tr("Cards and M.2 drives use {lanes}", lanes=enumerated(each))
    if used.get(most, 0) > lanes[most]:
        if used[most] - drives * (most == 0) <= lanes[most]:
            m2_in_use(read)
        message = tr("{told}: some slots will run narrower than the board's table says.", told=told)
        return Answer(Status.WARN, message, used[most], lanes[most], "lanes")
    return Answer(Status.PASS, tr("{told}.", told=told), used.get(most, 0), lanes[most], "lanes")


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
        return DRIVE_LANES * sum(
            line.quantity for line, form in zip(drives, forms, strict=True) if form.startswith(("M.2", "U.2"))
        )
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
            "gpu.form",
            "motherboard.slots",
            "motherboard.m2",
            "motherboard.lane_cases",
            "cpu.pcie_lanes",
            "storage.form_factor",
            "storage.pcie_generation",
            "storage.pcie_lanes",
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
