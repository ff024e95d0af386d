"""Which M.2 or U.2 socket each drive is in: as the user set it, else where it costs the cards nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.parts.board import M2Socket
from core.parts.part import Part
from core.parts.specs import LaneCase, Slot, StorageSpec
from core.parts.vocabulary import Category
from core.plan.build import Build

U2 = "U.2"
FORMS = ("M.2", U2)
"""Forms of drives that take a socket of the board; one goes only into a socket of its own form."""

DriveKey = tuple[str, int]
"""Part id and number of a drive within its line, from 1."""


class Drive(NamedTuple):
    """One drive that takes a socket, and the label of the socket that the user set for it."""

    part: Part
    number: int
    form: str
    label: str | None

    @property
    def key(self) -> DriveKey:
        """Its part id and number."""
        return self.part.id, self.number

    @property
    def speed(self) -> tuple[int, int]:
        """Generation and lanes, 0 where unknown or where it speaks SATA."""
        spec = self.part.spec
        assert isinstance(spec, StorageSpec)
        return spec.pcie_generation or 0, int(spec.pcie_lanes or 0)


def socket_form(socket: M2Socket) -> str:
    """The form of drives that a socket takes."""
    return U2 if socket.label.startswith((U2, "U2")) else "M.2"


def socketed_drives(build: Build) -> Iterator[Drive]:
    """The drives that take a socket of the board, in line order."""
    for line in build.of(Category.STORAGE):
        spec = line.part.spec
        assert isinstance(spec, StorageSpec)
        form = next((form for form in FORMS if (spec.form_factor or "").startswith(form)), None)
        if form is not None:
            for number in range(1, line.quantity + 1):
                yield Drive(line.part, number, form, line.socket(number))


def drive_sockets(build: Build, filled: Iterable[int] | None = None) -> Mapping[DriveKey, M2Socket]:
    """The socket of each drive that gets one.

    A set socket holds where the board has it. The others take those that cost the cards in the `filled` slots no
    lanes, then those that cost no slot any, then the fastest, then the first of the board; the fastest drive gets the
    fastest of them. Without `filled` the cards are where they sit.
    """
    board = build.motherboard
    carried = {host for carrier in build.carriers for host in carrier.hosts}
    sockets = (socket for socket in (board[1].m2 or ()) if socket.label not in carried) if board else ()
    free = {socket.label: socket for socket in sockets}
    if not free or not build.of(Category.STORAGE):
        return {}
    taken: dict[DriveKey, M2Socket] = {}
    waiting: list[Drive] = []
    for drive in socketed_drives(build):
        socket = free.get(drive.label) if drive.label else None
        if socket is not None and socket_form(socket) == drive.form:
            taken[drive.key] = free.pop(socket.label)
        else:
            waiting.append(drive)
    cards = frozenset(card.slot for card in build.cards()) if filled is None else frozenset(filled)
    cost = _Cost(build, cards | {host for host in carried if isinstance(host, int)})
    for form in FORMS:
        drives = sorted((drive for drive in waiting if drive.form == form), key=lambda drive: drive.speed, reverse=True)
        chosen = _cheapest(drives, [s for s in free.values() if socket_form(s) == form], taken.values(), cost)
        taken |= {drive.key: socket for drive, socket in zip(drives, chosen, strict=False)}
    return taken


def ranked_rows(build: Build) -> tuple[LaneCase, ...]:
    """The rows of the board's population table that can hold with this CPU, the one that wins first."""
    board = build.motherboard
    lanes = cpu_lanes(build)
    rows = board[1].lane_cases if board else ()
    possible = (row for row in rows if row.cpu_lanes is None or (lanes is not None and lanes <= row.cpu_lanes))
    return tuple(sorted(possible, key=_rank, reverse=True))


def cpu_lanes(build: Build) -> int | None:
    """Lanes of the CPU, the narrowest if they differ; None if unknown or there is none."""
    lanes = [spec.pcie_lanes for _, spec in build.cpus()]
    stated = [count for count in lanes if count is not None]
    return min(stated) if stated and len(stated) == len(lanes) else None


def _rank(row: LaneCase) -> tuple[int, bool, int]:
    """The most entries, then made for such a CPU, then for the narrowest."""
    return len(row.filled), row.cpu_lanes is not None, -(row.cpu_lanes or 0)


class _Cost:
    """What filled sockets take from the slots."""

    def __init__(self, build: Build, filled: frozenset[int | None]) -> None:
        self.slots: Sequence[Slot] = build.board_slots()
        self.filled = frozenset(slot.label for slot in self.slots if slot.position in filled)
        self.all = frozenset(slot.label for slot in self.slots)
        rows = ranked_rows(build)
        self.rows = rows if any(not self.all.issuperset(row.filled) for row in rows) else ()
        """None where no socket shares lanes with a slot."""

    def of(self, sockets: frozenset[str]) -> tuple[int, int]:
        """Lanes that the cards in their slots lose, and those that cards in all slots would."""
        return self._lost(self.filled, sockets), self._lost(self.all, sockets)

    def _lost(self, filled: frozenset[str], sockets: frozenset[str]) -> int:
        return self._left(filled, frozenset()) - self._left(filled, sockets) if self.rows else 0

    def _left(self, filled: frozenset[str], sockets: frozenset[str]) -> int:
        used = filled | sockets
        holding = [row for row in self.rows if used.issuperset(row.filled)]
        lanes = 0
        for slot in self.slots:
            if slot.label in filled:
                row = next((row for row in holding if slot.label in row.widths), None)
                lanes += int(slot.lanes) if row is None else min(row.widths[slot.label], int(slot.lanes))
        return lanes


def _cheapest(drives: Sequence[Drive], free: list[M2Socket], taken: Iterable[M2Socket], cost: _Cost) -> list[M2Socket]:
    """The sockets for these drives, the fastest first."""
    used = frozenset(socket.label for socket in taken)
    chosen: list[M2Socket] = []
    for _ in drives[: len(free)]:
        best = min(free, key=lambda socket: (*cost.of(used | {socket.label}), *_slowness(socket)))
        free.remove(best)
        used |= {best.label}
        chosen.append(best)
    return sorted(chosen, key=_slowness)


def _slowness(socket: M2Socket) -> tuple[int, int]:
    return -(socket.generation or 0), -socket.lanes
