"""Processor and board: socket, number, power, age, and cores for the GPUs."""

from __future__ import annotations

from math import ceil

from core.parts.part import Part
from core.parts.query import Filter
from core.parts.vocabulary import Category, CoolerKind
from core.plan.build import Build
from core.plan.line import ROLE_READS, Line
from core.plan.wiring.wire import fed_by_chassis
from core.predict.components import CONNECTOR_W
from core.predict.speed.host import decoded_images
from core.rules.changes import CPU_FOR_BOARD, OTHER_BOARD, OTHER_CPU, Fewer, Move, Swap, limits, more
from core.rules.context import RuleContext
from core.rules.finding import Finding, Status
from core.rules.rule import AT_WORK, Answer, Reader, Rule, parts_of
from core.words import tr, trn

CORES_PER_GPU, FEW_CORES_PER_GPU = 4, 2
"""What is recommended, and half of it: with fewer still, preparing data is likely to hold the cards up."""
SLOW_MHZ = 3500.0
"""Below it a single thread that feeds the cards is slow; a buyer's guideline."""
PRO_CHIPSET = "WRX90"
"""The chipset of socket sTR5 whose boards start with Threadripper PRO only."""
PRO_CHANNELS = 8
"""Memory channels of a Threadripper PRO; the models without PRO have four."""
NOT_ON_CHIPSET = {
    **dict.fromkeys(
        ("H110", "B150", "Q150", "H170", "Q170", "Z170", "B250", "Q250", "H270", "Q270", "Z270", "C232", "C236"),
        frozenset({"Coffee Lake", "Coffee Lake Refresh"}),
    ),
    **dict.fromkeys(
        ("H310", "B360", "B365", "H370", "Q370", "Z370", "Z390", "C242", "C246"), frozenset({"Skylake", "Kaby Lake"})
    ),
}
"""By chipset: generations of CPUs that go into its boards' socket and do not start there."""
HOT_CPU_W = 280.0
"""From here on a board's voltage regulators want moving air of their own; general knowledge."""


def _socket(read: Reader, cpu: Part) -> Answer:
    board = read.board
    own, offered = read.all((cpu, "socket"), (board, "socket"))
    fields = {"cpu": cpu.title, "own": own, "board": board.title, "offered": offered}
    if own is not offered:
        return Answer(Status.FAIL, tr("{cpu} needs socket {own}, but {board} has {offered}.", **fields))
    chipset, channels = read.maybe(board, "chipset"), read.maybe(cpu, "ram_channels")
    if chipset == PRO_CHIPSET and channels is not None and channels < PRO_CHANNELS:
        message = tr(
            "{cpu} has {channels} memory channels; {chipset} of {board} takes only PRO models, with 8.",
            channels=channels,
            chipset=chipset,
            **fields,
        )
        return Answer(Status.FAIL, message, channels, PRO_CHANNELS, "channels")
    if chipset in NOT_ON_CHIPSET and (architecture := read.maybe(cpu, "architecture")) in NOT_ON_CHIPSET[chipset]:
        message = tr(
            "{cpu} fits the socket, but {chipset} of {board} does not start {architecture} CPUs.",
            chipset=chipset,
            architecture=architecture,
            **fields,
        )
        return Answer(Status.FAIL, message)
    return Answer(Status.PASS, tr("{cpu} and {board} share the socket {own}.", **fields))


def _count(read: Reader, machine: RuleContext) -> Answer:
    count = machine.count(Category.CPU)
    board = read.board
    sockets = read(board, "cpu_sockets")
    read.about(*(line.part for line in machine.lines(Category.CPU)))
    cpus = trn("{count} CPU", "{count} CPUs", count=count)
    places = trn("{count} CPU socket", "{count} CPU sockets", count=sockets)
    if count > sockets:
        message = tr("{cpus}, but {board} has {places}.", cpus=cpus, board=board.title, places=places)
        return Answer(Status.FAIL, message, count, sockets, "CPUs")
    if count < sockets:
        fields = {"cpus": cpus, "places": places, "board": board.title}
        message = tr("{cpus} in {places} of {board}: the PCIe and RAM slots of the empty one are dead.", **fields)
        return Answer(Status.NOTE, message, count, sockets, "CPUs")
    message = tr("{cpus} in {places} of {board}.", cpus=cpus, places=places, board=board.title)
    return Answer(Status.PASS, message, count, sockets, "CPUs")


