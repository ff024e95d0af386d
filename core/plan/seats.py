"""Seats for cards beyond the board's slots: on adapters, splitters, switches, module carriers and in external boxes.

A carrier plugs into a host: a slot or M.2 socket or host port of the board, or a seat of another carrier. Its seats
are slots to whoever places cards, asks for links or counts lanes: `Seat` is a `Slot` with its way to the board.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from core.parts.board import CarrierSeat, CarrierSpec, MotherboardSpec, Slot
from core.parts.part import Part
from core.parts.vocabulary import Attachment, ModuleSocket, SeatKind
from core.platform.errors import BadInput
from core.words import tr

MAX_POSITION = 24
"""The lowest slot position of a board, and the highest number of a seat on a carrier."""
MAX_CARRIERS = 64
UPLINK_LANES = {Attachment.SWITCH: 16, Attachment.CHIPSET: 4}
"""Lanes between CPU and a board's own switch, which every board of the catalogue has, and between CPU and chipset, as
most boards have; some newer ones have eight (not confirmed per board). A board's data state neither."""
_BLOCK = 100
_ADDRESS = re.compile(r"C([1-9][0-9]?)/([1-9][0-9]?)", re.IGNORECASE)


class SlotNumber(int):
    """Where a card sits: 3 is the board's slot 3, C1/2 seat 2 of carrier 1.

    A number that sorts behind the board's slots, so that one table holds all seats; seats of one carrier count in slot
    pitches like a board's.
    """

    __slots__ = ()

    @classmethod
    def on_carrier(cls, carrier: int, seat: int) -> SlotNumber:
        """Seat `seat` of carrier `carrier`, both from 1."""
        return cls(_BLOCK * carrier + seat)

    @classmethod
    def parse(cls, text: str) -> SlotNumber:
        """Reads "3" or "C1/2". Raises ValueError."""
        address = _ADDRESS.fullmatch(text.strip())
        if address is None:
            return cls(text)
        return cls.on_carrier(int(address[1]), int(address[2]))

    @property
    def carrier(self) -> int | None:
        """The number of the carrier; None on the board."""
        return int(self) // _BLOCK or None

    @property
    def seat(self) -> int:
        """The position on the board or the carrier."""
        return int(self) % _BLOCK

    def __str__(self) -> str:
        return int.__repr__(self) if self < _BLOCK else f"C{self.carrier}/{self.seat}"

    __repr__ = __str__


def read_slots(text: str) -> tuple[int, ...]:
    """Slots of a board as one types them: "1,3,5". Raises BadInput."""
    words = [word.strip() for word in text.split(",")]
    if not all(re.fullmatch("[0-9]{1,2}", word) and 1 <= int(word) <= MAX_POSITION for word in words):
        raise BadInput(
            tr(
                "{given!r} is not a list of slots. Write their numbers, 1 to {most}, like 1,3,5.",
                given=text,
                most=MAX_POSITION,
            )
        )
    return tuple(map(int, words))


def on_carrier(position: int | None) -> bool:
    """Whether a slot position is a seat of a carrier, not a slot of the board."""
    return position is not None and position >= _BLOCK


def is_slot_number(host: int | str) -> bool:
    """Whether a host is written as a slot position, not as the label of a socket."""
    return isinstance(host, int) or _ADDRESS.fullmatch(host) is not None


def is_position(position: int) -> bool:
    """Whether a board or a carrier can have such a slot position."""
    return 1 <= position % _BLOCK <= MAX_POSITION and 0 <= position // _BLOCK <= MAX_CARRIERS


Host = int | str
"""What a carrier plugs into: a slot position (of the board or of a carrier), or the label of a socket of the board."""


class Uplink(NamedTuple):
    """A link that several seats share."""

    generation: int
    lanes: int

    @property
    def rate(self) -> int:
        """Of two links the one with the lower rate is the slower; no unit."""
        return self.lanes << self.generation


class Seat(Slot):
    """A seat of a carrier as a slot: `position` is its `SlotNumber`, generation and lanes are those of the way to it.

    `kind` is what it is made for; only slots and module sockets take cards. `plugged` is False while its carrier has no
    host.
    """

    carrier: Part
    unit: int
    kind: SeatKind
    socket: ModuleSocket | None
    hosts: tuple[Host, ...]
    board_host: Host | None
    """What the outermost carrier of the chain plugs into."""
    switch_uplink: Uplink | None
    """Of the switch that it hangs on, to that one's host; None without a switch of a carrier."""
    cpu_uplink: Uplink | None
    """The slowest shared link on its way to the CPU; None where nothing is shared."""
    plugged: bool


@dataclass(frozen=True, slots=True)
class Carrier:
    """One physical carrier: its number in the build, and its hosts, more than one for a plug over several ports."""

    number: int
    part: Part
    spec: CarrierSpec
    unit: int
    """Which of its line, from 1."""
    hosts: tuple[Host, ...]

    @property
    def takes_modules(self) -> bool:
        """Whether it has seats for modules."""
        return any(seat.kind in (SeatKind.SXM, SeatKind.OAM) for seat in self.spec.seats or ())


def seats_of(carriers: Iterable[Carrier], slots: Iterable[Slot], board: MotherboardSpec | None) -> tuple[Seat, ...]:
    """The seats of all carriers on a board with these slots; one whose host is not there is not plugged."""
    resolver = _Resolver({carrier.number: carrier for carrier in carriers}, slots, board)
    return tuple(seat for number in resolver.carriers for seat in resolver.seats(number))


