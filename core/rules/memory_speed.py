"""RAM as it works: channels, modules on a channel, clock, ECC, and GB for the GPUs."""

from __future__ import annotations

from math import fsum

from core.parts.chips import chip_memory_gb
from core.parts.part import Part
from core.parts.vocabulary import Category, ModuleKind, RamType
from core.plan.line import ROLE_READS
from core.predict.speed.host import channel_gbps
from core.rules.changes import LARGER_MODULES, OTHER_RAM, RAM_FOR_BOARD, Fewer, SeveralTimes, Swap, limits, no_less
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.memory import alive, ram_gb
from core.rules.rule import AT_WORK, Answer, Reader, Rule, parts_of
from core.words import tr, trn

STANDARD_MTS = {RamType.DDR3: 1866.0, RamType.DDR4: 3200.0, RamType.DDR5: 5600.0}
"""The fastest grade that the usual CPUs of each generation are rated for; beyond it is overclocking."""
REGISTERED_DDR5_MTS = 6400.0
MANY_GPUS = 4


def _channels(read: Reader, machine: RuleContext) -> Answer:
    count = read.sum_of(Category.RAM, "modules")
    channels, driven = _driven(read, machine)
    if count % channels == 0:
        fields = {"count": count, "channels": driven}
        filled = trn(
            "{count} module fills all {channels} evenly.", "{count} modules fill all {channels} evenly.", **fields
        )
        return Answer(Status.PASS, filled, count, channels, "modules")
    used = min(count, channels)
    fields = {"modules": trn("{count} module", "{count} modules", count=count), "channels": driven}
    modules = tr("{modules} on {channels}", **fields)
    if used < channels:
        status = Status.WARN if used * 2 <= channels else Status.NOTE
        return Answer(status, _lost(read, machine, modules, used, channels), count, channels, "modules")
    message = tr("{modules}: some carry more than others.", modules=modules)
    return Answer(Status.NOTE, message, count, channels, "modules")


def _lost(read: Reader, machine: RuleContext, modules: str, used: int, channels: int) -> str:
    clocks = [read.maybe(line.part, "speed_mts") for line in machine.lines(Category.RAM)]
    mts = min((clock for clock in clocks if clock is not None), default=None)
    if mts is None or None in clocks:
        share = 100 * (1 - used / channels)
        return tr("{modules}: RAM bandwidth is {share:.0f} % lower than possible.", modules=modules, share=share)
    each = channel_gbps(mts)
    fields = {"modules": modules, "gbps": used * each, "all": channels * each, "channels": channels}
    return tr(
        "{modules}: {gbps:.0f} of {all:.0f} GB/s. Gradients that go through host memory, and models offloaded to RAM, "
        "get that share. Take {channels} modules.",
        **fields,
    )


def _driven(read: Reader, machine: RuleContext) -> tuple[int, str]:
    """Channels that board and CPUs have both, and in words: a Xeon W-2400 drives four of the eight of a W790 board."""
    channels, dead = alive(read, machine, read(read.board, "ram_channels"))
    lines = machine.lines(Category.CPU)
    own = [read.maybe(line.part, "ram_channels") for line in lines]
    if lines and None not in own:
        driven = sum(count * line.quantity for count, line in zip(own, lines, strict=True))
        if driven < channels:
            return driven, tr("{channels} memory channels of the CPU", channels=driven)
    if dead:
        return channels, tr("{channels} memory channels with {cpus}", channels=channels, cpus=dead)
    return channels, tr("{channels} memory channels", channels=channels)


