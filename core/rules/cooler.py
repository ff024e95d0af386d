"""CPU coolers and water blocks against what they sit on."""

from __future__ import annotations

from core.build.water_blocks import BLOCK_READS
from core.parts.part import Part
from core.parts.specs import CpuCoolerSpec, GpuSpec
from core.parts.vocabulary import Category, CoolerKind, Socket
from core.predict.thermal.cpu import resistance_of
from core.rules.changes import COOLER_FOR_CPU, OTHER_COOLER, Fewer, OneMore, Swap, at_least, limits, of_the_same
from core.rules.context import RuleContext
from core.rules.figure_names import count_of, listed, verb
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, parts_of

SCREWED_ALIKE = frozenset({Socket.TR4, Socket.STRX4, Socket.SWRX8, Socket.SP3})
"""Sockets with threads of their own in the same places (Noctua on sTRX4; heise on sWRX8; AlphaFold issue 485: a cooler
for TR4 on a 3975WX). sTR5 and SP6, SP5, LGA4677 and others stand for themselves: their coolers name them."""
CLIPPED_ALIKE = frozenset({Socket.AM4, Socket.AM5})
"""AM5's backplate stays on the board: coolers that bring their own for AM4 need a kit (Noctua on AM5)."""

CASE_AIR_C = 35.0
"""Air at the cooler in a case that is well aired."""
USUAL_MAX_C = 95.0
"""Highest core temperature of most processors; AMD and Intel state 85 to 105 °C."""


def _socket(read: Reader, cooler: Part) -> Answer:
    mounts = read(cooler, "sockets")
    for line in read.machine.lines(Category.CPU):
        socket = read(line.part, "socket")
        if socket not in mounts:
            names = f"{cooler.title} mounts on {listed([*mounts])}, but {line.part.title} is {socket}"
            if socket in SCREWED_ALIKE and SCREWED_ALIKE.intersection(mounts):
                return Answer(Status.PASS, f"{names}: the holes are the same, and its own screws fit.")
            if socket in CLIPPED_ALIKE and CLIPPED_ALIKE.intersection(mounts):
                return Answer(Status.WARN, f"{names}: its holes are the same, ask the maker for the mounting kit.")
            return Answer(Status.FAIL, f"{names}.")
    return Answer(Status.PASS, f"{cooler.title} mounts on the CPU's socket.")


def _count(read: Reader, machine: RuleContext) -> Answer:
    coolers, cpus = machine.count(Category.CPU_COOLER), machine.count(Category.CPU)
    read.about(*(line.part for line in machine.lines(Category.CPU_COOLER, Category.CPU)))
    message = f"{count_of(coolers, 'CPU cooler')} for {count_of(cpus, 'CPU')}."
    return Answer(Status.PASS if coolers >= cpus else Status.WARN, message, coolers, cpus, "coolers")


def _power(read: Reader, cooler: Part) -> Answer:
    cpus = [line.part for line in read.machine.lines(Category.CPU)]
    hottest = max(read.all(*((cpu, "sustained_power_w") for cpu in cpus)))
    rated = read.maybe(cooler, "rated_power_w")
    if rated is not None:
        message = f"{cooler.title} is rated for {rated:.0f} W, the CPU may draw {hottest:.0f} W."
        return Answer(Status.PASS if rated >= hottest else Status.WARN, message, hottest, rated, "W")
    if read(cooler, "kind") is CoolerKind.BLOCK:
        return Answer(Status.PASS, f"{cooler.title} gives the CPU's heat to the loop.")
    stated = read.maybe(cooler, "thermal_resistance_k_per_w")
    if stated is None and read(cooler, "kind") is CoolerKind.AIO:
        read(cooler, "radiator_mm")
    assert isinstance(cooler.spec, CpuCoolerSpec)
    resistance = resistance_of(cooler.spec)
    assert resistance is not None
    highest = min(read.maybe(cpu, "temperature_max_c") or USUAL_MAX_C for cpu in cpus)
    carries = (highest - CASE_AIR_C) / resistance[0]
    message = (
        f"The CPU may draw {hottest:.0f} W; coolers like {cooler.title} carry off {carries:.0f} W at best before it "
        f"reaches {highest:.0f} °C"
    )
    if hottest > carries:
        return Answer(Status.WARN, f"{message}: it throttles.", hottest, carries, "W")
    return Answer(Status.PASS, f"{message}.", hottest, carries, "W")


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
        own = {gpu.part.spec.product for gpu in machine.lines(Category.GPU) if isinstance(gpu.part.spec, GpuSpec)}
        if parts is None and own and not own.intersection(products):
            message = f"{block.title} is made for {listed([*products])}; the build has {listed(sorted(own))}."
            return Answer(Status.FAIL, message)
        left = count - used
        blocks = f"{count_of(left, 'water block')} of {block.title} {verb(left, 'fit')}"
        message = f"{blocks} no card of the build that still has a cooler."
        return Answer(Status.WARN, message, used, count, "blocks")
    return Answer(Status.PASS, f"{block.title}: every block fits a card.", used, count, "blocks")


def _takes(machine: RuleContext, card: Part, block: Part) -> bool:
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
        fixes=(Swap(Category.CPU_COOLER, "radiator_mm", limits(COOLER_FOR_CPU, of_the_same("kind"))), OTHER_COOLER),
    ),
    Rule(
        "cooler-count",
        "Number of CPU coolers",
        "One cooler per CPU.",
        "definition",
        _count,
        _PAIR,
        fixes=(OneMore(Category.CPU_COOLER),),
    ),
    Rule(
        "cooler-power",
        "CPU cooler for the CPU's power",
        "Limit of the CPU <= rated power of the cooler; without a rating, <= (highest core temperature - 35 °C) / the "
        "least thermal resistance of coolers of its kind and size.",
        "the cooler maker's rating; reviews of TR4 and SP3 towers (0.12 to 0.16 K/W), 360 mm loops (0.09 to 0.11 K/W)",
        _power,
        _PAIR,
        subjects=parts_of(Category.CPU_COOLER),
        confirmed=False,
        gravest=Status.WARN,
        reads=(
            *("cpu_cooler.rated_power_w", "cpu_cooler.kind", "cpu_cooler.radiator_mm", "cpu.sustained_power_w"),
            *("cpu_cooler.thermal_resistance_k_per_w", "cpu.temperature_max_c"),
        ),
        fixes=(Swap(Category.CPU_COOLER, "rated_power_w", limits(COOLER_FOR_CPU, at_least("rated_power_w"))),),
    ),
    Rule(
        "water-block",
        "Water blocks on cards",
        "A block fits the cards that its maker lists.",
        "the block maker's list of cards",
        _block,
        subjects=parts_of(Category.WATER_BLOCK),
        nothing="No water block in the build.",
        reads=("gpu.form", *BLOCK_READS),
        fixes=(Fewer(Category.WATER_BLOCK),),
    ),
)
