"""Fixes that change what sits in the board's sockets and what its slots are set to."""

from __future__ import annotations

from collections.abc import Iterator

from core.advise.fix import PartSource
from core.advise.trial import Trial
from core.build.board_edits import SetSlotGeneration, SetSockets
from core.build.edits import Edit
from core.build.line import Line
from core.parts.vocabulary import Category
from core.placement.sockets import drive_sockets, socket_form

LEAST_GENERATION = 3
"""Older ones cost training more than a better riser."""


def other_socket(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """Drives whose socket was set by hand where they cost least, then one drive after the other in a free socket."""
    build = trial.build
    lines = [line for line in build.of(Category.STORAGE) if any(line.sockets)]
    board = build.motherboard
    if not lines or board is None:
        return
    yield from (SetSockets(line.part.id, ()) for line in lines)
    taken = drive_sockets(build)
    used = {socket.label for socket in taken.values()}
    for line in lines:
        for number in range(1, line.quantity + 1):
            own = taken.get((line.part.id, number))
            for socket in board[1].m2 or ():
                if own is not None and socket.label not in used and socket_form(socket) == socket_form(own):
                    yield SetSockets(line.part.id, _with_socket(line, number, socket.label))


def _with_socket(line: Line, number: int, label: str) -> tuple[str | None, ...]:
    labels = [line.socket(each) for each in range(1, line.quantity + 1)]
    labels[number - 1] = label
    return tuple(labels)


def older_generation(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The finding's slots at the generation below that of now, then at the one below that."""
    slots = [slot for slot in trial.build.board_slots() if slot.position in trial.finding.slots]
    newest = max((slot.generation for slot in slots), default=0)
    for generation in range(newest - 1, LEAST_GENERATION - 1, -1):
        faster = tuple(slot.position for slot in slots if slot.generation > generation)
        yield SetSlotGeneration(faster, generation)


def full_generation(trial: Trial, _: PartSource) -> Iterator[Edit]:
    """The finding's slots, where they are set to an older generation, as fast as they can."""
    slots = tuple(slot for slot, _ in trial.build.slot_generations if slot in trial.finding.slots)
    if slots:
        yield SetSlotGeneration(slots, None)
