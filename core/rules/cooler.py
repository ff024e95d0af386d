"""CPU coolers and water blocks against what they sit on and what stands beside them."""

from __future__ import annotations

from core.parts.part import Part
from core.parts.specs import CpuCoolerSpec, GpuSpec
from core.parts.vocabulary import Category, CoolerKind, Socket
from core.plan.water_blocks import BLOCK_READS
from core.predict.thermal.cpu import resistance_of
from core.rules.case import is_makers
from core.rules.changes import (
    COOLER_FOR_CPU,
    OTHER_COOLER,
    RAM_FOR_BOARD,
    Fewer,
    OneMore,
    Swap,
    at_least,
    limits,
    of_the_same,
)
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule, parts_of
from core.words import listed, tr, trn

SCREWED_ALIKE = frozenset({Socket.TR4, Socket.STRX4, Socket.SWRX8, Socket.SP3})
"""Sockets with threads of their own in the same places (Noctua on sTRX4; heise on sWRX8; AlphaFold issue 485: a cooler
for TR4 on a 3975WX). sTR5 and SP6, SP5, LGA4677 and others stand for themselves: their coolers name them."""
CLIPPED_ALIKE = frozenset({Socket.AM4, Socket.AM5})
"""AM5's backplate stays on the board: coolers that bring their own for AM4 need a kit (Noctua on AM5)."""

STANDARD_RAM_MM = 34.0
"""Modules without a tall heat spreader are 31.25 mm high (JEDEC) and pass under the towers that overhang them."""
WIDE_TOWER_FAN_MM = 140.0
CASE_AIR_C = 35.0
"""Air at the cooler in a case that is well aired."""
USUAL_MAX_C = 95.0
"""Highest core temperature of most processors; AMD and Intel state 85 to 105 °C."""


def _socket(read: Reader, cooler: Part) -> Answer:
    mounts = read(cooler, "sockets")
    for line in read.machine.lines(Category.CPU):
        socket = read(line.part, "socket")
        if socket not in mounts:
            fields = {"cooler": cooler.title, "sockets": listed([*mounts]), "part": line.part.title, "socket": socket}
            names = tr("{cooler} mounts on {sockets}, but {part} is {socket}", **fields)
            if socket in SCREWED_ALIKE and SCREWED_ALIKE.intersection(mounts):
                return Answer(Status.PASS, tr("{names}: the holes are the same, and its own screws fit.", names=names))
            if socket in CLIPPED_ALIKE and CLIPPED_ALIKE.intersection(mounts):
                message = tr("{names}: its holes are the same; ask the maker for the mounting kit.", names=names)
                return Answer(Status.WARN, message)
            return Answer(Status.FAIL, tr("{names}.", names=names))
    return Answer(Status.PASS, tr("{cooler} mounts on the CPU's socket.", cooler=cooler.title))


def _count(read: Reader, machine: RuleContext) -> Answer:
    coolers, cpus = machine.count(Category.CPU_COOLER), machine.count(Category.CPU)
    read.about(*(line.part for line in machine.lines(Category.CPU_COOLER, Category.CPU)))
    message = tr(
        "{coolers} for {cpus}.",
        coolers=trn("{count} CPU cooler", "{count} CPU coolers", count=coolers),
        cpus=trn("{count} CPU", "{count} CPUs", count=cpus),
    )
    return Answer(Status.PASS if coolers >= cpus else Status.WARN, message, coolers, cpus, "coolers")


def _power(read: Reader, cooler: Part) -> Answer:
    cpus = [line.part for line in read.machine.lines(Category.CPU)]
    hottest = max(read.all(*((cpu, "sustained_power_w") for cpu in cpus)))
    rated = read.maybe(cooler, "rated_power_w")
    fields = {"cooler": cooler.title, "rated": rated, "hottest": hottest}
    if rated is not None:
        message = tr("{cooler} is rated for {rated:.0f} W, the CPU may draw {hottest:.0f} W.", **fields)
        return Answer(Status.PASS if rated >= hottest else Status.WARN, message, hottest, rated, "W")
    if read(cooler, "kind") is CoolerKind.BLOCK:
        return Answer(Status.PASS, tr("{cooler} passes the CPU's heat to the loop.", cooler=cooler.title))
    stated = read.maybe(cooler, "thermal_resistance_k_per_w")
    if stated is None and read(cooler, "kind") is CoolerKind.AIO:
        read(cooler, "radiator_mm")
    assert isinstance(cooler.spec, CpuCoolerSpec)
    resistance = resistance_of(cooler.spec)
    assert resistance is not None
    highest = min(read.maybe(cpu, "temperature_max_c") or USUAL_MAX_C for cpu in cpus)
    carries = (highest - CASE_AIR_C) / resistance[0]
    message = tr(
        "The CPU may draw {hottest:.0f} W; coolers like {cooler} dissipate {carries:.0f} W at "
        "best before it reaches {highest:.0f} °C",
        carries=carries,
        highest=highest,
        **fields,
    )
    if hottest > carries:
        return Answer(Status.WARN, tr("{message}: it throttles.", message=message), hottest, carries, "W")
    return Answer(Status.PASS, tr("{message}.", message=message), hottest, carries, "W")


