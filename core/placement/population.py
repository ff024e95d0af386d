"""How many lanes each slot has when exactly these slots and M.2 sockets are filled: the board's population table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from core.build.build import Build
from core.build.seats import Seat
from core.parts.specs import LaneCase, Slot
from core.placement.sockets import drive_sockets, ranked_rows


@dataclass(frozen=True, slots=True)
class Width:
    """Electrical lanes of a slot, and the row of the table that decided; None where nothing shares."""

    lanes: int
    row: LaneCase | None = None
    share: float = 1.0
    """Of the host's lanes, what the seat of a carrier, or the switch that it hangs on, has left."""


class Population:
    """A board's table with what does not depend on where cards sit: M.2 sockets in use and the lanes of its CPU."""

    def __init__(self, build: Build, filled: Iterable[int] | None = None) -> None:
        """Drives keep clear of cards in the `filled` slots; without these, of the cards where they sit."""
        self.slots: dict[int, Slot] = {slot.position: slot for slot in build.seats()}
        self.drives = drive_sockets(build, filled)
        """The socket of each drive that gets one."""
        self.sockets = {socket.label for socket in self.drives.values()}
        """Labels of the M.2 and U.2 sockets in use, by drives and by carriers."""
        self.sockets |= {host for carrier in build.carriers for host in carrier.hosts if isinstance(host, str)}
        used = self.sockets.union(slot.label for slot in self.slots.values())
        self.rows: tuple[LaneCase, ...] = tuple(row for row in ranked_rows(build) if used.issuperset(row.filled))
        """Those that can hold with these drives and this CPU, the one that wins first."""
        hosts = [host for carrier in build.carriers for host in carrier.hosts]
        self.carried = frozenset(host for host in hosts if isinstance(host, int) and host in self.slots)
        """Positions that hold a carrier."""
        self._seats = {position: seat for position, seat in self.slots.items() if isinstance(seat, Seat)}
        self._full = {position: Width(int(slot.lanes)) for position, slot in self.slots.items()}
        self._cases: dict[int, Sequence[tuple[frozenset[int], Width]]] = {}
        self._full |= {position: Width(0) for position, seat in self._seats.items() if not seat.plugged}

    def widths(self, positions: Iterable[int]) -> Mapping[int, Width]:
        """Lanes by slot position with cards in these positions (see `LaneCase` for which row wins)."""
        if not self.rows:
            return self._full
        taken = self.carried.union(positions)
        return {at: next(width for needed, width in self.cases(at) if needed <= taken) for at in self.slots}

    def cases(self, position: int) -> Sequence[tuple[frozenset[int], Width]]:
        """The widths that a slot can have, with the slots that must be filled for each; the first that holds wins."""
        cases = self._cases.get(position)
        if cases is None:
            seat, slot = self._seats.get(position), self.slots[position]
            host = seat.board_host if seat else None
            if seat and isinstance(host, int) and host in self.slots:
                cases = [(needed, self._narrowed(seat, host, width)) for needed, width in self.cases(host)]
            else:
                cases = [
                    (self.needed(row), Width(min(row.widths[slot.label], int(slot.lanes)), row))
                    for row in self.rows
                    if slot.label in row.widths
                ]
                cases.append((frozenset(), self._full[position]))
            self._cases[position] = cases
        return cases

    def _narrowed(self, seat: Seat, host: int, width: Width) -> Width:
        """A seat whose carrier's slot has lost lanes: behind a switch it keeps its own."""
        share = width.lanes / int(self.slots[host].lanes)
        if seat.switch_uplink is not None:
            return Width(int(seat.lanes) if share else 0, width.row, share)
        return Width(int(int(seat.lanes) * share), width.row, share)

    def needed(self, row: LaneCase) -> frozenset[int]:
        """Slot positions that must be filled for a row to hold; its M.2 sockets are in use already."""
        return frozenset(position for position, slot in self.slots.items() if slot.label in row.filled)
