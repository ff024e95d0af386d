"""Where slots and cards stand on the widget, and how they are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QWidget

from core.parts.specs import Slot
from core.parts.vocabulary import Attachment
from core.words import joined, trc
from gui.planner.board.picture import (
    CONNECTOR_MM,
    DEFAULT_LENGTH_MM,
    PITCH_MM,
    BoardPicture,
    CardBox,
    SlotRow,
    covers_words,
    limit_words,
    link_with_limit,
    root_text,
    slot_text,
    waiting_words,
)
from gui.widgets.theme import theme
from gui.widgets.views import TINT, mixed

PAD = 8
CONNECTOR_OFFSET_MM = 52.0
"""From the bracket to the near end of the connector, about as on ATX boards."""
RISER_MM = 30.0
"""What is seen of a slot whose card is on a riser."""
GAP_MM = 2.0
MAX_PITCH = 34.0


@dataclass(frozen=True, slots=True)
class BoardLayout:
    """Positions in pixels: names left, the board right of them, one scale along the cards and one across.

    Across, the pitch is what the height allows; along, the longest card fits. Within each direction it is to scale.
    """

    left: float
    top: float
    width: float
    pitch: float
    scale: float
    """Pixels per mm along the cards."""
    names: float
    foot: float
    order: Mapping[int, int]
    """Rows from the top by slot position."""

    @classmethod
    def of(cls, picture: BoardPicture, area: QRectF, metrics: QFontMetrics) -> BoardLayout:
        """Fits the picture into an area."""
        longest = max(metrics.horizontalAdvance(_name(row)) for row in picture.rows) + 2 * PAD
        names = min(float(longest), 0.3 * area.width())
        head, foot = metrics.height() + PAD, (metrics.height() + PAD if picture.waiting else 0.0)
        height = area.height() - 2 * PAD - head - foot
        pitch = max(10.0, min(MAX_PITCH, height / len(picture.rows)))
        width = area.width() - 3 * PAD - names
        top = area.top() + PAD + head
        order = {row.position: index for index, row in enumerate(picture.rows)}
        return cls(area.left() + 2 * PAD + names, top, width, pitch, width / picture.length_mm, names, foot, order)

    def _top(self, position: int) -> float:
        return self.top + self.order[position] * self.pitch

    def row(self, position: int) -> QRectF:
        """The whole pitch, names included."""
        x = self.left - self.names
        return QRectF(x, self._top(position), self.names + self.width, self.pitch)

    def connector(self, position: int, slot: Slot) -> QRectF:
        """The slot itself."""
        length = CONNECTOR_MM[slot.mechanical_lanes] * self.scale
        height = max(3.0, min(6.0, self.pitch / 4))
        y = self._top(position) + (self.pitch - height) / 2
        return QRectF(self.left + CONNECTOR_OFFSET_MM * self.scale, y, length, height)

    def card(self, box: CardBox) -> QRectF:
        """A card's outline, thickness and length to scale; one on a riser is drawn beside its slot."""
        if box.on_riser:
            x = self.left + (CONNECTOR_OFFSET_MM + RISER_MM) * self.scale
            y = self._top(box.slot) + 1
            place, count = box.share
            width = (self.left + self.width - x) / count
            return QRectF(x + place * width, y, width - 4, self.pitch - GAP_MM / PITCH_MM * self.pitch)
        thickness = (box.width_slots or 1.0) * self.pitch - GAP_MM / PITCH_MM * self.pitch
        length = (box.length_mm or DEFAULT_LENGTH_MM) * self.scale
        return QRectF(self.left, self._top(box.slot) + 1, length, thickness)


