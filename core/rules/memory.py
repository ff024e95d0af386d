"""RAM: type, kind, number and size of the modules."""

from __future__ import annotations

from math import fsum

from core.parts.part import Part
from core.parts.vocabulary import Category, ModuleKind
from core.rules.changes import LARGER_MODULES, OTHER_BOARD, OTHER_RAM, RAM_AS_LARGE, Fewer
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule, parts_of
from core.words import listed, tr, trn

NEXT_MODULES = 2.0
"""Modules of the next generations of chips hold so many times what a CPU's sheet was written for: 32 GB when AM5 and
LGA1700 came, 48 GB a year later, 64 GB since."""


def _cpus(machine: RuleContext) -> list[Part]:
    return [line.part for line in machine.lines(Category.CPU)]


def _type(read: Reader, ram: Part) -> Answer:
    board = read.board
    own, needed_type = read.all((ram, "ram_type"), (board, "ram_type"))
    if own is not needed_type:
        fields = {"ram": ram.title, "own": own, "board": board.title, "wanted": needed_type}
        message = tr("{ram} is {own}, but {board} takes {wanted}.", **fields)
        return Answer(Status.FAIL, message)
    for cpu in _cpus(read.machine):
        if own not in read(cpu, "ram_types"):
            message = tr("{ram} is {own}, which {cpu} does not support.", ram=ram.title, own=own, cpu=cpu.title)
            return Answer(Status.FAIL, message)
    return Answer(Status.PASS, tr("{ram} is {own}, as {board} requires.", ram=ram.title, own=own, board=board.title))


def _kind(read: Reader, ram: Part) -> Answer:
    board = read.board
    own, allowed = read.all((ram, "kind"), (board, "ram_kinds"))
    fields = {"ram": ram.title, "own": own, "board": board.title}
    if own not in allowed:
        return Answer(Status.FAIL, tr("{ram} is {own}, but {board} takes {kinds}.", kinds=listed([*allowed]), **fields))
    for cpu in _cpus(read.machine):
        allowed = read(cpu, "ram_kinds")
        is_short_udimm = own is ModuleKind.SODIMM and ModuleKind.UDIMM in allowed
        if own not in allowed and not is_short_udimm:
            message = tr("{ram} is {own}, but {cpu} takes {kinds}.", cpu=cpu.title, kinds=listed([*allowed]), **fields)
            return Answer(Status.FAIL, message)
    return Answer(Status.PASS, tr("{ram} is {own}, which board and CPU support.", **fields))


def _mixed(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.RAM)
    kinds = sorted(set(read.all(*((line.part, "kind") for line in lines))))
    if len(kinds) > 1:
        return Answer(Status.FAIL, tr("{kinds} are mixed; a machine with both does not start.", kinds=listed(kinds)))
    if {read.maybe(line.part, "ecc") for line in lines} >= {True, False}:
        message = tr(
            "Modules with and without ECC are mixed: servers do not start that way, desktop boards turn ECC off."
        )
        return Answer(Status.WARN, message)
    if len(lines) > 1:
        message = tr("{number} different RAM kits together run at the slowest one's settings.", number=len(lines))
        return Answer(Status.NOTE, message)
    return Answer(Status.PASS, tr("All modules are {kinds} of one kind.", kinds=kinds[0]))


