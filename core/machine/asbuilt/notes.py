"""What the user told of a machine once: which card sits in which slot, and serial numbers that no driver tells."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.platform.errors import BadInput
from core.platform.text_file import read_text
from core.platform.whole_file import set_aside, write_whole
from core.words import tr

FILE = "as-built.json"
MOST = 200
"""Cards of all machines that anything is kept of."""
_Text = Annotated[str, Field(min_length=1, max_length=64)]


class Notes(BaseModel):
    """Kept in the data folder. Slots belong to a place on the bus of one board, serial numbers to a card."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    slots: Annotated[dict[_Text, Annotated[int, Field(ge=1, le=24)]], Field(max_length=MOST)] = {}
    """Position by PCI address."""
    board: str | None = None
    """The board that these addresses belong to; on another one they say nothing."""
    serials: Annotated[dict[_Text, _Text], Field(max_length=MOST)] = {}
    """By the device's id: GPU-8a6f..."""

    def slots_on(self, board: str | None) -> Mapping[str, int]:
        """Positions by PCI address, if they were told of this board."""
        return self.slots if self.board == board else {}


def read_notes(data_dir: Path) -> tuple[Notes, str]:
    """The notes, and in a sentence what became of a damaged file: empty where all is well."""
    path = data_dir / FILE
    if not path.is_file():
        return Notes(), ""
    try:
        return Notes.model_validate_json(read_text(path)), ""
    except (ValidationError, BadInput):
        return Notes(), set_aside(path, tr("Slots and serial numbers you entered"), tr("Enter them again"))


def add_notes(
    data_dir: Path, board: str | None, slots: Mapping[str, int | None], serials: Mapping[str, str | None]
) -> Notes:
    """Adds to the notes; None takes one out. Slots of another board are dropped. Raises BadInput."""
    before, _ = read_notes(data_dir)
    stored = {
        "board": board,
        "slots": _merged(before.slots_on(board), slots),
        "serials": _merged(before.serials, {device: (text or "").strip() or None for device, text in serials.items()}),
    }
    try:
        notes = Notes.model_validate(stored)
    except ValidationError as error:
        raise BadInput(
            tr("A slot is a position from 1 to 24, and a serial number has at most 64 characters.")
        ) from error
    twice = [position for position in notes.slots.values() if list(notes.slots.values()).count(position) > 1]
    if twice:
        raise BadInput(tr("Two cards are assigned to slot {slot}. Set the slot of each again.", slot=twice[0]))
    write_whole(data_dir / FILE, notes.model_dump_json(indent=1).encode() + b"\n")
    return notes


def _merged(before: Mapping[str, object], new: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in {**before, **new}.items() if value is not None}
