"""RAM: type, kind, number and size of the modules, channels, clock, ECC, and GB for the GPUs."""

from __future__ import annotations

from math import fsum

from core.build.build import Line
from core.parts.part import Part
from core.parts.vocabulary import Category, ModuleKind, RamType
from core.rules.changes import (
    LARGER_MODULES,
    OTHER_BOARD,
    OTHER_RAM,
    RAM_AS_LARGE,
    RAM_FOR_BOARD,
    Fewer,
    SeveralTimes,
    Swap,
    limits,
    no_less,
)
from core.rules.context import RuleContext
from core.rules.figure_names import count_of, listed, verb
from core.rules.finding import Status
from core.rules.reader import Reader
from core.rules.rule import Answer, Rule, parts_of


def _cpus(machine: RuleContext) -> list[Part]:
    return [line.part for line in machine.lines(Category.CPU)]


def _type(read: Reader, ram: Part) -> Answer:
    board = read.board
    own, wanted = read.all((ram, "ram_type"), (board, "ram_type"))
    if own is not wanted:
        return Answer(Status.FAIL, f"{ram.title} is {own}, but {board.title} takes {wanted}.")
    for cpu in _cpus(read.machine):
        if own not in read(cpu, "ram_types"):
            return Answer(Status.FAIL, f"{ram.title} is {own}, which {cpu.title} does not support.")
    return Answer(Status.PASS, f"{ram.title} is {own}, as {board.title} requires.")


def _kind(read: Reader, ram: Part) -> Answer:
    board = read.board
    own, allowed = read.all((ram, "kind"), (board, "ram_kinds"))
    if own not in allowed:
        return Answer(Status.FAIL, f"{ram.title} is {own}, but {board.title} takes {listed([*allowed])}.")
    for cpu in _cpus(read.machine):
        allowed = read(cpu, "ram_kinds")
        if own not in allowed:
            return Answer(Status.FAIL, f"{ram.title} is {own}, but {cpu.title} takes {listed([*allowed])}.")
    return Answer(Status.PASS, f"{ram.title} is {own}, which board and CPU take.")


def _mixed(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.RAM)
    kinds = sorted(set(read.all(*((line.part, "kind") for line in lines))))
    if len(kinds) > 1:
        return Answer(Status.FAIL, f"{listed(kinds)} are mixed; a machine with both does not start.")
    if {read.maybe(line.part, "ecc") for line in lines} >= {True, False}:
        message = "Modules with and without ECC are mixed: servers do not start so, desktop boards turn ECC off."
        return Answer(Status.WARN, message)
    if len(lines) > 1:
        return Answer(Status.NOTE, f"{len(lines)} different RAM kits together run at the slowest one's settings.")
    return Answer(Status.PASS, f"All modules are {kinds[0]} of one kind.")


