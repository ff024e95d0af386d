"""What a carrier plugs into: the free host of its kind that costs the cards least, and how hosts follow edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import chain

from core.parts.specs import Slot
from core.parts.vocabulary import Attachment, Category, SeatKind
from core.plan.build import Build
from core.plan.line import Line
from core.plan.seats import Carrier, Host, Seat, SlotNumber, is_slot_number, on_carrier
from core.plan.slots import taken_positions

M2_LANES = 4


def hosts_text(line: Line) -> str:
    """The hosts of a line of carriers as they are typed: "1, M2_3, MCIO1+MCIO2"; ? is not plugged yet."""
    units = [*line.hosts, *[()] * (line.quantity - len(line.hosts))]
    return ", ".join("+".join(map(str, hosts)) or "?" for hosts in units)


def parse_hosts(text: str) -> tuple[tuple[Host, ...], ...]:
    """Reads `hosts_text`: a number or C1/2 is a slot or seat, all else the label of a socket."""
    return tuple(
        tuple(map(_parse_host, filter(None, map(str.strip, unit.split("+"))))) if unit.strip() not in ("", "?") else ()
        for unit in text.split(",")
    )


def _parse_host(text: str) -> Host:
    return SlotNumber.parse(text) if text.isdecimal() or is_slot_number(text) else text


def socket_labels(build: Build) -> tuple[str, ...]:
    """Labels of the board's M.2 sockets and host ports."""
    board = build.motherboard
    if board is None:
        return ()
    m2, ports = board[1].m2 or (), board[1].host_ports
    return (*(socket.label for socket in m2), *(port.label for port in ports))


def free_hosts(build: Build, carrier: Carrier) -> tuple[Host, ...]:
    """Where this carrier could plug in: several ports where its plug takes them, none where nothing is free."""
    taken = {host for one in build.carriers if one.number != carrier.number for host in one.hosts}
    lanes = int(carrier.spec.host_lanes or 0)
    match carrier.spec.host:
        case SeatKind.SLOT | None:
            slot = _best_slot(build, taken, lanes)
            return (slot.position,) if slot else ()
        case SeatKind.M2:
            labels = list(_free_m2(build, taken))
            return (labels[-1],) if labels else ()
    ports = _ports(build, taken, carrier, lanes)
    # Without a host card of its own in the build, one is bought with it: it takes a slot.
    return ports or ((slot.position,) if (slot := _best_slot(build, taken, lanes)) else ())


def _best_slot(build: Build, taken: set[Host], lanes: int) -> Slot | None:
    return min(_free_slots(build, taken, lanes), key=lambda slot: _slot_rank(slot, lanes), default=None)


def _free_slots(build: Build, taken: set[Host], lanes: int) -> list[Slot]:
    under = taken_positions(build)
    cpus = max(1, build.count(Category.CPU))
    return [
        slot
        for slot in build.board_slots()
        if slot.position not in under
        and slot.position not in taken
        and (slot.attachment is Attachment.CHIPSET or slot.cpu < cpus)
        and (slot.mechanical_lanes >= lanes or slot.open_ended)
    ]


def _slot_rank(slot: Slot, lanes: int) -> tuple[bool, bool, int]:
    """A slot of the CPU with all its lanes first, then from the top."""
    return int(slot.lanes) < lanes, slot.attachment is Attachment.CHIPSET, slot.position


def _free_m2(build: Build, taken: set[Host]) -> Iterator[str]:
    """Sockets of four lanes, the one that costs least last: on the CPU, but taking no lanes from a slot."""
    board = build.motherboard
    sockets = [one for one in (board[1].m2 or () if board else ()) if not one.label.startswith("U.2")]
    costly = {label for row in (board[1].lane_cases if board else ()) for label in row.filled}
    free = [one for one in sockets if one.label not in taken and int(one.lanes) >= M2_LANES]
    for socket in sorted(free, key=lambda one: (one.label not in costly, one.attachment is Attachment.CPU)):
        yield socket.label


