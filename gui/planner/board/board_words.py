"""The board view in words: tooltips, and the description that a screen reader speaks."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication

from gui.planner.board.links import held_text, limit_words, link_text, root_text, speed_words
from gui.planner.board.picture import BoardPicture, CardBox, SlotRow
from gui.planner.figures import number

translate = QCoreApplication.translate


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
    if row.contested:
        return text + "\n" + translate("Board", "Two cards claim this place.")
    return text


def card_words(box: CardBox, *, cpus: int = 1) -> str:
    """A placed card."""
    width = number(box.width_slots)
    length = number(box.length_mm)
    lines = [
        translate("Board", "{title}, card {number}, slot {slot}").format(
            title=box.card.part.title, number=box.card.number, slot=box.slot
        ),
        translate("Board", "{width} slots wide, {length} mm long").format(width=width, length=length),
        *link_lines(box, cpus=cpus),
    ]
    if box.covers:
        lines.append(covers_words(box))
    if box.on_riser:
        lines.append(riser_words(box))
    if box.clashes:
        lines.append(translate("Board", "It claims a place that another card needs."))
    if box.off_board:
        lines.append(translate("Board", "The board has no slot here."))
    lines.append(translate("Board", "Drag it to another slot to move it."))
    return "\n".join(lines)


def link_lines(box: CardBox, *, cpus: int) -> list[str]:
    """What the card gets, from where, how fast, and what holds it back."""
    link = box.link
    if link is None:
        return []
    words = (held_text(link), root_text(link.slot, cpus=cpus), speed_words(link))
    lines = [translate("Board", "Link: {words}").format(words=", ".join(filter(None, words)))]
    held = limit_words(link)
    return [*lines, held[:1].upper() + held[1:]] if held else lines


def covers_words(box: CardBox) -> str:
    """The slots under the card: "covers 3 (PCIEX1_1)"."""
    names = ", ".join(f"{slot.position} ({slot.label})" for slot in box.covers)
    return translate("Board", "covers slot {names}").format(names=names)


def riser_words(box: CardBox) -> str:
    """That the card is on a riser, and on which."""
    riser = box.link.riser if box.link else None
    if riser is None:
        return translate("Board", "On a riser that the build does not have yet")
    return translate("Board", "On the riser {title}").format(title=riser.title)


def waiting_words(picture: BoardPicture) -> str:
    """The cards without a slot; empty if there is none."""
    if not picture.waiting:
        return ""
    titles = ", ".join(dict.fromkeys(card.part.title for card in picture.waiting))
    return translate("Board", "{count} not placed: {titles}").format(count=len(picture.waiting), titles=titles)


def picture_words(picture: BoardPicture) -> str:
    """All cards by slot, for those who cannot see the picture."""
    seats = [
        " ".join(
            (
                translate("Board", "slot {slot}: {title}").format(slot=box.slot, title=box.card.part.title),
                link_text(box.link) if box.link else "",
            )
        ).rstrip()
        for box in picture.boxes
    ]
    return ", ".join(filter(None, [picture.title, *seats, waiting_words(picture)]))
