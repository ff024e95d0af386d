"""Whether the platform has room in its addresses for what the GPUs map of their memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from core.parts.compute import Window, window
from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Bar1Kind, Category, Socket
from core.plan.line import Line
from core.plan.placement.topology import ONE_HOST_BRIDGE
from core.rules.changes import OTHER_BOARD, Move
from core.rules.context import RuleContext
from core.rules.finding import Status
from core.rules.memory import ram_gb
from core.rules.rule import Answer, Reader, Rule, Subjects
from core.words import listed, plain, tr

MANY_GPUS = 4
"""From so many GPUs on even their small windows crowd the space below 4 GB (miyconst/Mi899 39)."""
BELOW_4G_GB = 4.0
"""A window of so much cannot lie below 4 GB."""
OVERHEAD = 1.1
"""Registers, bridges and alignment beside the memory windows: an estimate."""
ALIGNED = 1.5
"""A bridge in front of a card asks for half as much again: 48 GB for a window of 32 (xCuri0/ReBarUEFI 395, dmesg)."""
OLD_SOCKETS = frozenset(
    {Socket.LGA1366, Socket.LGA1156, Socket.LGA1155, Socket.LGA1150, Socket.LGA2011, Socket.AM3, Socket.AM3_PLUS}
)
"""Desktop boards up to 2014 often map nothing above 4 GB (xCuri0/ReBarUEFI 221: X79 and a Tesla K80)."""


class Room(NamedTuple):
    """GB of addresses above 4 GB that devices may have."""

    gb: float
    fits_gb: float
    """The sum of windows that surely finds place in it; between that and `gb` it depends on the firmware."""
    reason: str
    limit: bool = False
    """Set by the CPU's address lines, not by the firmware."""
    hint: bool = False
    """A setting makes more."""


ADDRESS_GB = {Socket.LGA1155: 64.0}
"""What the CPUs can address, RAM included: 36 bits on Sandy and Ivy Bridge (xCuri0/ReBarUEFI 45 and 395, whose dmesg
ends the window at 0xfffffffff)."""
FIRMWARE_GB = {Socket.LGA1150: 32.0, Socket.LGA1151: 64.0}
"""What boards hand out although the CPU addresses 512 GB: 32 to 63 GB on Z97 (xCuri0/ReBarUEFI 10), 64 GB from 128 GB
on for Skylake to Coffee Lake (163: one P40 starts, two do not; 398: three windows of 16 GB do not; 399)."""
SEEN_GB = dict.fromkeys((Socket.AM4, Socket.AM5, Socket.LGA1200, Socket.LGA1700, Socket.LGA1851), 160.0)
"""The most that is known to have found place: five windows of 32 GB on a desktop board where the sixth did not
(NVIDIA/open-gpu-kernel-modules 510)."""
WITH_USB4_GB = {Socket.STR5: 512.0}
"""What finds place while the board's USB4 is on: four windows of 128 GB. With five the last card does not work, with
six a WRX90E-SAGE does not get through POST (local-inference-lab/rtx6kpro 5). With USB4 off, sixteen do."""
LARGEST_SETTING_GB = {Socket.LGA2011_3: 128.0}
"""The most that the setting MMIOH Size was seen to offer, per CPU (xCuri0/ReBarUEFI 189)."""


class _Asked(NamedTuple):
    """A line of GPUs with the window of each card."""

    line: Line
    window: Window

    @property
    def low_gb(self) -> float:
        return self.window.low_gb * self.line.quantity

    @property
    def high_gb(self) -> float:
        return self.window.high_gb * self.line.quantity


def _bar(read: Reader, machine: RuleContext) -> Answer:
    board = read.board
    gpus = [_Asked(line, _window(read, line.part)) for line in machine.lines(Category.GPU)]
    always = [one for one in gpus if one.window.low_gb >= BELOW_4G_GB]
    perhaps = [one for one in gpus if one.window.high_gb >= BELOW_4G_GB > one.window.low_gb and not _resizes(one)]
    many = sum(one.line.quantity for one in gpus) >= MANY_GPUS
    above = read.maybe(board, "above_4g")
    if above is False:
        return _without(read, board, gpus, always, perhaps, many=many)
    if above is None and (always or perhaps or many) and read(board, "socket") in OLD_SOCKETS:
        message = tr(
            "{cards} can start only with Above 4G Decoding. Whether {board} has it is unknown, and many "
            "boards of its age do not: look for it in the manual.",
            cards=_titles([*always, *perhaps] or gpus),
            board=board.title,
        )
        return Answer(Status.WARN, message)
    if above is None and (always or many):
        read(board, "above_4g")
    most = sum(one.high_gb for one in gpus)
    if most < BELOW_4G_GB:
        message = tr("The GPUs use small BAR1 windows, {each}, which most boards can map.", each=_each(gpus))
        return Answer(Status.PASS, message, most, BELOW_4G_GB, "GB")
    fields = {"each": _each(gpus), "total": most * OVERHEAD}
    words = tr("Full-memory BAR1 windows of the GPUs need {each}, {total:.0f} GB with the rest", **fields)
    if above is None:
        fields = {"words": words, "board": board.title}
        message = tr(
            "{words}. Whether {board} has Above 4G Decoding is unknown; without it, small windows have to do.", **fields
        )
        return Answer(Status.NOTE, message, most, unit="GB")
    return _within(read, machine, words, gpus)


