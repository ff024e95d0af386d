"""Edits of what sits in the board's sockets and of what its slots are set to."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.plan.build import Build
from core.plan.edits import Edit, LineEdit, require_line, with_line
from core.platform.errors import BadInput
from core.words import tr, trn
from core.words.phrasing import listed


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