def _together(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.CPU)
    count = machine.count(Category.CPU)
    read.about(*(line.part for line in lines))
    if count == 1:
        return Answer(Status.PASS, tr("{part} is the only CPU.", part=lines[0].part.title), 1, unit="CPUs")
    allowed = min(read.each(Category.CPU, "max_sockets"))
    if allowed < count:
        fields = {"number": count, "allowed": allowed}
        message = tr("{number} CPUs together, but the most limited model supports at most {allowed}.", **fields)
        return Answer(Status.FAIL, message, count, allowed, "CPUs")
    if len(lines) > 1:
        message = tr("Different CPUs in one machine: makers ask for identical ones.")
        return Answer(Status.WARN, message, count, allowed, "CPUs")
    message = tr("{part} supports machines with {allowed} CPUs.", part=lines[0].part.title, allowed=allowed)
    return Answer(Status.PASS, message, count, allowed, "CPUs")


def _cores(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.CPU)
    gpus = machine.worker_count
    cores = read.sum_of(Category.CPU, "cores")
    recommended = CORES_PER_GPU * gpus
    have = tr(
        "{cores} for {gpus}",
        cores=trn("{count} core", "{count} cores", count=cores),
        gpus=trn("{count} GPU", "{count} GPUs", count=gpus),
    )
    if cores < recommended:
        decoders = ((read(one.part, "cores"), read.maybe(one.part, "boost_clock_mhz"), one.quantity) for one in lines)
        fed = decoded_images(decoders)
        fields = {"have": have, "each": CORES_PER_GPU, "images": fed[1] if fed else 0.0}
        message = tr(
            "{have}; {each} each is the rule of thumb. They decode about {images:,.0f} images/s: image networks may "
            "wait for them, language models hardly.",
            **fields,
        )
        few = Status.NOTE if cores < FEW_CORES_PER_GPU * gpus else Status.PASS
        status = Status.WARN if cores < gpus else few
        return Answer(status, message, cores, recommended, "cores")
    boost = max(read.each(Category.CPU, "boost_clock_mhz"))
    if boost < SLOW_MHZ:
        fields = {"have": have, "boost": boost / 1000}
        message = tr(
            "{have}, but they clock no higher than {boost:.1f} GHz: one slow thread can slow a card down.", **fields
        )
        return Answer(Status.PASS, message, boost, SLOW_MHZ, "MHz")
    message = tr("{have}, up to {boost:.1f} GHz.", have=have, boost=boost / 1000)
    return Answer(Status.PASS, message, cores, recommended, "cores")


def _power(read: Reader, cpu: Part) -> Answer:
    board, machine = read.board, read.machine
    for line in machine.lines(Category.PSU):
        read.maybe(line.part, "cables")
    if fed_by_chassis(machine.build):
        read.about(board, cpu)
        return Answer(Status.PASS, tr("{board} is fed by its chassis, which is made for such CPUs.", board=board.title))
    limit, inputs, sockets = read.all((cpu, "sustained_power_w"), (board, "power_inputs"), (board, "cpu_sockets"))
    room = sum(CONNECTOR_W.get(row.kind, 0.0) * row.count for row in inputs if row.kind.startswith("eps_")) / sockets
    needs = tr("{cpu} may draw {limit:.0f} W", cpu=cpu.title, limit=limit)
    if not room:
        message = tr("{needs}; {board} is fed by its chassis, without EPS plugs.", needs=needs, board=board.title)
        return Answer(Status.PASS, message, limit, unit="W")
    fields = {"needs": needs, "board": board.title, "room": room}
    if limit > room:
        message = tr("{needs}; the EPS inputs of {board} are good for about {room:.0f} W per CPU.", **fields)
        return Answer(Status.WARN, message, limit, room, "W")
    coolers = [line.part for line in machine.lines(Category.CPU_COOLER)]
    if limit >= HOT_CPU_W and coolers and all(read.maybe(part, "kind") is not CoolerKind.AIR for part in coolers):
        message = tr(
            "{needs} and is cooled by water: a fan must blow over the board's voltage regulators.", needs=needs
        )
        return Answer(Status.NOTE, message, limit, room, "W")
    message = tr("{needs}; the EPS inputs of {board} are good for about {room:.0f} W per CPU.", **fields)
    return Answer(Status.PASS, message, limit, room, "W")


