"""Slots as people type them: "1,3r,?" is a card in slot 1, one in slot 3 on a riser, and one without a slot."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.build.build import Line, is_card
from core.build.card_edits import PutOnRisers
from core.build.edits import Edit, PlaceCards
from core.build.several import Several

ON_RISER = "r"


@dataclass(frozen=True, slots=True)
class Seats:
    """Slots in the order of the cards, and those of them whose card is on a riser."""

    slots: tuple[int, ...]
    risers: tuple[int, ...]


def slots_text(line: Line) -> str:
    """The slots of a line as they are typed; a question mark for each card that is not placed."""
    if not is_card(line.part):
        return ""
    placed = [f"{slot}{ON_RISER}" if slot in line.risers else str(slot) for slot in line.slots]
    return ",".join([*placed, *["?"] * (line.quantity - len(line.slots))])


def parse_seats(text: str) -> Seats | None:
    """The slots of "1,3 5r"; question marks are cards without a slot. None if it is something else."""
    words = [word for word in re.split(r"[\s,;]+", text.strip().lower()) if word not in ("", "?")]
    numbers = [word.removesuffix(ON_RISER) for word in words]
    if not all(word.isascii() and word.isdecimal() for word in numbers):
        return None
    slots = tuple(map(int, numbers))
    return Seats(slots, tuple(slot for slot, word in zip(slots, words, strict=True) if word.endswith(ON_RISER)))


def seat(line: Line, seats: Seats) -> Edit:
    """The change that seats the cards of a line so, as one step of undo."""
    place = PlaceCards(line.part.id, seats.slots)
    kept = {
        slot
        for number, slot in enumerate(seats.slots)
        if number < len(line.slots) and line.slots[number] in line.risers
    }
    if kept == set(seats.risers):
        return place
    risers = PutOnRisers(line.part.id, seats.risers)
    moved = seats.slots != line.slots
    return Several(place.called(line.part.title), (place, risers)) if moved else risers
