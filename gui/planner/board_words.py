"""The board view in words: tooltips, and the description that a screen reader speaks."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from core.parts.specs import Slot
from core.parts.vocabulary import Attachment
from gui.planner.board_picture import BoardPicture, CardBox, SlotRow
from gui.planner.figures import UNKNOWN, number

translate = QCoreApplication.translate


def lanes_words(slot: Slot) -> str:
    """Width, generation and origin of a slot's lanes: "x16 4.0 CPU"."""
    narrower = f" ({slot.lanes})" if slot.lanes != slot.mechanical_lanes else ""
    origin = {
        Attachment.CPU: translate("Board", "CPU"),
        Attachment.CHIPSET: translate("Board", "chipset"),
        Attachment.SWITCH: translate("Board", "switch"),
        None: UNKNOWN,
    }[slot.attachment]
    return f"x{slot.mechanical_lanes}{narrower} {slot.generation}.0 {origin}"


def slot_words(row: SlotRow) -> str:
    """One pitch of the board."""
    if row.slot is None:
        return translate("Board", "Position {position}: no slot").format(position=row.position)
    words = translate("Board", "Slot {position} ({label}): {mechanical} lanes long, {lanes} lanes wired, PCIe {gen}.0")
    text = words.format(
        position=row.position,
        label=row.slot.label,
        mechanical=row.slot.mechanical_lanes,
        lanes=row.slot.lanes,
        gen=row.slot.generation,
    )
    if len(row.cards) > 1:
        return text + "\n" + translate("Board", "Two cards claim this place.")
    return text


def card_words(box: CardBox) -> str:
    """A placed card."""
    width = number(box.width_slots)
    length = number(box.length_mm)
    lines = [
        translate("Board", "{title}, card {number}, slot {slot}").format(
            title=box.card.part.title, number=box.card.number, slot=box.slot
        ),
        translate("Board", "{width} slots wide, {length} mm long").format(width=width, length=length),
    ]
    if box.clashes:
        lines.append(translate("Board", "It claims a place that another card needs."))
    if box.off_board:
        lines.append(translate("Board", "The board has no slot here."))
    lines.append(translate("Board", "Drag it to another slot to move it."))
    return "\n".join(lines)


def waiting_words(picture: BoardPicture) -> str:
    """The cards without a slot; empty if there is none."""
    if not picture.waiting:
        return ""
    titles = ", ".join(dict.fromkeys(card.part.title for card in picture.waiting))
    return translate("Board", "{count} not placed: {titles}").format(count=len(picture.waiting), titles=titles)


def picture_words(picture: BoardPicture) -> str:
    """All cards by slot, for those who cannot see the picture."""
    seats = [
        translate("Board", "slot {slot}: {title}").format(slot=box.slot, title=box.card.part.title)
        for box in picture.boxes
    ]
    return ", ".join(filter(None, [picture.title, *seats, waiting_words(picture)]))