def _modules(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    count = read.sum_of(Category.RAM, "modules")
    slots, dead = alive(read, machine, read(board, "ram_slots"))
    modules = trn("{count} RAM module", "{count} RAM modules", count=count)
    places = (
        tr("{slots} RAM slots with {cpus}", slots=slots, cpus=dead) if dead else tr("{slots} RAM slots", slots=slots)
    )
    if count > slots:
        message = tr("{modules}, but {board} has {places}.", modules=modules, board=board.title, places=places)
        return Answer(Status.FAIL, message, count, slots, "modules")
    return Answer(Status.PASS, tr("{modules} in {places}.", modules=modules, places=places), count, slots, "modules")


def _capacity(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    total, limit = ram_gb(read, machine), read(board, "ram_max_gb")
    cpus = machine.lines(Category.CPU)
    if cpus and total <= limit and all(read.maybe(line.part, "ram_max_gb") is None for line in cpus):
        fields: dict[str, object] = {"total": total, "limit": limit, "board": board.title}
        message = tr(
            "{total:.0f} GB RAM of at most {limit:.0f} GB that {board} supports; the CPU's limit is not known.",
            **fields,
        )
        return Answer(Status.PASS, message, total, limit, "GB")
    by_cpu = fsum(read(line.part, "ram_max_gb") * line.quantity for line in cpus) if cpus else None
    least = limit if by_cpu is None else min(limit, by_cpu)
    if total > least:
        sheets = tr("{board} lists {limit:.0f} GB", board=board.title, limit=limit)
        if by_cpu is not None:
            names = listed([line.part.title for line in cpus])
            sheets = tr("{sheets}, {cpu} {limit:.0f} GB", sheets=sheets, cpu=names, limit=by_cpu)
        return _beyond_sheets(total, least, sheets, by_cpu, by_board=total <= limit)
    largest = max(read(line.part, "module_gb") for line in machine.lines(Category.RAM))
    each = read.maybe(board, "ram_module_max_gb")
    if each is not None and largest > each:
        fields = {"largest": largest, "board": board.title, "each": each}
        message = tr(
            "Modules of {largest:.0f} GB, but {board} lists {each:.0f} GB per slot: larger ones often run after a "
            "firmware update. Look for them in the maker's memory list.",
            **fields,
        )
        return Answer(Status.WARN, message, largest, each, "GB")
    message = tr("{total:.0f} GB RAM of at most {limit:.0f} GB.", total=total, limit=least)
    return Answer(Status.PASS, message, total, least, "GB")


def _beyond_sheets(total: float, least: float, sheets: str, by_cpu: float | None, *, by_board: bool) -> Answer:
    """A sheet lists the largest modules of its day; the memory controller is in the CPU and takes the next ones."""
    fields = {"total": total, "sheets": sheets}
    if by_cpu is not None and total > NEXT_MODULES * by_cpu:
        message = tr(
            "{total:.0f} GB RAM, but {sheets}: more than the memory controller addresses with modules twice as large.",
            **fields,
        )
        return Answer(Status.FAIL, message, total, least, "GB")
    if by_board:
        message = tr(
            "{total:.0f} GB RAM: {sheets}. A CPU's sheet names the largest modules of its day; the board's is newer.",
            **fields,
        )
        return Answer(Status.NOTE, message, total, least, "GB")
    message = tr(
        "{total:.0f} GB RAM, but {sheets}. Such sheets list the largest modules of their day, later ones often run "
        "after a firmware update: look for them in the board maker's memory list.",
        **fields,
    )
    return Answer(Status.WARN, message, total, least, "GB")


def alive(read: Reader, machine: RuleContext, on_board: int) -> tuple[int, str]:
    """How many of the board's RAM slots or channels are wired to a CPU of the build, and where some do not
    in words how many CPUs there are."""
    cpus = machine.count(Category.CPU)
    sockets = read(read.board, "cpu_sockets")
    if not 0 < cpus < sockets:
        return on_board, ""
    return on_board * cpus // sockets, trn(
        "{count} CPU in {sockets} sockets", "{count} CPUs in {sockets} sockets", count=cpus, sockets=sockets
    )


def ram_gb(read: Reader, machine: RuleContext) -> float:
    """GB of all kits."""
    lines = machine.lines(Category.RAM)
    read.all(*((line.part, field) for line in lines for field in ("modules", "module_gb")))
    return fsum(read(line.part, "modules") * read(line.part, "module_gb") * line.quantity for line in lines)


_SHEETS = "the data sheets of board and CPU"
_BOTH = (Category.RAM, Category.MOTHERBOARD)

MEMORY_RULES = (
    Rule(
        "ram-type",
        tr("RAM type"),
        tr("The module's generation is the board's and the CPU's."),
        _SHEETS,
        _type,
        _BOTH,
        subjects=parts_of(Category.RAM),
        reads=("ram.ram_type", "motherboard.ram_type", "cpu.ram_types"),
        fixes=(RAM_AS_LARGE, OTHER_RAM, OTHER_BOARD),
    ),
    Rule(
        "ram-kind",
        tr("RAM module type"),
        tr("Buffered (RDIMM, LRDIMM) or not (UDIMM), as board and CPU list."),
        _SHEETS,
        _kind,
        _BOTH,
        subjects=parts_of(Category.RAM),
        reads=("ram.kind", "motherboard.ram_kinds", "cpu.ram_kinds"),
        fixes=(RAM_AS_LARGE, OTHER_RAM, OTHER_BOARD),
    ),
    Rule(
        "ram-mixed",
        tr("Mixed RAM"),
        tr("UDIMM, RDIMM and LRDIMM never mix, nor do modules with and without ECC."),
        "Fujitsu, upgrade and maintenance manuals of PRIMERGY TX300 S8 and CX2560 M4, memory",
        _mixed,
        (Category.RAM,),
        reads=("ram.kind", "ram.ecc"),
        fixes=(Fewer(Category.RAM), OTHER_RAM),
    ),
    Rule(
        "ram-modules",
        tr("Number of RAM modules"),
        tr("Modules <= RAM slots of the board wired to a CPU of the build."),
        _SHEETS,
        _modules,
        _BOTH,
        reads=("ram.modules", "motherboard.ram_slots", "motherboard.cpu_sockets"),
        fixes=(Fewer(Category.RAM), LARGER_MODULES, OTHER_BOARD),
    ),
    Rule(
        "ram-capacity",
        tr("RAM capacity"),
        tr(
            "Total GB <= what board and CPUs list; a module <= what the board lists per slot. Sheets name the largest "
            "modules of their day: up to twice the CPU's figure only warns, and is a hint where the board lists it."
        ),
        "the data sheets of board and CPU; Tom's Hardware, desktop chips now support 256 GB of memory (AM5 and LGA1700 "
        "boards of 128 GB take 64 GB modules)",
        _capacity,
        _BOTH,
        reads=(
            *("ram.modules", "ram.module_gb", "cpu.ram_max_gb"),
            *("motherboard.ram_max_gb", "motherboard.ram_module_max_gb"),
        ),
        fixes=(Fewer(Category.RAM), OTHER_RAM, OTHER_BOARD),
    ),
)
