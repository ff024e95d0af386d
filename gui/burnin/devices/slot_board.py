"""The slots of a board from the CPU on, and the cards in them: a card is dragged to its slot, or moved by keys."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.machine.asbuilt.as_built import BuiltCard
from core.words import tr
from gui.widgets.figures import say
from gui.widgets.theme import theme
from gui.widgets.views import TINT, mixed

PAD = 6
DRAG_START = 6
"""Pixels that the mouse moves before a press becomes a drag."""


@dataclass(frozen=True, slots=True)
class SlotEntry:
    """A row: a slot with the card in it, or a card of which no slot is known."""

    position: int | None
    label: str
    card: BuiltCard | None


class SlotBoard(QWidget):
    """Up and Down choose a card, with Ctrl they move it to the next slot; Delete says that its slot is not known."""

    card_chosen = Signal(str)
    """Id of its device."""
    card_moved = Signal(str, object)
    """Id of its device, and the position of the slot; None: its slot is not known."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.places: tuple[SlotEntry, ...] = ()
        self.current: str | None = None
        """Id of the device whose card is chosen."""
        self._pressed: tuple[str, QPoint] | None = None
        self._target: SlotEntry | None = None
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        self.setMouseTracking(True)
        self.setAccessibleName(tr("Cards in their slots"))
        self.setToolTip(
            tr("Drag a card to its slot. Keyboard: Up and Down choose one, with Ctrl they move it, Delete removes it.")
        )
        theme().changed.connect(self.update)

    def show_cards(self, slots: Sequence[tuple[int, str]], cards: Sequence[BuiltCard]) -> None:
        """Slots as position and label; cards without a known slot stand below them."""
        labels = dict(slots) | {card.position: card.slot or "" for card in cards if card.position is not None}
        at = {card.position: card for card in cards if card.position is not None}
        rows = [SlotEntry(position, labels[position], at.get(position)) for position in sorted(labels)]
        rows += [SlotEntry(None, "", card) for card in cards if card.position is None]
        self.places = tuple(rows)
        if self.current not in {card.device for card in cards}:
            self.current = cards[0].device if cards else None
        self._speak()
        self.updateGeometry()
        self.update()

    def choose(self, device: str) -> None:
        """The card that keys move."""
        if device != self.current:
            self.current = device
            self._speak()
            self.update()
            self.card_chosen.emit(device)

    def row_rect(self, place: SlotEntry) -> QRectF:
        """Where a row is drawn, in pixels of the widget."""
        height = self._row_px()
        return QRectF(PAD, PAD + self.places.index(place) * height, self.width() - 2 * PAD, height)

    def place_of(self, device: str | None) -> SlotEntry | None:
        """The row of a card."""
        return next((place for place in self.places if place.card and place.card.device == device), None)

    def sizeHint(self) -> QSize:
        """All rows, none of them cut."""
        return QSize(420, round(len(self.places) * self._row_px()) + 2 * PAD)

    def minimumSizeHint(self) -> QSize:
        """The same height."""
        return QSize(260, self.sizeHint().height())

    # -- mouse and keys -------------------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Takes the card under the mouse."""
        place = self._at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and place is not None and place.card is not None:
            self._pressed = (place.card.device, event.position().toPoint())
            self.choose(place.card.device)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Aims at the row under the mouse."""
        over = self._at(event.position())
        if self._pressed is None:
            shapes = Qt.CursorShape
            self.setCursor(shapes.OpenHandCursor if over is not None and over.card else shapes.ArrowCursor)
            return
        moved = (event.position().toPoint() - self._pressed[1]).manhattanLength()
        if moved >= DRAG_START or self._target is not None:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._aim(over)

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        """Drops it there."""
        pressed, target = self._pressed, self._target
        self._pressed = None
        self.unsetCursor()
        self._aim(None)
        if pressed is not None and target is not None:
            self._move(pressed[0], target.position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Chooses, moves, takes out; Escape lets go of a card that is dragged."""
        step = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}.get(Qt.Key(event.key()))
        if event.key() == Qt.Key.Key_Escape and self._pressed is not None:
            self._pressed = None
            self._aim(None)
        elif event.key() == Qt.Key.Key_Delete and self.current is not None:
            self._move(self.current, None)
        elif step is None:
            super().keyPressEvent(event)
        elif event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._step_slot(step)
        else:
            self._step_card(step)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Frames the chosen card."""
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """No frame."""
        super().focusOutEvent(event)
        self.update()

    def _step_card(self, step: int) -> None:
        cards = [place.card.device for place in self.places if place.card is not None]
        if cards:
            here = cards.index(self.current) if self.current in cards else 0
            self.choose(cards[min(max(here + step, 0), len(cards) - 1)])

    def _step_slot(self, step: int) -> None:
        """To the slot before or after its own; from below the board to its last slot."""
        here = self.place_of(self.current)
        positions = [place.position for place in self.places if place.position is not None]
        if here is None or self.current is None or not positions:
            return
        if here.position is None:
            self._move(self.current, positions[-1] if step < 0 else None)
            return
        there = positions.index(here.position) + step
        if 0 <= there < len(positions):
            self._move(self.current, positions[there])

    def _move(self, device: str, position: int | None) -> None:
        here = self.place_of(device)
        if here is not None and here.position != position:
            self.card_moved.emit(device, position)

    def _aim(self, target: SlotEntry | None) -> None:
        if target != self._target:
            self._target = target
            self.update()

    def _at(self, point: QPointF) -> SlotEntry | None:
        return next((place for place in self.places if self.row_rect(place).contains(point)), None)

    # -- drawing --------------------------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Slots at the left, cards beside them."""
        painter, colours = QPainter(self), theme()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), colours.color("surface"))
        names = self._names_px()
        for place in self.places:
            row = self.row_rect(place)
            if place == self._target:
                painter.fillRect(row, mixed(colours.color("surface"), colours.color("accent"), TINT))
            painter.setPen(colours.color("grid"))
            painter.drawLine(row.bottomLeft(), row.bottomRight())
            painter.setPen(colours.color("muted"))
            painter.drawText(row.adjusted(4, 0, 0, 0), Qt.AlignmentFlag.AlignVCenter, _slot_words(place))
            if place.card is not None:
                self._paint_card(painter, row.adjusted(names, 2, -2, -2), place.card)
        painter.end()

    def _paint_card(self, painter: QPainter, box: QRectF, card: BuiltCard) -> None:
        colours, chosen = theme(), card.device == self.current
        edge = colours.color("accent" if chosen else "muted")
        painter.setBrush(mixed(colours.color("surface"), colours.color("accent"), TINT if chosen else TINT / 2))
        painter.setPen(QPen(edge, 2 if chosen and self.hasFocus() else 1))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(colours.color("text"))
        inner = box.adjusted(PAD, 0, -PAD, 0)
        words = painter.fontMetrics().elidedText(_card_words(card), Qt.TextElideMode.ElideRight, int(inner.width()))
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, words)

    def _row_px(self) -> float:
        return float(self.fontMetrics().height() + 2 * PAD)

    def _names_px(self) -> float:
        widths = [self.fontMetrics().horizontalAdvance(_slot_words(place)) for place in self.places]
        return float(max(widths, default=0) + 2 * PAD)

    def _speak(self) -> None:
        place = self.place_of(self.current)
        if place is not None and place.card is not None:
            say(self, tr("{card}: {slot}", card=_card_words(place.card), slot=_slot_words(place)))


def _slot_words(place: SlotEntry) -> str:
    if place.position is None:
        return tr("slot not known")
    return f"{place.position}  {place.label}" if place.label not in ("", str(place.position)) else str(place.position)


def _card_words(card: BuiltCard) -> str:
    return "  ".join(filter(None, (card.product or card.name, card.pci_address, card.serial)))