class _Way(NamedTuple):
    """What a host gives: lanes, generation and where they come from."""

    lanes: int
    generation: int
    attachment: Attachment | None
    cpu: int
    root: str | None
    switch: str | None
    switch_uplink: Uplink | None
    cpu_uplink: Uplink | None
    board_host: Host | None


class _Resolver:
    def __init__(self, carriers: Mapping[int, Carrier], slots: Iterable[Slot], board: MotherboardSpec | None) -> None:
        self.carriers = carriers
        self.slots = {slot.position: slot for slot in slots}
        self.sockets = {socket.label: socket for socket in (board.m2 or () if board else ())}
        self.ports = {port.label: port for port in (board.host_ports if board else ())}
        self._ways: dict[int, _Way | None] = {}

    def seats(self, number: int) -> Iterator[Seat]:
        carrier = self.carriers[number]
        spec, way = carrier.spec, self._way(number)
        for seat in spec.seats or ():
            yield self._seat(carrier, seat, way)

    def _seat(self, carrier: Carrier, seat: CarrierSeat, way: _Way | None) -> Seat:
        spec = carrier.spec
        generation = spec.generation or (way.generation if way else 1)
        lanes: int = seat.lanes
        own, shared = (way.switch_uplink, way.cpu_uplink) if way else (None, None)
        attachment, switch = (way.attachment, way.switch) if way else (None, None)
        if spec.switched:
            attachment = Attachment.SWITCH
            switch = f"C{carrier.number}"
            if way and way.attachment is Attachment.SWITCH and way.switch:
                switch = f"{way.switch.split('/')[0]}/C{carrier.number}"
            if way:
                own = Uplink(min(way.generation, generation), way.lanes)
                shared = min(filter(None, (own, shared)), key=lambda link: link.rate)
        elif way:
            lanes = _share(lanes, sum(int(one.lanes) for one in spec.seats or ()), way.lanes)
            generation = min(generation, way.generation)
        return Seat.model_construct(
            position=SlotNumber.on_carrier(carrier.number, seat.number),
            label=carrier.part.name,
            mechanical_lanes=seat.mechanical_lanes,
            lanes=lanes,  # type: ignore[arg-type]  # rounded where it is read, as a board's
            generation=generation,
            attachment=attachment,
            cpu=way.cpu if way else 0,
            root=way.root if way else None,
            switch=switch,
            open_ended=False,
            bifurcation=(),
            carrier=carrier.part,
            unit=carrier.unit,
            kind=seat.kind,
            socket=seat.socket,
            hosts=carrier.hosts,
            board_host=way.board_host if way else None,
            switch_uplink=own,
            cpu_uplink=shared,
            plugged=way is not None,
        )

    def _way(self, number: int) -> _Way | None:
        """What the carrier's hosts give together; None where one is missing."""
        if number not in self._ways:
            self._ways[number] = None  # a carrier that hangs on itself is on nothing
            carrier = self.carriers[number]
            ways = [self._way_to(host, carrier.spec.host) for host in carrier.hosts]
            whole = [way for way in ways if way is not None]
            if whole and len(whole) == len(ways):
                self._ways[number] = _together(whole, carrier.spec)
        return self._ways[number]

    def _way_to(self, host: Host, kind: SeatKind | None) -> _Way | None:
        if isinstance(host, int):
            carrier = SlotNumber(host).carrier
            return self._slot(host) if carrier is None else self._nested(carrier, SlotNumber(host).seat)
        if host in self.ports:
            port = self.ports[host]
            shared = _shared(port.attachment, port.generation)
            lanes, generation = int(port.lanes), port.generation
            return _Way(lanes, generation, port.attachment, port.cpu, port.root, None, None, shared, host)
        if host in self.sockets and kind in (None, SeatKind.M2):
            socket = self.sockets[host]
            generation = socket.generation or 3
            shared = _shared(socket.attachment, generation)
            return _Way(int(socket.lanes), generation, socket.attachment, 0, socket.root, None, None, shared, host)
        return None

    def _slot(self, position: int) -> _Way | None:
        slot = self.slots.get(position)
        if slot is None:
            return None
        shared = _shared(slot.attachment, slot.generation)
        lanes, generation, at = int(slot.lanes), slot.generation, int(position)
        return _Way(lanes, generation, slot.attachment, slot.cpu, slot.root, slot.switch, None, shared, at)

    def _nested(self, number: int, seat: int) -> _Way | None:
        if number not in self.carriers or self._way(number) is None:
            return None
        place = next((one for one in self.seats(number) if SlotNumber(one.position).seat == seat), None)
        if place is None:
            return None
        return _Way(
            int(place.lanes),
            place.generation,
            place.attachment,
            place.cpu,
            place.root,
            place.switch,
            place.switch_uplink,
            place.cpu_uplink,
            place.board_host,
        )


def _together(ways: list[_Way], spec: CarrierSpec) -> _Way:
    """Several ports under one plug add their lanes; the slowest sets the generation, the plug bounds the width."""
    first = ways[0]
    lanes = min(sum(way.lanes for way in ways), int(spec.host_lanes or 16))
    generation = min(*(way.generation for way in ways), spec.generation or 9)
    return first._replace(lanes=lanes, generation=generation)


def _shared(attachment: Attachment | None, generation: int) -> Uplink | None:
    """What slots of a board share on the way to the CPU."""
    return Uplink(generation, UPLINK_LANES[attachment]) if attachment in UPLINK_LANES else None


def _share(lanes: int, of_all: int, host_lanes: int) -> int:
    """What a seat gets where all seats want more than the host gives: its part."""
    part = host_lanes if of_all <= host_lanes or lanes == of_all else host_lanes * lanes // of_all
    return min(lanes, part)
