"""How many lanes each slot has when exactly these slots and M.2 sockets are filled: the board's population table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.build.build import Build
from core.build.seats import Seat
from core.parts.specs import LaneCase, Slot, StorageSpec
from core.parts.vocabulary import Category


@dataclass(frozen=True, slots=True)
class Width:
    """Electrical lanes of a slot, and the row of the table that decided; None where nothing shares."""

    lanes: int
    row: LaneCase | None = None
    share: float = 1.0
    """Of the host's lanes, what the seat of a carrier, or the switch that it hangs on, has left."""


class Population:
    """A board's table with what does not depend on where cards sit: M.2 sockets in use and the lanes of its CPU."""

    def __init__(self, build: Build) -> None:
        board = build.motherboard
        self.slots: dict[int, Slot] = {slot.position: slot for slot in build.seats()}
        self.m2 = used_m2(build)
        hosts = [host for carrier in build.carriers for host in carrier.hosts]
        self.carried = frozenset(host for host in hosts if isinstance(host, int) and host in self.slots)
        """Positions that hold a carrier."""
        self.cpu_lanes = cpu_lanes(build)
        rows = board[1].lane_cases if board else ()
        possible = [row for row in rows if self._may_hold(row)]
        self.rows: tuple[LaneCase, ...] = tuple(sorted(possible, key=_rank, reverse=True))
        """Those that can hold with these drives and this CPU, the one that wins first."""
        self._seats = {position: seat for position, seat in self.slots.items() if isinstance(seat, Seat)}
        self._full = {position: Width(int(slot.lanes)) for position, slot in self.slots.items()}
        self._full |= {position: Width(0) for position, seat in self._seats.items() if not seat.plugged}

    def widths(self, positions: Iterable[int]) -> Mapping[int, Width]:
        """Lanes by slot position with cards in these positions (see `LaneCase` for which row wins)."""
        if not self.rows:
            return self._full
        taken = self.carried.union(positions)
        holding = [row for row in self.rows if self.needed(row) <= taken]
        widths = dict(self._full)
        for position, slot in self.slots.items():
            row = next((row for row in holding if slot.label in row.widths), None)
            if row is not None:
                widths[position] = width_by(row, slot)
        for position, seat in self._seats.items():
            if isinstance(seat.board_host, int) and seat.board_host in self.slots:
                widths[position] = self._narrowed(seat, seat.board_host, widths[seat.board_host])
        return widths

    def _narrowed(self, seat: Seat, host: int, width: Width) -> Width:
        """A seat whose carrier's slot has lost lanes: behind a switch it keeps its own."""
        share = width.lanes / int(self.slots[host].lanes)
        if seat.switch_uplink is not None:
            return Width(int(seat.lanes) if share else 0, width.row, share)
        return Width(int(int(seat.lanes) * share), width.row, share)

    def needed(self, row: LaneCase) -> frozenset[int]:
        """Slot positions that must be filled for a row to hold; its M.2 sockets are in use already."""
        return frozenset(position for position, slot in self.slots.items() if slot.label in row.filled)

    def rows_of(self, slot: Slot) -> tuple[LaneCase, ...]:
        """The rows that name a slot, the one that wins first."""
        return tuple(row for row in self.rows if slot.label in row.widths)

    def _may_hold(self, row: LaneCase) -> bool:
        labels = {slot.label for slot in self.slots.values()} | set(self.m2)
        narrow = row.cpu_lanes is None or (self.cpu_lanes is not None and self.cpu_lanes <= row.cpu_lanes)
        return narrow and labels.issuperset(row.filled)


def width_by(row: LaneCase, slot: Slot) -> Width:
    """What a row leaves to a slot that it names: never more than the slot has."""
    return Width(min(row.widths[slot.label], int(slot.lanes)), row)


def _rank(row: LaneCase) -> tuple[int, bool, int]:
    """The most entries, then made for such a CPU, then for the narrowest."""
    return len(row.filled), row.cpu_lanes is not None, -(row.cpu_lanes or 0)


def used_m2(build: Build) -> tuple[str, ...]:
    """Labels of the M.2 and U.2 sockets in use: drives of each kind take theirs in the board's order."""
    board = build.motherboard
    sockets = (board[1].m2 or ()) if board else ()
    u2 = [socket.label for socket in sockets if socket.label.startswith("U.2")]
    m2 = [socket.label for socket in sockets if not socket.label.startswith("U.2")]
    hosts = [host for carrier in build.carriers for host in carrier.hosts if isinstance(host, str)]
    free = [label for label in m2 if label not in hosts]
    carried = [label for label in (*m2, *u2) if label in hosts]
    return (*carried, *free[: _drives(build, "M.2")], *u2[: _drives(build, "U.2")])


def cpu_lanes(build: Build) -> int | None:
    """Lanes of the CPU, the narrowest if they differ; None if unknown or there is none."""
    lanes = [spec.pcie_lanes for _, spec in build.cpus()]
    known = [count for count in lanes if count is not None]
    return min(known) if known and len(known) == len(lanes) else None


def _drives(build: Build, form: str) -> int:
    lines = build.of(Category.STORAGE)
    return sum(
        line.quantity
        for line in lines
        if isinstance(spec := line.part.spec, StorageSpec) and (spec.form_factor or "").startswith(form)
    )