def _two_per_channel(read: Reader, machine: RuleContext) -> Answer:
    count = read.sum_of(Category.RAM, "modules")
    channels, _ = _driven(read, machine)
    if count <= channels:
        return Answer(Status.PASS, tr("No channel carries more than one module."), count, channels, "modules")
    shared = tr("{number} modules share {channels} memory channels", number=count, channels=channels)
    rams = [line.part for line in machine.lines(Category.RAM)]
    if any(_unbuffered(read, ram) and read.maybe(ram, "ram_type") is RamType.DDR5 for ram in rams):
        message = tr(
            "{shared}: CPUs are rated for 3600 to 4800 MT/s with two DDR5 modules per channel; the modules' own "
            "profile may not start or fail memory tests. Take half as many, larger modules.",
            shared=shared,
        )
        sold_so = len(rams) == 1 and count == read(rams[0], "modules") and not _overclocked(read, rams[0])
        return Answer(Status.NOTE if sold_so else Status.WARN, message, count, channels, "modules")
    message = tr(
        "{shared}: with two per channel most boards clock the RAM lower. Fewer, larger modules keep the speed.",
        shared=shared,
    )
    slower = any(_overclocked(read, ram) or _two_fast_ranks(read, ram) for ram in rams)
    return Answer(Status.NOTE if slower else Status.PASS, message, count, channels, "modules")


def _unbuffered(read: Reader, ram: Part) -> bool:
    return read.maybe(ram, "kind") is ModuleKind.UDIMM


def _two_fast_ranks(read: Reader, ram: Part) -> bool:
    """Unbuffered modules of two ranks at the fastest grade of DDR4: four run at 2667 MT/s by AMD's rating."""
    fastest = (read.maybe(ram, "speed_mts") or 0.0) >= STANDARD_MTS[RamType.DDR4]
    return _unbuffered(read, ram) and fastest and (read.maybe(ram, "ranks") or 0) > 1


def _overclocked(read: Reader, ram: Part) -> bool:
    """Unbuffered modules beyond the standard grades of their generation."""
    speed, generation, kind = (read.maybe(ram, field) for field in ("speed_mts", "ram_type", "kind"))
    return kind is ModuleKind.UDIMM and generation is not None and (speed or 0.0) > STANDARD_MTS[generation]


def _speed(read: Reader, ram: Part) -> Answer:
    speed, generation = read.all((ram, "speed_mts"), (ram, "ram_type"))
    registered = generation is RamType.DDR5 and read(ram, "kind").is_registered
    fastest = REGISTERED_DDR5_MTS if registered else STANDARD_MTS[generation]
    name = tr("{ram} is rated {speed:.0f} MT/s", ram=ram.title, speed=speed)
    if speed > fastest:
        fields = {"name": name, "generation": generation}
        message = tr("{name}, an overclock for {generation}: training gains 0 to 3 %, stability may suffer.", **fields)
        return Answer(Status.NOTE, message, speed, fastest, "MT/s")
    message = tr("{name}, a standard grade of {generation}.", name=name, generation=generation)
    return Answer(Status.PASS, message, speed, fastest, "MT/s")


def _ecc(read: Reader, machine: RuleContext) -> Answer:
    holders = [*machine.lines(Category.RAM), *machine.lines(Category.CPU), *machine.lines(Category.MOTHERBOARD)]
    ecc_by_part = [(line.part, read.maybe(line.part, "ecc")) for line in holders]
    lacking = [part for part, ecc in ecc_by_part if ecc is False]
    gpus = machine.worker_count
    if not lacking:
        read.all(*((line.part, "ecc") for line in holders))
        return Answer(Status.PASS, tr("Modules, CPU and board correct memory errors (ECC)."))
    if any(ecc for part, ecc in ecc_by_part if part.category is Category.RAM):
        message = tr(
            "The RAM has ECC, but {lacking} does not use it: errors stay uncorrected.", lacking=lacking[0].title
        )
        return Answer(Status.NOTE, message)
    if gpus >= MANY_GPUS:
        message = tr(
            "No ECC: over long runs on {gpus} GPUs a flipped bit in RAM gets into the result unnoticed.", gpus=gpus
        )
        return Answer(Status.NOTE, message, gpus, MANY_GPUS, "GPUs")
    message = tr("No ECC; for {gpus} that is usual.", gpus=trn("{count} GPU", "{count} GPUs", count=gpus))
    return Answer(Status.PASS, message, gpus, MANY_GPUS, "GPUs")