def _without(
    read: Reader, board: Part, gpus: list[_Asked], always: list[_Asked], perhaps: list[_Asked], *, many: bool
) -> Answer:
    """No Above 4G Decoding: all windows must lie below 4 GB."""
    most = sum(one.high_gb for one in gpus)
    if always:
        fields: dict[str, object] = {"each": _each(always), "board": board.title, "cards": _titles(always)}
        message = tr(
            "{each} of BAR1 cannot lie below 4 GB, and {board} has no Above 4G Decoding: no addresses for {cards} "
            "(code 12 in Windows). Take a board with Above 4G Decoding; Linux with pci=realloc is the last resort.",
            **fields,
        )
        return Answer(Status.FAIL, message, sum(one.low_gb for one in always), BELOW_4G_GB, "GB")
    if many:
        message = tr(
            "Full-memory BAR1 windows of the GPUs need {each}; {board} has no Above 4G Decoding: below 4 GB, three "
            "cards find room for small windows, a fourth often does not.",
            each=_each(gpus),
            board=board.title,
        )
        return Answer(Status.WARN, message, most, unit="GB")
    for one in perhaps:
        if one.window.kind is None:
            raise read.give_up(one.line.part, "bar1_gb")
    if perhaps:
        fields = {"cards": _titles(perhaps), "each": _each(perhaps), "board": board.title}
        message = tr(
            "{cards} maps all its memory, {each}, in one of its variants or display modes, and {board} has no Above 4G "
            "Decoding for that. Set the card to 256 MB before it goes in, or take a board with Above 4G Decoding.",
            **fields,
        )
        return Answer(Status.WARN, message, most, BELOW_4G_GB, "GB")
    message = tr(
        "{board} has no Above 4G Decoding: the GPUs keep small BAR1 windows of 256 MB, without Resizable BAR.",
        board=board.title,
    )
    return Answer(Status.NOTE, message, sum(one.low_gb for one in gpus), BELOW_4G_GB, "GB")


def _within(read: Reader, machine: RuleContext, words: str, gpus: list[_Asked]) -> Answer:
    """Above 4G Decoding is there: the sum against the room."""
    board = read.board
    resizable = read.maybe(board, "resizable_bar")
    least = sum(one.low_gb for one in gpus)
    most = sum(one.low_gb if resizable is False and _resizes(one) else one.high_gb for one in gpus)
    socket = read(board, "socket")
    room = _room(read, machine, socket)
    if room is None and socket in ONE_HOST_BRIDGE and least >= BELOW_4G_GB:
        raise read.give_up(board, "mmio_gb")
    if room and most > room.fits_gb:
        unknown = [one for one in gpus if one.window.kind is None]
        if unknown and most - sum(one.high_gb - one.low_gb for one in unknown) <= room.fits_gb:
            raise read.give_up(unknown[0].line.part, "bar1_gb")
        surely = sum(one.low_gb if _resizes(one) else one.high_gb for one in gpus)
        message = tr("{words}; {reason}", words=words, reason=room.reason)
        if room.limit and least >= room.gb:
            return Answer(Status.FAIL, message, least, room.gb, "GB")
        small = surely <= room.fits_gb and socket not in SEEN_GB
        return Answer(Status.NOTE if small or room.hint else Status.WARN, message, most, room.gb, "GB")
    fields = {"words": words, "board": board.title}
    if resizable is None:
        message = tr("{words}. {board} has Above 4G Decoding and may or may not have Resizable BAR.", **fields)
    elif resizable:
        message = tr("{words}. {board} has Above 4G Decoding and Resizable BAR.", **fields)
    else:
        message = tr("{words}. {board} has Above 4G Decoding but no Resizable BAR.", **fields)
    return Answer(Status.PASS, message, most, room.gb if room else None, "GB")