def _block(read: Reader, block: Part) -> Answer:
    machine = read.machine
    read.about(block)
    count = machine.quantity(block)
    products, parts = read.maybe(block, "fits_products"), read.maybe(block, "fits_parts")
    if products is None and parts is None:
        raise read.give_up(block, "fits_products")
    taking = {card.part.id for card in machine.cards if machine.body(card) is block}
    used = sum(machine.blocks_on(part_id) for part_id in taking)
    if used < count:
        own = {gpu.part.spec.product for gpu in machine.lines(Category.GPU) if isinstance(gpu.part.spec, GpuSpec)}
        if parts is None and own and not own.intersection(products):
            fields = {"block": block.title, "products": listed([*products]), "own": listed(sorted(own))}
            message = tr("{block} is made for {products}; the build has {own}.", **fields)
            return Answer(Status.FAIL, message)
        message = trn(
            "{count} water block of {block} fits no card of the build that still has a cooler.",
            "{count} water blocks of {block} fit no card of the build that still has a cooler.",
            count=count - used,
            block=block.title,
        )
        return Answer(Status.WARN, message, used, count, "blocks")
    return Answer(Status.PASS, tr("{block}: every block fits a card.", block=block.title), used, count, "blocks")


def _beside_cooler(read: Reader, cooler: Part) -> Answer:
    machine = read.machine
    if is_makers(read):
        return Answer(Status.PASS, tr("The maker of the system fitted {cooler}.", cooler=cooler.title))
    if read(cooler, "kind") is not CoolerKind.AIR:
        return Answer(Status.PASS, tr("{cooler} does not overhang the RAM.", cooler=cooler.title))
    rows = [line.part for line in machine.lines(Category.RAM)]
    height = max(read.all(*((part, "height_mm") for part in rows)))
    room = read.maybe(cooler, "ram_max_height_mm")
    if height > (room or STANDARD_RAM_MM):
        if room is None:
            read(cooler, "ram_max_height_mm")
        fields = {"height": height, "cooler": cooler.title, "room": room}
        message = tr("The RAM is {height:.0f} mm high; under {cooler} there is room for {room:.0f} mm.", **fields)
        return Answer(Status.WARN, message, height, room, "mm")
    top = [one for one in machine.placed if one.slot == 1 and not one.on_riser and one.part.category is Category.GPU]
    if top and read(cooler, "fan_size_mm") >= WIDE_TOWER_FAN_MM:
        fields = {"cooler": cooler.title, "part": top[0].part.title}
        message = tr("{cooler} is wide and {part} sits in slot 1: compare its overhang with that slot.", **fields)
        return Answer(Status.NOTE, message, slots=(1,))
    message = tr("RAM of {height:.0f} mm fits under {cooler}.", height=height, cooler=cooler.title)
    return Answer(Status.PASS, message, height, room, "mm")


_PAIR = (Category.CPU_COOLER, Category.CPU)

COOLER_RULES = (
    Rule(
        "cooler-socket",
        tr("CPU cooler mount"),
        tr("The cooler's maker lists the CPU's socket, or one with the same mount (TR4, sTRX4, sWRX8, SP3; AM4, AM5)."),
        "the cooler maker's list of sockets; Noctua on sTRX4 and AM5; heise on sWRX8",
        _socket,
        _PAIR,
        subjects=parts_of(Category.CPU_COOLER),
        reads=("cpu_cooler.sockets", "cpu.socket"),
        fixes=(Swap(Category.CPU_COOLER, "radiator_mm", limits(COOLER_FOR_CPU, of_the_same("kind"))), OTHER_COOLER),
    ),
    Rule(
        "cooler-count",
        tr("Number of CPU coolers"),
        tr("One cooler per CPU."),
        "definition",
        _count,
        _PAIR,
        fixes=(OneMore(Category.CPU_COOLER),),
    ),
    Rule(
        "cooler-power",
        tr("CPU cooler capacity"),
        tr(
            "Limit of the CPU <= rated power of the cooler; without a rating, <= (highest core "
            "temperature - 35 °C) / the lowest thermal resistance of coolers of its kind and size."
        ),
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
        tr("Water blocks on cards"),
        tr("A block fits the cards that its maker lists."),
        "the block maker's list of cards",
        _block,
        subjects=parts_of(Category.WATER_BLOCK, nothing=tr("No water block in the build.")),
        reads=("gpu.form", *BLOCK_READS),
        fixes=(Fewer(Category.WATER_BLOCK),),
    ),
    Rule(
        "cooler-neighbours",
        tr("Around the CPU cooler"),
        tr("RAM height <= room under the cooler; modules of standard height (31 mm) always fit."),
        "be quiet!, RAM clearance of its coolers (40 mm and more under the largest); JEDEC module height",
        _beside_cooler,
        (Category.CPU_COOLER, Category.RAM),
        subjects=parts_of(Category.CPU_COOLER),
        confirmed=False,
        reads=(
            *("cpu_cooler.fan_size_mm", "cpu_cooler.kind", "cpu_cooler.ram_max_height_mm"),
            *("ram.height_mm", "gpu.form", "case.kind"),
        ),
        fixes=(Swap(Category.RAM, "height_mm", RAM_FOR_BOARD), OTHER_COOLER),
    ),
)