def _for_gpus(read: Reader, machine: RuleContext) -> Answer:
    total = ram_gb(read, machine)
    lines = machine.workers
    sizes = read.all(*((line.part, "memory_gb") for line in lines))
    largest = max(chip_memory_gb(spec) or 0.0 for _, spec in machine.build.workers())
    together = fsum(size * line.quantity for size, line in zip(sizes, lines, strict=True))
    fields = {"total": total, "largest": largest, "together": together}
    if total <= largest:
        message = tr(
            "{total:.0f} GB RAM is no more than the {largest:.0f} GB of the largest GPU: staging a model swaps. "
            "Take more than that, best {together:.0f} GB, the memory of all GPUs.",
            **fields,
        )
        return Answer(Status.WARN, message, total, largest, "GB")
    if total < together:
        message = tr(
            "{total:.0f} GB RAM is less than the {together:.0f} GB of all GPUs together: loading or saving one model "
            "across all of them is tight, and where each card's process first loads a copy of its own the system "
            "kills them.",
            **fields,
        )
        return Answer(Status.NOTE, message, total, together, "GB")
    message = tr("{total:.0f} GB RAM for {together:.0f} GB on the GPUs.", **fields)
    return Answer(Status.PASS, message, total, together, "GB")


_COUNTED = ("ram.modules", "motherboard.ram_channels", "motherboard.cpu_sockets", "cpu.ram_channels")

MEMORY_SPEED_RULES = (
    Rule(
        "ram-channels",
        tr("Memory channels"),
        tr("Modules are a multiple of the channels of the CPUs in the build."),
        "Dell, Balanced Memory with 2nd Generation AMD EPYC: every channel equally filled",
        _channels,
        (Category.RAM, Category.MOTHERBOARD),
        gravest=Status.WARN,
        reads=(*_COUNTED, "ram.speed_mts"),
        fixes=(SeveralTimes(Category.RAM, fills="modules"), OTHER_RAM, Fewer(Category.RAM)),
    ),
    Rule(
        "ram-2dpc",
        tr("Modules per channel"),
        tr(
            "One module per channel keeps the rated speed; two lower it on most boards. DDR5 warns, but for kits of "
            "a standard grade that are sold with all their modules."
        ),
        "Dell PowerEdge and EMC XC manuals, general memory module guidelines; servnetuk.com, DIMM population rules; "
        "Dasharo issue 1263 (four DDR5-5600 at 3600); Memtest86+ issue 577 (four DDR4-3200 of two ranks)",
        _two_per_channel,
        (Category.RAM, Category.MOTHERBOARD),
        gravest=Status.WARN,
        reads=(*_COUNTED, "ram.speed_mts", "ram.ram_type", "ram.kind", "ram.ranks"),
        fixes=(LARGER_MODULES, Fewer(Category.RAM)),
    ),
    Rule(
        "ram-speed",
        tr("RAM clock"),
        tr("Standard grades end at 1866 (DDR3), 3200 (DDR4), 5600 (DDR5) and 6400 MT/s (registered DDR5)."),
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
        tr("Memory errors are corrected only where modules, CPU and board can."),
        "definition; that machines of 4 and more GPUs need it is a guideline, not confirmed",
        _ecc,
        (Category.RAM, Category.MOTHERBOARD, Category.CPU),
        confirmed=False,
        reads=("ram.ecc", "cpu.ecc", "motherboard.ecc", *ROLE_READS),
        fixes=(Swap(Category.RAM, "total_gb", limits(RAM_FOR_BOARD, no_less("modules", "module_gb"))),),
    ),
    Rule(
        "ram-for-gpus",
        tr("RAM for the GPUs"),
        tr("RAM >= memory of the largest GPU; all GPUs together are a guideline."),
        "T. Dettmers, A Full Hardware Guide to Deep Learning; DeepSpeedExamples 498: eight copies of 60 GB in 500 GB; "
        "the guideline is not confirmed",
        _for_gpus,
        (Category.RAM, Category.GPU),
        gravest=Status.WARN,
        subjects=AT_WORK,
        reads=("ram.modules", "ram.module_gb", *ROLE_READS),
        fixes=(SeveralTimes(Category.RAM), LARGER_MODULES),
    ),
)
