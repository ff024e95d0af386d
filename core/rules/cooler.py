"""CPU coolers and water blocks against what they sit on."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.vocabulary import Category, Socket
from core.rules.finding import Status
from core.rules.machine import Machine
from core.rules.reader import Reader
from core.rules.reads import BLOCK_READS
from core.rules.rule import Answer, Rule, parts_of
from core.rules.words import count_of, listed, verb

KIN: tuple[frozenset[Socket], ...] = (
    frozenset({Socket.TR4, Socket.STRX4, Socket.SWRX8, Socket.SP3}),
    frozenset({Socket.AM4, Socket.AM5}),
)
"""Sockets whose coolers mount alike (Noctua on sTRX4 and AM5; heise on sWRX8). sTR5 and SP6, SP5, LGA4677 and others
stand for themselves: their coolers name them."""


def _socket(read: Reader, cooler: Part) -> Answer:
    mounts = read(cooler, "sockets")
    for line in read.machine.lines(Category.CPU):
        socket = read(line.part, "socket")
        if socket not in mounts:
            names = f"{cooler.title} mounts on {listed([*mounts])}, but {line.part.title} is {socket}"
            if any(socket in kin and kin.intersection(mounts) for kin in KIN):
                return Answer(Status.WARN, f"{names}: its holes are the same, ask the maker for the mounting kit.")
            return Answer(Status.FAIL, f"{names}.")
    return Answer(Status.PASS, f"{cooler.title} mounts on the CPU's socket.")


def _count(read: Reader, machine: Machine) -> Answer:
    coolers, cpus = machine.count(Category.CPU_COOLER), machine.count(Category.CPU)
    read.about(*(line.part for line in machine.lines(Category.CPU_COOLER, Category.CPU)))
    message = f"{count_of(coolers, 'CPU cooler')} for {count_of(cpus, 'CPU')}."
    return Answer(Status.PASS if coolers >= cpus else Status.WARN, message, coolers, cpus, "coolers")


def _power(read: Reader, cooler: Part) -> Answer:
    rated = read(cooler, "rated_power_w")
    cpus = read.machine.lines(Category.CPU)
    hottest = max(read(line.part, "max_power_w") for line in cpus)
    message = f"{cooler.title} is rated for {rated:.0f} W, the CPU may draw {hottest:.0f} W."
    return Answer(Status.PASS if rated >= hottest else Status.WARN, message, hottest, rated, "W")


def _block(read: Reader, block: Part) -> Answer:
    machine = read.machine
    read.about(block)
    count = machine.quantity(block)
    products, parts = read.maybe(block, "fits_products"), read.maybe(block, "fits_parts")
    if products is None and parts is None:
        raise read.give_up(block, "fits_products")
    used = sum(
        machine.blocks_on(gpu.part.id) for gpu in machine.lines(Category.GPU) if _takes(machine, gpu.part, block)
    )
    if used < count:
        left = count - used
        blocks = f"{count_of(left, 'water block')} of {block.title} {verb(left, 'fit')}"
        message = f"{blocks} no card of the build that still has a cooler."
        return Answer(Status.WARN, message, used, count, "blocks")
    return Answer(Status.PASS, f"{block.title}: every block fits a card.", used, count, "blocks")


def _takes(machine: Machine, card: Part, block: Part) -> bool:
    return any(machine.body(c) is block for c in machine.cards if c.part is card)


_PAIR = (Category.CPU_COOLER, Category.CPU)

COOLER_RULES = (
    Rule(
        "cooler-socket",
        "CPU cooler mount",
        "The cooler's maker lists the CPU's socket, or one that mounts alike (TR4, sTRX4, sWRX8, SP3; AM4, AM5).",
        "the cooler maker's list of sockets; Noctua on sTRX4 and AM5; heise on sWRX8",
        _socket,
        _PAIR,
        subjects=parts_of(Category.CPU_COOLER),
        reads=("cpu_cooler.sockets", "cpu.socket"),
    ),
    Rule("cooler-count", "Number of CPU coolers", "One cooler per CPU.", "definition", _count, _PAIR),
    Rule(
        "cooler-power",
        "CPU cooler rating",
        "Rated power of the cooler >= sustained limit of the CPU.",
        "the cooler maker's rating; makers rate differently, not confirmed",
        _power,
        _PAIR,
        subjects=parts_of(Category.CPU_COOLER),
        confirmed=False,
        reads=("cpu_cooler.rated_power_w", "cpu.max_power_w"),
    ),
    Rule(
        "water-block",
        "Water blocks on cards",
        "A block fits the cards that its maker lists.",
        "the block maker's list of cards",
        _block,
        subjects=parts_of(Category.WATER_BLOCK),
        nothing="No water block in the build.",
        gravest=Status.WARN,
        reads=("gpu.form", *BLOCK_READS),
    ),
)
