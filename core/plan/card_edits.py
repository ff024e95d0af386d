"""Edits of where cards sit, what they draw and what feeds them; of the board's sockets and what slots are set to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.plan.build import Build
from core.plan.edits import Edit, LineEdit, LinesEdit, PlaceCards, require_line, with_line
from core.plan.hosts import socket_labels
from core.plan.line import FED, Role
from core.plan.psus import psus_by_place
from core.plan.seats import Host
from core.platform.errors import BadInput
from core.words import all_together, enumerated, listed, plain, tr, trn


@dataclass(frozen=True, slots=True)
class PutOnRisers(LineEdit):
    """Says which of a line's cards, by slot, are on a riser."""

    part_id: str
    slots: tuple[int, ...]

    def called(self, name: str) -> str:
        if not self.slots:
            return tr("Take {name} off risers", name=name)
        return trn(
            "Put {name} in slot {slots} on risers",
            "Put {name} in slots {slots} on risers",
            name=name,
            slots=", ".join(map(str, self.slots)),
            count=len(self.slots),
        )

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        try:
            return with_line(build, replace(line, risers=self.slots))
        except ValueError as error:
            raise BadInput(tr("This cannot go on risers: {reason}.", reason=error.args[0])) from error


@dataclass(frozen=True, slots=True)
class PlugCarriers(LineEdit):
    """Says what each carrier of a line plugs into; an empty entry unplugs it."""

    part_id: str
    hosts: tuple[tuple[Host, ...], ...]

    def called(self, name: str) -> str:
        places = [all_together([str(host) for host in hosts]) for hosts in self.hosts if hosts]
        if not places:
            return tr("Unplug {name}", name=name)
        return tr("Plug {name} into {places}", name=name, places=enumerated(places))

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        sockets = socket_labels(build)
        seats = {seat.position for seat in build.seats()}
        for host in (host for hosts in self.hosts for host in hosts):
            if host not in sockets and host not in seats:
                raise BadInput(
                    tr(
                        "{part} cannot plug into {host}: no slot, M.2 socket or port is called so. There are {places}.",
                        part=line.part.title,
                        host=host,
                        places=enumerated([*map(str, sorted(seats)), *sockets]),
                    )
                )
        try:
            return with_line(build, replace(line, hosts=self.hosts))
        except ValueError as error:
            raise BadInput(tr("This cannot be plugged in: {reason}.", reason=error.args[0])) from error


@dataclass(frozen=True, slots=True)
class SetPowerLimit(LineEdit):
    """Sets what each GPU of a line may draw, W; None is the card's own limit."""

    part_id: str
    limit_w: float | None

    def called(self, name: str) -> str:
        if self.limit_w is None:
            return tr("Reset {name} to its default power limit", name=name)
        return tr("Limit {name} to {limit_w:g} W", name=name, limit_w=self.limit_w)

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        try:
            return with_line(build, replace(line, power_limit_w=self.limit_w))
        except ValueError as error:
            raise BadInput(tr("This limit cannot be set: {reason}.", reason=error.args[0])) from error


@dataclass(frozen=True, slots=True)
class SetRole(LineEdit):
    """Says what the GPUs of a line are for; None leaves it to their size."""

    part_id: str
    role: Role | None

    def called(self, name: str) -> str:
        match self.role:
            case Role.WORKER:
                return tr("Use {name} for work", name=name)
            case Role.DISPLAY:
                return tr("Use {name} for the display only", name=name)
            case Role.SPARE:
                return tr("Keep {name} as a spare", name=name)
        return tr("Guess the role of {name} by its size", name=name)

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        try:
            return with_line(build, replace(line, role=self.role))
        except ValueError as error:
            raise BadInput(tr("This cannot be set: {reason}.", reason=error.args[0])) from error