def _room(read: Reader, machine: RuleContext, socket: Socket) -> Room | None:
    """What the platform hands out; None where that is unknown, or where the CPU has several host bridges."""
    stated = read.maybe(read.board, "mmio_gb")
    if stated is not None:
        return _firmware(float(stated))
    if socket in ADDRESS_GB:
        whole, ram = ADDRESS_GB[socket], ram_gb(read, machine)
        left = max(whole - ram, 0.0)
        fields = {"left": left, "whole": whole, "ram": ram}
        reason = tr(
            "{left:g} GB are there: the CPU addresses {whole:g} GB, {ram:g} GB are RAM. A card that cannot map "
            "its window stops with code 12; less RAM or a later platform makes room.",
            **fields,
        )
        return Room(left, _aligned(left), reason, limit=True)
    if socket in FIRMWARE_GB:
        return _firmware(FIRMWARE_GB[socket])
    if socket in SEEN_GB:
        reason = tr("on a desktop board the windows of five RTX 4090 fit, a sixth did not.")
        return Room(SEEN_GB[socket], SEEN_GB[socket], reason)
    if socket in WITH_USB4_GB:
        gb = WITH_USB4_GB[socket]
        reason = tr("with USB4 on, such boards have room for {gb:g} GB: switch it off in the firmware.", gb=gb)
        return Room(gb, gb, reason, hint=True)
    if socket in LARGEST_SETTING_GB:
        gb = LARGEST_SETTING_GB[socket] * max(machine.count(Category.CPU), 1)
        reason = tr("the largest MMIOH Size that such boards are known to offer is {gb:g} GB: look for it.", gb=gb)
        return Room(gb, gb, reason)
    return None


def _firmware(gb: float) -> Room:
    reason = tr(
        "the firmware of such boards hands out {gb:g} GB, and a window takes up to half as much again. Take fewer "
        "cards that map all their memory, or a later platform.",
        gb=gb,
    )
    return Room(gb, _aligned(gb), reason)


def _aligned(gb: float) -> float:
    """A sum that takes exactly all is too much: other devices need their addresses, too."""
    return gb / ALIGNED - 0.5


def _resizes(one: _Asked) -> bool:
    return one.window.kind is Bar1Kind.RESIZABLE


def _window(read: Reader, part: Part) -> Window:
    assert isinstance(part.spec, GpuSpec)
    read.maybe(part, "bar1" if part.spec.bar1_gb is None else "bar1_gb")
    own_window = window(part.spec)
    if own_window is None:
        raise read.give_up(part, "memory_gb")
    return own_window


def _titles(gpus: Iterable[_Asked]) -> str:
    return listed([one.line.part.title for one in gpus])


def _each(gpus: Iterable[_Asked]) -> str:
    windows: Counter[float] = Counter()
    for one in gpus:
        windows[one.window.high_gb] += one.line.quantity
    return listed([plain("{number} x {size:g} GB", number=count, size=size) for size, count in windows.items()])


def _if_windows(machine: RuleContext) -> list[RuleContext]:
    """Several cards, or one that may ask for more than 256 MB of a board without Resizable BAR."""
    kinds = (window(line.part.spec) for line in machine.lines(Category.GPU) if isinstance(line.part.spec, GpuSpec))
    large = any(one is None or one.kind not in (Bar1Kind.SMALL, Bar1Kind.RESIZABLE) for one in kinds)
    return [machine] if machine.count(Category.GPU) > 1 or large else []


BAR_SPACE = Rule(
    "bar-space",
    tr("Address space for the GPUs"),
    tr(
        "BAR1 per GPU is the next power of two of its memory, or 256 MB; the sum must fit above 4 GB into what CPU and "
        "firmware hand out: 64 GB less RAM on Sandy and Ivy Bridge, 32 GB on LGA1150, 64 GB on LGA1151, 128 GB on "
        "LGA2011-3."
    ),
    "NVIDIA/open-gpu-kernel-modules 510; xCuri0/ReBarUEFI 10, 45, 163, 189, 395, 398, 399; "
    "local-inference-lab/rtx6kpro 5; Microsoft, resizable BAR support",
    _bar,
    (Category.MOTHERBOARD,),
    subjects=Subjects(_if_windows, tr("One GPU, whose small window any board can map.")),
    reads=(
        *("gpu.bar1", "gpu.bar1_gb", "gpu.memory_gb", "gpu.chips", "ram.modules", "ram.module_gb"),
        *("motherboard.above_4g", "motherboard.resizable_bar", "motherboard.socket", "motherboard.mmio_gb"),
    ),
    fixes=(OTHER_BOARD, Move.FEWER_CARDS),
)