def _modules(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    count = module_count(read, machine)
    slots, dead = alive(read, machine, read(board, "ram_slots"))
    if count > slots:
        message = f"{count_of(count, 'RAM module')}, but {board.title} has {slots} RAM slots{dead}."
        return Answer(Status.FAIL, message, count, slots, "modules")
    return Answer(Status.PASS, f"{count_of(count, 'RAM module')} in {slots} RAM slots{dead}.", count, slots, "modules")


def _capacity(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    total = ram_gb(read, machine)
    limits = [(read(board, "ram_max_gb"), board.title)]
    cpus = machine.lines(Category.CPU)
    if cpus and total <= limits[0][0] and all(read.maybe(line.part, "ram_max_gb") is None for line in cpus):
        limit = limits[0][0]
        message = f"{total:.0f} GB RAM of at most {limit:.0f} GB that {board.title} takes; of the CPU it is not known."
        return Answer(Status.PASS, message, total, limit, "GB")
    if cpus:
        per_cpu = fsum(read(line.part, "ram_max_gb") * line.quantity for line in cpus)
        limits.append((per_cpu, listed([line.part.title for line in cpus])))
    limit, holder = min(limits, key=lambda pair: pair[0])
    if total > limit:
        return Answer(Status.FAIL, f"{total:.0f} GB RAM, but {holder} takes {limit:.0f} GB.", total, limit, "GB")
    largest = max(read(line.part, "module_gb") for line in machine.lines(Category.RAM))
    each = read.maybe(board, "ram_module_max_gb")
    if each is not None and largest > each:
        message = f"Modules of {largest:.0f} GB, but {board.title} takes {each:.0f} GB in a slot."
        return Answer(Status.FAIL, message, largest, each, "GB")
    return Answer(Status.PASS, f"{total:.0f} GB RAM of at most {limit:.0f} GB.", total, limit, "GB")


def alive(read: Reader, machine: RuleContext, on_board: int) -> tuple[int, str]:
    """How many of the board's RAM slots or channels are wired to a CPU of the build, and words where some do not."""
    cpus = machine.count(Category.CPU)
    sockets = read(read.board, "cpu_sockets")
    if not 0 < cpus < sockets:
        return on_board, ""
    return on_board * cpus // sockets, f" with {count_of(cpus, 'CPU')} in {sockets} sockets"


def module_count(read: Reader, machine: RuleContext) -> int:
    """Modules of all kits."""
    lines = machine.lines(Category.RAM)
    counts = read.all(*((line.part, "modules") for line in lines))
    return sum(count * line.quantity for count, line in zip(counts, lines, strict=True))


def ram_gb(read: Reader, machine: RuleContext) -> float:
    """GB of all kits."""
    lines = machine.lines(Category.RAM)
    read.all(*((line.part, field) for line in lines for field in ("modules", "module_gb")))
    return fsum(_kit_gb(read, line) for line in lines)


def _kit_gb(read: Reader, line: Line) -> float:
    return float(read(line.part, "modules") * read(line.part, "module_gb") * line.quantity)


_SHEETS = "the data sheets of board and CPU"
_BOTH = (Category.RAM, Category.MOTHERBOARD)

MEMORY_RULES = (
    Rule(
        "ram-type",
        "RAM type",
        "The module's generation is the board's and the CPU's.",
        _SHEETS,
        _type,
        _BOTH,
        subjects=parts_of(Category.RAM),
        reads=("ram.ram_type", "motherboard.ram_type", "cpu.ram_types"),
        fixes=(RAM_AS_LARGE, OTHER_RAM, OTHER_BOARD),
    ),
    Rule(
        "ram-kind",
        "Kind of RAM module",
        "Buffered (RDIMM, LRDIMM) or not (UDIMM), as board and CPU list.",
        _SHEETS,
        _kind,
        _BOTH,
        subjects=parts_of(Category.RAM),
        reads=("ram.kind", "motherboard.ram_kinds", "cpu.ram_kinds"),
        fixes=(RAM_AS_LARGE, OTHER_RAM, OTHER_BOARD),
    ),
    Rule(
        "ram-mixed",
        "Mixed RAM",
        "UDIMM, RDIMM and LRDIMM never mix, nor do modules with and without ECC.",
        "Fujitsu, upgrade and maintenance manuals of PRIMERGY TX300 S8 and CX2560 M4, memory",
        _mixed,
        (Category.RAM,),
        reads=("ram.kind", "ram.ecc"),
        fixes=(Fewer(Category.RAM), OTHER_RAM),
    ),
    Rule(
        "ram-modules",
        "Number of RAM modules",
        "Modules <= RAM slots of the board wired to a CPU of the build.",
        _SHEETS,
        _modules,
        _BOTH,
        reads=("ram.modules", "motherboard.ram_slots", "motherboard.cpu_sockets"),
        fixes=(Fewer(Category.RAM), LARGER_MODULES, OTHER_BOARD),
    ),
    Rule(
        "ram-capacity",
        "RAM capacity",
        "Total GB <= what board and CPUs take; a module <= what the board takes in a slot.",
        _SHEETS,
        _capacity,
        _BOTH,
        reads=(
            *("ram.modules", "ram.module_gb", "cpu.ram_max_gb"),
            *("motherboard.ram_max_gb", "motherboard.ram_module_max_gb"),
        ),
        fixes=(Fewer(Category.RAM), OTHER_RAM, OTHER_BOARD),
    ),
)


STANDARD_MTS = {RamType.DDR3: 1866.0, RamType.DDR4: 3200.0, RamType.DDR5: 5600.0}
"""The fastest grade that the usual CPUs of each generation are rated for; beyond it is overclocking."""
REGISTERED_DDR5_MTS = 6400.0
MANY_GPUS = 4


def _channels(read: Reader, machine: RuleContext) -> Answer:
    count = module_count(read, machine)
    channels, dead = _driven(read, machine)
    if count % channels == 0:
        filled = f"{count_of(count, 'module')} {verb(count, 'fill')} all {channels} memory channels evenly{dead}."
        return Answer(Status.PASS, filled, count, channels, "modules")
    used = min(count, channels)
    modules = f"{count_of(count, 'module')} on {channels} memory channels{dead}"
    if used < channels:
        lost = f"RAM bandwidth is {100 * (1 - used / channels):.0f} % lower than possible"
        status = Status.WARN if used * 2 <= channels else Status.NOTE
        return Answer(status, f"{modules}: {lost}.", count, channels, "modules")
    return Answer(Status.NOTE, f"{modules}: some carry more than others.", count, channels, "modules")


def _driven(read: Reader, machine: RuleContext) -> tuple[int, str]:
    """Channels that board and CPUs have both: a Xeon W-2400 drives four of the eight that a W790 board offers."""
    channels, dead = alive(read, machine, read(read.board, "ram_channels"))
    lines = machine.lines(Category.CPU)
    own = [read.maybe(line.part, "ram_channels") for line in lines]
    if not lines or None in own:
        return channels, dead
    driven = sum(count * line.quantity for count, line in zip(own, lines, strict=True))
    return (driven, " of the CPU") if driven < channels else (channels, dead)


def _two_per_channel(read: Reader, machine: RuleContext) -> Answer:
    count = module_count(read, machine)
    channels, _ = _driven(read, machine)
    if count <= channels:
        return Answer(Status.PASS, "No channel carries more than one module.", count, channels, "modules")
    shared = f"{count} modules share {channels} memory channels"
    if any(_fast_ddr5(read, line.part) for line in machine.lines(Category.RAM)):
        message = f"{shared}: fast DDR5 does not reach its rated speed so, and may fail memory tests."
        return Answer(Status.WARN, f"{message} Take half as many, larger modules.", count, channels, "modules")
    message = f"{shared}: with two on a channel most boards clock the RAM lower. Fewer, larger modules keep the speed."
    older = all(read.maybe(line.part, "ram_type") is not RamType.DDR5 for line in machine.lines(Category.RAM))
    return Answer(Status.PASS if older else Status.NOTE, message, count, channels, "modules")


def _fast_ddr5(read: Reader, ram: Part) -> bool:
    """Unbuffered DDR5 beyond its standard grades."""
    speed, generation, kind = (read.maybe(ram, field) for field in ("speed_mts", "ram_type", "kind"))
    fast = (speed or 0.0) > STANDARD_MTS[RamType.DDR5]
    return generation is RamType.DDR5 and kind is ModuleKind.UDIMM and fast


def _speed(read: Reader, ram: Part) -> Answer:
    speed, generation = read.all((ram, "speed_mts"), (ram, "ram_type"))
    registered = generation is RamType.DDR5 and read(ram, "kind") is not ModuleKind.UDIMM
    fastest = REGISTERED_DDR5_MTS if registered else STANDARD_MTS[generation]
    name = f"{ram.title} is rated {speed:.0f} MT/s"
    if speed > fastest:
        message = f"{name}, an overclock for {generation}: training gains 0 to 3 % from it, stability may lose."
        return Answer(Status.NOTE, message, speed, fastest, "MT/s")
    return Answer(Status.PASS, f"{name}, a standard grade of {generation}.", speed, fastest, "MT/s")


def _ecc(read: Reader, machine: RuleContext) -> Answer:
    holders = [*machine.lines(Category.RAM), *machine.lines(Category.CPU), *machine.lines(Category.MOTHERBOARD)]
    found = [(line.part, read.maybe(line.part, "ecc")) for line in holders]
    lacking = [part for part, ecc in found if ecc is False]
    gpus = machine.count(Category.GPU)
    if not lacking:
        read.all(*((line.part, "ecc") for line in holders))
        return Answer(Status.PASS, "Modules, CPU and board correct memory errors (ECC).")
    if any(ecc for part, ecc in found if part.category is Category.RAM):
        message = f"The RAM has ECC, but {lacking[0].title} does not use it: errors stay uncorrected."
        return Answer(Status.NOTE, message)
    if gpus >= MANY_GPUS:
        message = f"No ECC: over long runs on {gpus} GPUs a flipped bit in RAM goes unseen into the result."
        return Answer(Status.NOTE, message, gpus, MANY_GPUS, "GPUs")
    return Answer(Status.PASS, f"No ECC; for {count_of(gpus, 'GPU')} that is usual.", gpus, MANY_GPUS, "GPUs")


def _for_gpus(read: Reader, machine: RuleContext) -> Answer:
    total = ram_gb(read, machine)
    lines = machine.lines(Category.GPU)
    sizes = read.all(*((line.part, "memory_gb") for line in lines))
    largest = max(sizes)
    if total < largest:
        message = f"{total:.0f} GB RAM is less than the {largest:.0f} GB of the largest GPU: staging a model swaps."
        return Answer(Status.WARN, message, total, largest, "GB")
    together = fsum(size * line.quantity for size, line in zip(sizes, lines, strict=True))
    if total < together:
        message = (
            f"{total:.0f} GB RAM are less than the {together:.0f} GB of all GPUs together: loading or saving one model "
            "over all of them is tight."
        )
        return Answer(Status.NOTE, message, total, together, "GB")
    return Answer(Status.PASS, f"{total:.0f} GB RAM for {together:.0f} GB on the GPUs.", total, together, "GB")


_COUNTED = ("ram.modules", "motherboard.ram_channels", "motherboard.cpu_sockets", "cpu.ram_channels")

MEMORY_SPEED_RULES = (
    Rule(
        "ram-channels",
        "Memory channels",
        "Modules are a multiple of the channels of the CPUs in the build.",
        "Dell, Balanced Memory with 2nd Generation AMD EPYC: every channel equally filled",
        _channels,
        _BOTH,
        gravest=Status.WARN,
        reads=_COUNTED,
        fixes=(SeveralTimes(Category.RAM), OTHER_RAM, Fewer(Category.RAM)),
    ),
    Rule(
        "ram-2dpc",
        "Modules on a channel",
        "One module on a channel keeps the rated speed; two lower it on most boards.",
        "Dell PowerEdge and EMC XC manuals, general memory module guidelines; servnetuk.com, DIMM population rules",
        _two_per_channel,
        _BOTH,
        gravest=Status.WARN,
        reads=(*_COUNTED, "ram.speed_mts", "ram.ram_type", "ram.kind"),
        fixes=(LARGER_MODULES, Fewer(Category.RAM)),
    ),
    Rule(
        "ram-speed",
        "RAM clock",
        "Standard grades end at 1866 (DDR3), 3200 (DDR4), 5600 (DDR5) and 6400 MT/s (registered DDR5).",
        "T. Dettmers, A Full Hardware Guide to Deep Learning: the clock is worth 0 to 3 %",
        _speed,
        (Category.RAM,),
        subjects=parts_of(Category.RAM),
        gravest=Status.NOTE,
        reads=("ram.speed_mts", "ram.ram_type", "ram.kind"),
    ),
    Rule(
        "ram-ecc",
        "ECC",
        "Memory errors are corrected only where modules, CPU and board can.",
        "definition; that machines of 4 and more GPUs need it is a guideline, not confirmed",
        _ecc,
        (Category.RAM, Category.MOTHERBOARD, Category.CPU),
        confirmed=False,
        reads=("ram.ecc", "cpu.ecc", "motherboard.ecc"),
        fixes=(Swap(Category.RAM, "total_gb", limits(RAM_FOR_BOARD, no_less("modules", "module_gb"))),),
    ),
    Rule(
        "ram-for-gpus",
        "RAM for the GPUs",
        "RAM >= memory of the largest GPU; all GPUs together are a guideline.",
        "T. Dettmers, A Full Hardware Guide to Deep Learning; the guideline is not confirmed",
        _for_gpus,
        (Category.RAM, Category.GPU),
        gravest=Status.WARN,
        reads=("ram.modules", "ram.module_gb", "gpu.memory_gb"),
        fixes=(SeveralTimes(Category.RAM), LARGER_MODULES),
    ),
)