@dataclass(frozen=True, slots=True)
class SetPsu(LineEdit):
    """Sets the PSU, by its number from 1, that feeds cards or risers of a line, or the board; None: automatic.

    `numbers` are those of the cards or risers within the line, from 1; empty means all of them.
    """

    part_id: str
    place: int | None
    numbers: tuple[int, ...] = ()

    def called(self, name: str) -> str:
        fed = plain("{name} {numbers}", name=name, numbers=", ".join(map(str, self.numbers))) if self.numbers else name
        if self.place is None:
            return tr("Choose the PSU of {fed} automatically", fed=fed)
        return tr("Feed {fed} from PSU {place}", fed=fed, place=self.place)

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        if line.part.category not in FED:
            raise BadInput(tr("{part} is not a GPU, riser or board: no PSU can be set for it.", part=line.part.title))
        count = len(psus_by_place(build))
        if self.place is not None and not 1 <= self.place <= count:
            if not count:
                raise BadInput(tr("The build has no PSU {place}; it has none yet.", place=self.place))
            raise BadInput(
                tr("The build has no PSU {place}; it has {number}, counted from 1.", place=self.place, number=count)
            )
        numbers = self.numbers or tuple(range(1, line.quantity + 1))
        wrong = [number for number in numbers if not 1 <= number <= line.quantity]
        if wrong:
            raise BadInput(
                tr(
                    "{part}: there is no number {number} of {quantity}.",
                    part=line.part.title,
                    number=wrong[0],
                    quantity=line.quantity,
                )
            )
        psus = [line.psu(number) for number in range(1, line.quantity + 1)]
        for number in numbers:
            psus[number - 1] = self.place
        return with_line(build, replace(line, psus=tuple(psus)))


@dataclass(frozen=True, slots=True)
class PlaceAll(LinesEdit):
    """Puts the cards of several lines into slots at once: slot positions by part id.

    `risers` are those of the slots whose card is on a riser, by part id; a line without an entry keeps its cards on
    risers where they are. `hosts` is what carriers plug into, by part id.
    """

    slots: Mapping[str, tuple[int, ...]]
    risers: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    hosts: Mapping[str, tuple[tuple[Host, ...], ...]] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return tr("Arrange all cards")

    def apply(self, build: Build) -> Build:
        for part_id, hosts in self.hosts.items():
            build = PlugCarriers(part_id, hosts).apply(build)
        for part_id, slots in self.slots.items():
            build = PlaceCards(part_id, slots).apply(build)
            if part_id in self.risers:
                build = PutOnRisers(part_id, self.risers[part_id]).apply(build)
        return build


@dataclass(frozen=True, slots=True)
class SetSockets(LineEdit):
    """Sets the M.2 or U.2 sockets of a line's drives by label, in their order; None and an empty end: automatic."""

    part_id: str
    sockets: tuple[str | None, ...]

    def called(self, name: str) -> str:
        labels = [label for label in self.sockets if label is not None]
        if not labels:
            return tr("Choose the socket of {name} automatically", name=name)
        return tr("Put {name} into {sockets}", name=name, sockets=listed(labels))

    def apply(self, build: Build) -> Build:
        line = require_line(build, self.part_id)
        board = build.motherboard
        there = [socket.label for socket in board[1].m2 or ()] if board else []
        unknown = next((label for label in self.sockets if label is not None and label not in there), None)
        if there and unknown is not None:
            raise BadInput(tr("The board has no socket {label}; it has {labels}.", label=unknown, labels=listed(there)))
        try:
            return with_line(build, replace(line, sockets=self.sockets))
        except ValueError as error:
            raise BadInput(tr("This socket cannot be set: {reason}.", reason=error.args[0])) from error


@dataclass(frozen=True, slots=True)
class SetSlotGeneration:
    """Sets slots to a PCIe generation in the firmware; None lets them run as fast as they can."""

    slots: tuple[int, ...]
    generation: int | None

    @property
    def title(self) -> str:
        slots = ", ".join(map(str, self.slots))
        count = len(self.slots)
        if self.generation is None:
            return trn(
                "Let slot {slots} run at full speed", "Let slots {slots} run at full speed", slots=slots, count=count
            )
        return trn(
            "Set slot {slots} to Gen{generation} in the firmware",
            "Set slots {slots} to Gen{generation} in the firmware",
            slots=slots,
            generation=self.generation,
            count=count,
        )

    def apply(self, build: Build) -> Build:
        limits = {slot: limit for slot, limit in build.slot_generations if slot not in self.slots}
        if self.generation is not None:
            limits |= dict.fromkeys(self.slots, self.generation)
        return _with_limits(build, tuple(sorted(limits.items())))

    def inverse(self, before: Build) -> Edit:
        return _SlotGenerations(self.title, before.slot_generations)


@dataclass(frozen=True, slots=True)
class _SlotGenerations:
    """What all slots were set to before."""

    title: str
    generations: tuple[tuple[int, int], ...]

    def apply(self, build: Build) -> Build:
        return _with_limits(build, self.generations)

    def inverse(self, before: Build) -> Edit:
        return _SlotGenerations(self.title, before.slot_generations)


def _with_limits(build: Build, generations: tuple[tuple[int, int], ...]) -> Build:
    try:
        return replace(build, slot_generations=generations)
    except ValueError as error:
        raise BadInput(tr("This cannot be set: {reason}.", reason=error.args[0])) from error
