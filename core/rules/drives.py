"""Drives: sockets, bays, lanes, and one to start from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.parts.specs import M2Socket, StorageSpec
from core.parts.vocabulary import Attachment, Category, StorageKind
from core.plan.line import Line
from core.plan.placement.sockets import U2, DriveKey, socket_form, socketed_drives
from core.predict.speed.host import FILES_PER_S
from core.rules.case import is_frame
from core.rules.changes import OTHER_BOARD, OTHER_CASE, Add, Fewer
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.rule import Answer, Reader, Rule, only_if
from core.words import listed, plain, tr, trn

_M2 = ("M.2 2280", "M.2 22110")
_SOCKETED = (*_M2, U2)
_CABLED = ("2.5 in", "3.5 in")
LEAST_SATA = 4
"""What every board has whose ports are known."""
LONG_M2 = "M.2 22110"


def _sockets(read: Reader, machine: RuleContext) -> Answer:
    board, lines = read.board, machine.lines(Category.STORAGE)
    read.all(*((line.part, "form_factor") for line in lines))
    cards = _count(lines, _SOCKETED)
    cabled = sum(
        line.quantity
        for line in lines
        if read(line.part, "form_factor") in _CABLED and read(line.part, "kind") is not StorageKind.NVME
    )
    sockets = len(read(board, "m2")) if cards else 0
    ports = 0
    if cabled:  # where the board's ports are unknown, as many as any board has, if that is enough
        stated = read.maybe(board, "sata_ports")
        ports = LEAST_SATA if cabled <= LEAST_SATA and stated is None else int(read(board, "sata_ports"))
    if cards and (misplaced := _misplaced(read)):
        return misplaced
    if cards > sockets:
        message = tr(
            "{drives} for M.2 or U.2, but {board} has {sockets}: the rest needs a carrier card.",
            drives=trn("{count} drive", "{count} drives", count=cards),
            board=board.title,
            sockets=trn("{count} socket", "{count} sockets", count=sockets),
        )
        return Answer(Status.WARN, message, cards, sockets, "drives")
    for form, drives, places in _by_form(read, lines) if cards else ():
        if drives > places:
            message = tr(
                "{drives}, but {board} has {sockets}: the rest needs an adapter or a carrier card.",
                drives=trn("{count} {form} drive", "{count} {form} drives", count=drives, form=form),
                board=board.title,
                sockets=trn("{count} {form} socket", "{count} {form} sockets", count=places, form=form),
            )
            return Answer(Status.WARN, message, drives, places, "drives")
    if cabled > ports:
        message = tr(
            "{drives}, but {board} has {ports}: the rest needs a controller card.",
            drives=trn("{count} SATA drive", "{count} SATA drives", count=cabled),
            board=board.title,
            ports=trn("{count} SATA port", "{count} SATA ports", count=ports),
        )
        return Answer(Status.WARN, message, cabled, ports, "drives")
    long = [line.part for line in lines if read(line.part, "form_factor") == LONG_M2]
    if long:
        message = tr("{drive} is 110 mm long: few boards have room for that behind an M.2 socket.", drive=long[0].title)
        return Answer(Status.NOTE, message, 110, 80, "mm")
    message = tr("{board} has a socket or port for every drive.", board=board.title)
    return Answer(Status.PASS, message, cards + cabled, sockets + ports)


def _misplaced(read: Reader) -> Answer | None:
    """Drives whose socket was set to one that the board lacks, that is of another form, or that holds a drive."""
    board = read.board
    sockets = {socket.label: socket for socket in read(board, "m2")}
    taken: set[str] = set()
    for drive in socketed_drives(read.machine.build):
        if drive.label is None:
            continue
        socket = sockets.get(drive.label)
        if socket is None or socket_form(socket) != drive.form:
            message = tr(
                "{drive} is to sit in {label}, but {board} has no {form} socket of that name; it has {labels}.",
                drive=drive.part.title,
                label=drive.label,
                board=board.title,
                form=drive.form,
                labels=listed([label for label, one in sockets.items() if socket_form(one) == drive.form]),
            )
            return Answer(Status.WARN, message)
        if drive.label in taken:
            return Answer(Status.WARN, tr("Two drives are to sit in {label}; it holds one.", label=drive.label))
        taken.add(drive.label)
    return None


def _by_form(read: Reader, lines: Iterable[Line]) -> Iterable[tuple[str, int, int]]:
    """Drives and sockets by form: an M.2 drive does not go into a U.2 socket, nor the other way round."""
    forms = [socket_form(socket) for socket in read(read.board, "m2")]
    u2 = forms.count(U2)
    return ("M.2", _count(lines, _M2), len(forms) - u2), (U2, _count(lines, (U2,)), u2)


def _bays(read: Reader, machine: RuleContext) -> Answer:
    case, lines = read.case, machine.lines(Category.STORAGE)
    read.all(*((line.part, "form_factor") for line in lines))
    large, small = _count(lines, ("3.5 in",)), _count(lines, ("2.5 in", "U.2"))
    if not large + small:
        return Answer(Status.PASS, tr("No drive that needs a bay."), 0, unit="drives")
    if is_frame(case):
        message = trn("{count} drive fits {case}.", "{count} drives fit {case}.", count=large + small, case=case.title)
        return Answer(Status.PASS, message, large + small, unit="drives")
    wide = read.maybe(case, "bays_3_5")
    narrow = read.maybe(case, "bays_2_5") if small else 0
    if wide is None or (narrow is None and large + small > wide):
        read.all((case, "bays_3_5"), *([(case, "bays_2_5")] if narrow is None else []))
    room = (wide or 0) + (narrow or 0)
    fits = large <= (wide or 0) and large + small <= room
    message = tr(
        "{drives} of 3.5 in and {small} of 2.5 in; {case} has {wide} and {narrow} bays for them",
        drives=trn("{count} drive", "{count} drives", count=large),
        small=small,
        case=case.title,
        wide=wide or 0,
        narrow=narrow or 0,
    )
    if fits:
        return Answer(Status.PASS, tr("{message}.", message=message), large + small, room, "drives")
    message = tr("{message}: look for brackets or 5.25-inch bays.", message=message)
    return Answer(Status.WARN, message, large + small, room, "drives")


def _lanes(read: Reader, machine: RuleContext) -> Answer:
    board, lines = read.board, _on_m2(machine)
    rows: tuple[M2Socket, ...] = read(board, "m2")
    read.all((board, "slots"), *((line.part, "form_factor") for line in lines))
    fast = [line for line in lines if read(line.part, "kind") is StorageKind.NVME]
    read.all(*((line.part, field) for line in fast for field in ("pcie_generation", "pcie_lanes")))
    for line in lines:
        read.maybe(line.part, "pcie_generation")
        read.maybe(line.part, "pcie_lanes")
    places = machine.population.drives
    taken_by = {key: socket for key, socket in places.items() if socket_form(socket) != U2}
    used = tuple(socket for socket in rows if socket in taken_by.values())
    slower = _slower(fast, taken_by)
    behind = [socket.label for socket in used if socket.attachment is Attachment.CHIPSET]
    taken = _slots_that_pay(machine, {socket.label for socket in used})
    if taken:
        fields = {"sockets": listed([socket.label for socket in used]), "slot": taken[0]}
        message = tr("The drives in {sockets} take lanes from the card in {slot}", **fields)
        better = _costing_nothing(machine, rows, len(used))
        if better:
            message = tr("{message}; in {better} they would take none.", message=message, better=listed(better))
            return Answer(Status.NOTE, message)
        message = tr("{message}; no other socket of {board} avoids that.", message=message, board=board.title)
        return Answer(Status.PASS, message)
    if slower:
        message = tr("{slower}: slower than it could be, and fast enough to feed training.", slower=slower[0])
        return Answer(Status.PASS, message)
    if behind:
        message = trn(
            "{sockets} connects to the chipset and takes no lane from the cards.",
            "{sockets} connect to the chipset and take no lane from the cards.",
            sockets=listed(behind),
            count=len(behind),
        )
        return Answer(Status.PASS, message)
    message = tr(
        "{drives} in {sockets} with all lanes, none taken from a card.",
        drives=trn("{count} M.2 drive", "{count} M.2 drives", count=len(used)),
        sockets=listed([socket.label for socket in used]),
    )
    return Answer(Status.PASS, message)


def _slower(lines: Iterable[Line], places: Mapping[DriveKey, M2Socket]) -> list[str]:
    """Drives that their socket slows down."""
    slow: list[str] = []
    for line in lines:
        spec = line.part.spec
        assert isinstance(spec, StorageSpec)
        generation, lanes = spec.pcie_generation or 0, spec.pcie_lanes or 0
        for number in range(1, line.quantity + 1):
            socket = places.get((line.part.id, number))
            if socket is None or not (socket.lanes < lanes or (socket.generation or generation) < generation):
                continue
            slow.append(
                tr(
                    "{drive} (Gen{generation} x{lanes}) runs at {offered} in {label}",
                    drive=line.part.title,
                    generation=generation,
                    lanes=lanes,
                    offered=plain("Gen{generation} x{lanes}", generation=socket.generation or "?", lanes=socket.lanes),
                    label=socket.label,
                )
            )
    return slow


def _costing_nothing(machine: RuleContext, rows: tuple[M2Socket, ...], drives: int) -> list[str]:
    """Sockets for all drives that take no lane from a card; none where there are too few."""
    labels = [socket.label for socket in rows if socket_form(socket) != U2]
    free = [label for label in labels if not _slots_that_pay(machine, {label})][:drives]
    return free if len(free) == drives and not _slots_that_pay(machine, set(free)) else []


def _slots_that_pay(machine: RuleContext, labels: set[str]) -> list[str]:
    """Slots with a card whose lanes a row of the population table takes because these sockets are filled."""
    spec = machine.board.spec if machine.board else None
    rows = [row for row in getattr(spec, "lane_cases", ()) if row.filled and labels.issuperset(row.filled)]
    if not rows:
        return []
    positions = {card.slot for card in machine.placed}
    full = {slot.label: slot.lanes for position, slot in machine.slots.items() if position in positions}
    return sorted({label for row in rows for label, lanes in row.widths.items() if lanes < full.get(label, 0)})


def _boot(read: Reader, machine: RuleContext) -> Answer:
    lines = machine.lines(Category.STORAGE)
    kinds = read.all(*((line.part, "kind") for line in lines))
    if unplugged := _no_socket(read, lines):
        return unplugged
    if all(kind is StorageKind.HDD for kind in kinds):
        message = tr(
            "Only hard disks: booting is slow, and of images in random order they read about {files:.0f} a second, "
            "until RAM holds them.",
            files=FILES_PER_S[StorageKind.HDD][1],
        )
        return Answer(Status.NOTE, message)
    message = tr(
        "{drives}, one to boot from.",
        drives=trn("{count} drive", "{count} drives", count=machine.count(Category.STORAGE)),
    )
    return Answer(Status.PASS, message)


def _no_socket(read: Reader, lines: Iterable[Line]) -> Answer | None:
    """Where all drives are M.2 ones and the board has no socket, an adapter card in a free slot takes one."""
    machine, board = read.machine, read.machine.board
    if board is None or not all(read.maybe(line.part, "form_factor") in _M2 for line in lines):
        return None
    sockets, slots = read.maybe(board, "m2"), read.maybe(board, "slots")
    if sockets is None or sockets or slots is None:
        return None
    free = len(slots) - len({card.slot for card in machine.placed})
    if free > 0:
        message = tr("{board} has no M.2 socket: the drive needs an adapter card in a free slot.", board=board.title)
        return Answer(Status.WARN, message, 0, 1, "M.2 sockets")
    message = tr(
        "{board} has no M.2 socket and no free slot for an adapter card: there is nothing to boot from.",
        board=board.title,
    )
    return Answer(Status.FAIL, message, 0, 1, "M.2 sockets")


def _count(lines: Iterable[Line], forms: tuple[str, ...]) -> int:
    return sum(line.quantity for line in lines if getattr(line.part.spec, "form_factor", None) in forms)


def _on_m2(machine: RuleContext) -> list[Line]:
    """Drives that are, or may be, in an M.2 socket."""
    forms = ((line, getattr(line.part.spec, "form_factor", None)) for line in machine.lines(Category.STORAGE))
    return [line for line, form in forms if form is None or form.startswith("M.2")]


_DRIVE = (Category.STORAGE, Category.MOTHERBOARD)

DRIVE_RULES = (
    Rule(
        "storage-sockets",
        tr("Drive sockets"),
        tr("M.2 and U.2 drives <= sockets of their form, SATA drives <= ports of the board."),
        "the board's data sheet",
        _sockets,
        _DRIVE,
        gravest=Status.WARN,
        reads=("storage.form_factor", "storage.kind", "motherboard.m2", "motherboard.sata_ports"),
        fixes=(Fewer(Category.STORAGE), OTHER_BOARD),
    ),
    Rule(
        "storage-bays",
        tr("Drive bays"),
        tr(
            "Drives of 3.5 in <= bays of that size; those of 2.5 in take their own bays and what is left of the larger."
        ),
        "the case maker's list of bays; that a 2.5 in drive fits a 3.5 in bay is usual, not confirmed",
        _bays,
        (Category.STORAGE, Category.CASE),
        confirmed=False,
        reads=("storage.form_factor", "case.kind", "case.bays_3_5", "case.bays_2_5"),
        fixes=(Fewer(Category.STORAGE), OTHER_CASE),
    ),
    Rule(
        "storage-lanes",
        tr("Drive lanes"),
        tr(
            "A drive is in the socket that is set for it, else in one that costs no card its lanes, the fastest drive "
            "in the fastest socket; a socket may be slower than its drive or share a slot's lanes."
        ),
        "the board's data sheet and population table",
        _lanes,
        _DRIVE,
        subjects=only_if(_on_m2, tr("No M.2 drive in the build.")),
        gravest=Status.NOTE,
        reads=(
            *("storage.form_factor", "storage.kind", "storage.pcie_generation", "storage.pcie_lanes"),
            *("motherboard.m2", "motherboard.lane_cases", "motherboard.slots", "gpu.form", "cpu.pcie_lanes"),
        ),
    ),
    Rule(
        "boot-drive",
        tr("Boot drive"),
        tr("At least one drive that the board has a socket or a free slot for, and that is not a hard disk."),
        "the board's data sheet; general practice on hard disks",
        _boot,
        (Category.STORAGE,),
        reads=("storage.kind", "storage.form_factor", "motherboard.m2", "motherboard.slots", "gpu.form"),
        fixes=(Add(Category.STORAGE),),
    ),
)