def _bios(read: Reader, cpu: Part) -> Answer:
    board = read.board
    read.about(board, cpu)
    if board.year is None or cpu.year is None:
        unknown = board if board.year is None else cpu
        message = tr(
            "The year of {unknown} is not known: the board's CPU support list tells which BIOS they need.",
            unknown=unknown.title,
        )
        return Answer(Status.PASS, message)
    if read.maybe(board, "bmc"):
        message = tr(
            "{board} can be flashed through its management controller, whatever CPU is installed.", board=board.title
        )
        return Answer(Status.PASS, message)
    fields = {"cpu": cpu.title, "year": cpu.year, "board": board.title, "board_year": board.year}
    if cpu.year > board.year:
        message = tr(
            "{cpu} ({year}) is newer than {board} ({board_year}): it may need a newer BIOS, and a "
            "board without flashback an older CPU to install it.",
            **fields,
        )
        return Answer(Status.NOTE, message)
    return Answer(Status.PASS, tr("{board} ({board_year}) is no older than {cpu} ({year}).", **fields))


_BOTH = (Category.CPU, Category.MOTHERBOARD)


def _few_no_more(build: Build, _: Finding, line: Line) -> tuple[Filter, ...]:
    """CPUs of which as many as there are have the cores that nobody takes for few."""
    return (Filter("cores", low=ceil(FEW_CORES_PER_GPU * build.worker_count / line.quantity)),)


ENOUGH_CORES = Swap(Category.CPU, "cores", limits(CPU_FOR_BOARD, _few_no_more))

CPU_RULES = (
    Rule(
        "cpu-socket",
        tr("CPU socket"),
        tr(
            "A CPU fits the socket of its own name only, even where another is mechanically alike (TR4, sTRX4, SP3); "
            "WRX90 takes Threadripper PRO only, and boards of socket LGA1151 take the generations of their chipset."
        ),
        "socket definitions of AMD and Intel; the parts' data sheets; ocworks, choosing a board for sTR5; Tom's "
        "Hardware, Coffee Lake will not run in Z270 boards; digiworthy, Kaby Lake on Z370 tested",
        _socket,
        _BOTH,
        subjects=parts_of(Category.CPU),
        reads=("cpu.architecture", "cpu.ram_channels", "cpu.socket", "motherboard.chipset", "motherboard.socket"),
        fixes=(OTHER_CPU, OTHER_BOARD),
    ),
    Rule(
        "cpu-count",
        tr("Number of CPUs"),
        tr("CPUs <= sockets of the board."),
        "the board's data sheet",
        _count,
        _BOTH,
        reads=("motherboard.cpu_sockets",),
        fixes=(Fewer(Category.CPU), OTHER_BOARD),
    ),
    Rule(
        "cpu-together",
        tr("CPUs together"),
        tr("CPUs <= sockets that each CPU model supports; identical models."),
        "the CPUs' data sheets",
        _together,
        (Category.CPU,),
        reads=("cpu.max_sockets",),
        fixes=(Fewer(Category.CPU), OTHER_CPU),
    ),
    Rule(
        "cpu-cores",
        tr("CPU cores for the GPUs"),
        tr("At least 4 cores per GPU, and 3.5 GHz for a single thread; a note below 2 cores, a warning below 1."),
        "Puget Systems, hardware for machine learning: 4 cores per GPU; pytorch/examples 387; clock not confirmed",
        _cores,
        (Category.CPU, Category.GPU),
        subjects=AT_WORK,
        confirmed=False,
        reads=("cpu.cores", "cpu.boost_clock_mhz", *ROLE_READS),
        fixes=(ENOUGH_CORES, Swap(Category.CPU, "cores", limits(CPU_FOR_BOARD, more("cores"))), Move.FEWER_CARDS),
    ),
    Rule(
        "cpu-power",
        tr("CPU power on the board"),
        tr("Sustained limit of the CPU <= 300 W for each 8-pin EPS input, shared by the CPUs; airflow from 280 W on."),
        "rating of the plugs' contacts, not confirmed for the board",
        _power,
        _BOTH,
        subjects=parts_of(Category.CPU),
        confirmed=False,
        reads=(
            *("cpu.sustained_power_w", "cpu_cooler.kind"),
            *("motherboard.cpu_sockets", "motherboard.power_inputs", "psu.cables"),
        ),
        fixes=(OTHER_BOARD, OTHER_CPU),
    ),
    Rule(
        "cpu-bios",
        tr("BIOS for the CPU"),
        tr("A CPU that is newer than its board may need a newer BIOS."),
        "the years of both parts",
        _bios,
        _BOTH,
        subjects=parts_of(Category.CPU),
        gravest=Status.NOTE,
        reads=("motherboard.bmc",),
    ),
)
