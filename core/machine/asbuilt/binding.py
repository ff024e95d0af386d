"""In which slot of the board a card sits: told by the user once, by the firmware's slot table, or by the kernel's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from core.machine.asbuilt.pci_tree import PciCard
from core.machine.asbuilt.smbios import FirmwareSlot
from core.parts.board import Slot
from core.platform.errors import BadInput
from core.platform.foreign import read_text
from core.platform.whole_file import set_aside, write_whole
from core.words import tr

BY_USER, BY_FIRMWARE, BY_KERNEL = "set by the user", "DMI", "the kernel's slot table"
BOUND_BY = {BY_USER: tr("set by the user"), BY_FIRMWARE: "DMI", BY_KERNEL: tr("the kernel's slot table")}
"""How a slot is known, as it is shown; it is recorded in English."""
_NUMBERED = re.compile(r"(?:slot|pciex?16|pciex?8|pcie?|cpu\d)[\s_#-]*(?:\(g\d\)[\s_]*)?(\d{1,2})\b", re.IGNORECASE)

_ONE_OF_SEVERAL = re.compile(r"\d-\d+$")
_PCIE = re.compile(r"pci[\s_-]?e(?:xpress)?(?![a-z])")
_APART = re.compile(r"(slot|pcie)[\s_#-]+(\d{1,2})(?![\d.])")
_PROCESSOR = re.compile(r"(?<![a-z0-9])(?:cpu|p)[\s_]?(\d)(?=[\s_]|$)")


@dataclass(frozen=True, slots=True)
class Bound:
    """A slot, and how it is known."""

    label: str
    """Of the board's slot where the plan has it, else what the firmware calls it."""
    position: int | None
    by: str
    called: str = ""
    """What firmware or kernel call it."""


def bind(
    cards: Sequence[PciCard],
    slots: Sequence[Slot],
    *,
    firmware: Sequence[FirmwareSlot] = (),
    kernel: Mapping[str, str] | None = None,
    noted: Mapping[str, int] | None = None,
) -> dict[str, Bound]:
    """By PCI address of each card whose slot is known. `slots` are the planned board's, empty without a plan.

    A firmware names the card's own address, or that of the port above it, which is also right for all GPUs of one
    card. `noted` are positions by PCI address.
    """
    labels = {slot.position: slot.label for slot in slots}
    bound: dict[str, Bound] = {}
    for card in cards:
        if noted and card.address in noted:
            position = noted[card.address]
            bound[card.address] = Bound(labels.get(position, tr("slot {slot}", slot=position)), position, BY_USER)
        elif one := _firmware_slot(card, firmware):
            bound[card.address] = _named(one.designation, slots, BY_FIRMWARE)
        elif name := _kernel_slot(card, kernel or {}):
            bound[card.address] = _named(f"Slot {name}", slots, BY_KERNEL)
    return {address: _unless_twice(one, bound.values()) for address, one in bound.items()}


def slot_called(designation: str, slots: Sequence[Slot]) -> Slot | None:
    """The slot of the board's table that a firmware calls so: "CPU1 SLOT3 PCI-E 4.0 X16" is "SLOT3".

    By the whole name, by the label within the name, then by the number; None where that leaves several, or none. A
    number alone says nothing on a board whose slots belong to two CPUs, and never leads to a slot of another CPU than
    the one that the firmware names.
    """
    name, cpu = _words(designation), _cpu(designation)
    labelled = any(_cpu(slot.label) for slot in slots)
    of_cpu = [slot for slot in slots if not (cpu and labelled) or _cpu(slot.label) == cpu]
    numbered = of_cpu if not labelled and len({slot.cpu for slot in slots}) < 2 else []
    number = _number(designation)
    for fits in (
        [slot for slot in slots if _words(slot.label) == name],
        [slot for slot in of_cpu if _within(_words(slot.label), name)],
        [slot for slot in numbered if number is not None and _number(slot.label) == number],
    ):
        if len(fits) == 1:
            return fits[0]
    return None


def _named(designation: str, slots: Sequence[Slot], by: str) -> Bound:
    slot = slot_called(designation, slots)
    return Bound(slot.label, slot.position, by, designation) if slot else Bound(designation, None, by, designation)


def _unless_twice(one: Bound, others: Iterable[Bound]) -> Bound:
    """Two riser boards may both have a "SLOT1": which of them the plan means is not known."""
    twice = any(other.position == one.position and other.called != one.called for other in others)
    return replace(one, label=one.called, position=None) if twice and one.by != BY_USER else one


def _firmware_slot(card: PciCard, firmware: Sequence[FirmwareSlot]) -> FirmwareSlot | None:
    """The nearest address on the way up from the card that the firmware names, where it names it once.

    Some firmware names a further function of the card: its sound, 41:00.1.
    """
    place = card.address.partition(".")[0]
    of_card = [slot for slot in firmware if slot.address and slot.address.partition(".")[0] == place]
    ways = ([slot for slot in firmware if slot.address == end] for end in card.ports)
    for fits in (of_card, *ways):
        if fits:
            return fits[0] if len(fits) == 1 else None
    return None


def _kernel_slot(card: PciCard, kernel: Mapping[str, str]) -> str | None:
    """The kernel names the place below a port: that of the card's first bridge, or of the card itself.

    It adds a number where the firmware gave several slots one number, "1-3": which of them it is nobody knows.
    """
    ends = (end.partition(".")[0] for end in (card.address, *card.ports))
    name = next((kernel[end] for end in ends if end in kernel), None)
    return None if name and _ONE_OF_SEVERAL.search(name) else name


def _words(text: str) -> tuple[str, ...]:
    """ "PCI_E1", "PCIE 1" and "PCIE1" are one word, "P1" and "CPU1" another; the 4 of "PCI-E 4.0" is none's number."""
    plain = _PCIE.sub("pcie", text.casefold())
    plain = _APART.sub(r"\1\2", _PROCESSOR.sub(r" cpu\1 ", plain))
    return tuple(re.findall(r"[a-z0-9]+", plain))


def _cpu(text: str) -> str | None:
    """The number of the CPU that a name has in it."""
    return next((word for word in _words(text) if re.fullmatch(r"cpu\d", word)), None)


def _within(part: tuple[str, ...], whole: tuple[str, ...]) -> bool:
    return any(whole[at : at + len(part)] == part for at in range(len(whole) - len(part) + 1))


def _number(text: str) -> int | None:
    numbers = _NUMBERED.findall(text)
    return int(numbers[-1]) if numbers else None


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