class BoardPainter:
    """Draws one picture on a widget."""

    def __init__(self, widget: QWidget, picture: BoardPicture, sheet: BoardLayout) -> None:
        self._painter = QPainter(widget)
        self._painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._metrics = widget.fontMetrics()
        self._area = QRectF(widget.rect())
        self._picture = picture
        self._sheet = sheet

    def draw(self, *, selected: frozenset[str], target: int | None, focused: int | None = None, room: int = 0) -> None:
        """Everything, back to front; `room` pixels beside the board's name stay free."""
        colours, area = theme(), self._area
        self._painter.fillRect(area, colours.color("surface"))
        self._painter.setPen(colours.color("text"))
        wide = int(area.width()) - 2 * PAD - room
        title = self._metrics.elidedText(self._picture.title, Qt.TextElideMode.ElideRight, wide)
        self._painter.drawText(QPointF(PAD, PAD + self._metrics.ascent()), title)
        for row in self._picture.rows:
            self._row(row, aimed=row.position == target)
        for box in self._picture.boxes:
            self._card(box, selected=box.card.part.id in selected)
        for box in self._picture.boxes:
            if box.index == focused:
                self._focus(box)
        self._waiting()
        self._painter.end()

    def _row(self, row: SlotRow, *, aimed: bool) -> None:
        colours, place = theme(), self._sheet.row(row.position)
        if aimed:
            tint = colours.color("accent")
            tint.setAlphaF(0.18)
            self._painter.fillRect(place, tint)
        self._painter.setPen(QPen(colours.color("grid"), 1))
        self._painter.drawLine(place.bottomLeft(), place.bottomRight())
        names = QRectF(place.left(), place.top(), self._sheet.names - PAD, place.height())
        self._text(names, _name(row), "muted")
        if row.slot is None:
            return
        connector = self._sheet.connector(row.position, row.slot)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(_lane_colour(row.slot))
        self._painter.drawRoundedRect(connector, 1, 1)
        if not row.cards or row.carrier:
            left = connector.right() + PAD
            words = QRectF(left, place.top(), place.right() - left, place.height())
            self._text(words, row.carrier or slot_text(row.slot, cpus=self._picture.cpus), "muted")

    def _card(self, box: CardBox, *, selected: bool) -> None:
        colours, place = theme(), self._sheet.card(box)
        wrong = box.clashes or box.off_board
        edge = colours.color("fail" if wrong else "accent" if selected else "muted")
        tint = colours.color("fail" if wrong else "accent")
        fill = mixed(colours.color("surface"), tint, TINT if selected or wrong else TINT / 2)
        dashed = box.on_riser or box.width_slots is None or box.length_mm is None
        style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
        self._painter.setPen(QPen(edge, 2 if selected or wrong else 1, style))
        self._painter.setBrush(fill)
        self._painter.drawRoundedRect(place, 2, 2)
        self._painter.setPen(Qt.PenStyle.NoPen)
        self._painter.setBrush(edge)
        if not box.on_riser:
            self._painter.drawRect(QRectF(place.left() - 3, place.top(), 3, place.height()))
        self._words(box, place.adjusted(PAD, 0, -PAD, 0))

    def _words(self, box: CardBox, inside: QRectF) -> None:
        """Number and title, the link at the right; below, where there is room, what it covers and what holds it."""
        line = self._metrics.height()
        notes = self._notes(box)
        if notes and inside.height() >= 2 * line + 4:
            top = inside.center().y() - line
            self._text(QRectF(inside.left(), top + line, inside.width(), line), notes, "muted")
            inside = QRectF(inside.left(), top, inside.width(), line)
        link = self._link(box)
        taken = self._metrics.horizontalAdvance(link)
        if link and taken < 0.7 * inside.width():
            lost = box.link is not None and box.link.lanes == 0
            self._painter.setPen(theme().color("fail" if lost else "text"))
            self._painter.drawText(inside, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight, link)
            inside = inside.adjusted(0, 0, -taken - PAD, 0)
        self._text(inside, f"{box.card.number}  {box.card.part.title}", "text")

    def _link(self, box: CardBox) -> str:
        if box.link is None:
            return ""
        root = root_text(box.link.slot, cpus=self._picture.cpus) if box.link.root else ""
        riser = trc("card on a", "riser") if box.on_riser else ""
        return "  ".join(filter(None, (riser, link_with_limit(box.link), root)))

    @staticmethod
    def _notes(box: CardBox) -> str:
        covers = covers_words(box) if box.covers else ""
        return joined(filter(None, (limit_words(box.link) if box.link else "", covers)), ", ")

    def _focus(self, box: CardBox) -> None:
        self._painter.setPen(QPen(theme().color("text"), 1, Qt.PenStyle.DotLine))
        self._painter.setBrush(Qt.BrushStyle.NoBrush)
        self._painter.drawRoundedRect(self._sheet.card(box).adjusted(3, 3, -3, -3), 2, 2)

    def _waiting(self) -> None:
        if not self._picture.waiting:
            return
        area = QRectF(PAD, self._area.bottom() - self._sheet.foot, self._area.width() - 2 * PAD, self._sheet.foot)
        self._text(area, waiting_words(self._picture), "warn")

    def _text(self, area: QRectF, text: str, colour: str) -> None:
        self._painter.setPen(theme().color(colour))
        shown = self._metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(0, int(area.width())))
        self._painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, shown)


def _name(row: SlotRow) -> str:
    return f"{row.position}  {row.slot.label}" if row.slot else str(row.position)


def _lane_colour(slot: Slot) -> QColor:
    names = {Attachment.CPU: "accent", Attachment.CHIPSET: "warn", Attachment.SWITCH: "unknown", None: "muted"}
    return theme().color(names[slot.attachment])