def _ports(build: Build, taken: set[Host], carrier: Carrier, lanes: int) -> tuple[Host, ...]:
    """As many free ports of its kind as its plug has lanes, of the board or of other carriers.

    Those of one root complex or one carrier first: lanes of two do not make one link.
    """
    kind, board = carrier.spec.host, build.motherboard
    alike: dict[object, dict[Host, int]] = {}
    for port in board[1].host_ports if board else ():
        if port.kind is kind and port.label not in taken:
            alike.setdefault((port.cpu, port.root), {})[port.label] = int(port.lanes)
    for seat in build.seats():
        number = SlotNumber(seat.position).carrier
        able = isinstance(seat, Seat) and seat.kind is kind and seat.plugged and number != carrier.number
        if able and seat.position not in taken:
            alike.setdefault(number, {})[SlotNumber(seat.position)] = int(seat.lanes)
    whole = [ports for ports in alike.values() if sum(ports.values()) >= lanes]
    chosen: list[Host] = []
    for host, width in (whole or [dict(chain.from_iterable(map(dict.items, alike.values())))])[0].items():
        if lanes > 0:
            chosen.append(host)
            lanes -= width
    return tuple(chosen)


def with_hosts(build: Build) -> Build:
    """The build with every carrier plugged in that has no host yet, where one is free."""
    for number in range(1, len(build.carriers) + 1):
        carrier = build.carriers[number - 1]
        if not carrier.hosts and (hosts := free_hosts(build, carrier)):
            build = _plugged(build, carrier, hosts)
    return build


def _plugged(build: Build, carrier: Carrier, hosts: tuple[Host, ...]) -> Build:
    own = carrier.part.id
    return build.with_lines(
        tuple(_with_hosts(line, carrier.unit, hosts) if line.part.id == own else line for line in build.lines)
    )


def _with_hosts(line: Line, unit: int, hosts: tuple[Host, ...]) -> Line:
    units = [*line.hosts, *[()] * (line.quantity - len(line.hosts))]
    units[unit - 1] = hosts
    return replace(line, hosts=tuple(units))


def keeping_carriers(before: Build, after: Build, swapped: Mapping[str, str] | None = None) -> Build:
    """`after`, with each card on the carrier that it sat on in `before`, whatever its number is now.

    `swapped` names the part that took another one's place. A card whose carrier is gone has no slot any more, and a
    carrier whose host is gone is not plugged.
    """
    if not before.carriers and not after.carriers:
        return after
    names = swapped or {}
    numbers = {(carrier.part.id, carrier.unit): carrier.number for carrier in after.carriers}
    renumbered = {one.number: numbers.get((names.get(one.part.id, one.part.id), one.unit)) for one in before.carriers}
    if all(old == new for old, new in renumbered.items()):
        return after
    return after.with_lines(tuple(_renumbered(line, renumbered) for line in after.lines))


def _renumbered(line: Line, numbers: Mapping[int, int | None]) -> Line:
    slots = tuple(_moved(slot, numbers) for slot in line.slots)
    hosts = tuple(_moved_hosts(several, numbers) for several in line.hosts)
    return replace(line, slots=tuple(slot for slot in slots if slot is not None), hosts=hosts)


def _moved(slot: int, numbers: Mapping[int, int | None]) -> SlotNumber | None:
    place = SlotNumber(slot)
    if place.carrier is None:
        return place
    carrier = numbers.get(place.carrier, place.carrier)
    return None if carrier is None else SlotNumber.on_carrier(carrier, place.seat)


def _moved_hosts(hosts: tuple[Host, ...], numbers: Mapping[int, int | None]) -> tuple[Host, ...]:
    """The same hosts by their numbers now; none where one of them is gone."""
    moved = [_moved(host, numbers) if isinstance(host, int) and on_carrier(host) else host for host in hosts]
    return tuple(host for host in moved if host is not None) if None not in moved else ()
