"""Draws the board from the top: slots to scale, lanes, and the cards where they sit. Cards can be dragged to a slot."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.words import tr
from gui.planner.board.painter import PAD, BoardLayout, BoardPainter
from gui.planner.board.picture import (
    BoardPicture,
    CardBox,
    SlotRow,
    board_picture,
    card_words,
    picture_words,
    slot_words,
)
from gui.planner.document import PlanDocument
from gui.planner.parts.model import PART_MIME, dragged_text
from gui.widgets.form import tool_button
from gui.widgets.text import tip
from gui.widgets.theme import theme
from gui.widgets.units import local

DRAG_START = 6


class BoardView(QWidget):
    """`card_picked(part id)`, `card_moved(part id, card number, slot)`, `part_dropped(part id, slot)`.

    `menu_wanted(part id, card number, point of the screen)`. Up and Down go from card to card.
    """

    card_picked = Signal(str)
    card_moved = Signal(str, int, int)
    part_dropped = Signal(str, int)
    menu_wanted = Signal(str, int, QPoint)
    arrange_wanted = Signal()
    machine_wanted = Signal()

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self.picture: BoardPicture | None = None
        """What is drawn; None without a board."""
        self._selected: frozenset[str] = frozenset()
        self._pressed: tuple[CardBox, QPoint] | None = None
        self._target: int | None = None
        self._current: int | None = None
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName(tr("Board"))
        meaning = tr("Finds the best slots for all cards, with the reasons (Ctrl+Shift+A)")
        self.arrange = tool_button(self, tr("Arrange cards …"), self.arrange_wanted.emit, meaning=meaning)
        meaning = tr("Shows the whole machine to scale, with heat, air and cables (F8)")
        self.machine = tool_button(self, tr("Machine"), self.machine_wanted.emit, meaning=meaning)
        for button in (self.arrange, self.machine):
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        document.changed.connect(self._refresh)
        theme().changed.connect(self._recolour)
        self._refresh()
        self._recolour()

    def select(self, part_ids: frozenset[str]) -> None:
        """Outlines the cards of these parts."""
        self._selected = part_ids
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, 280)

    def minimumSizeHint(self) -> QSize:
        rows = len(self.picture.rows) if self.picture else 4
        return QSize(280, rows * max(14, self.fontMetrics().height() - 1) + 48)

    def row_at(self, point: QPointF) -> SlotRow | None:
        """The pitch under a point."""
        if self.picture is None:
            return None
        sheet = self._sheet(self.picture)
        return next((row for row in self.picture.rows if sheet.row(row.position).contains(point)), None)

    def box_at(self, point: QPointF) -> CardBox | None:
        """The card under a point, the upper one where two clash."""
        if self.picture is None:
            return None
        sheet = self._sheet(self.picture)
        return next((box for box in self.picture.boxes if sheet.card(box).contains(point)), None)

    def center_of(self, position: int) -> QPoint:
        """The middle of a pitch, for tooltips, keyboard and tests."""
        assert self.picture is not None
        return self._sheet(self.picture).row(position).center().toPoint()

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.picture is not None:
            painter = BoardPainter(self, self.picture, self._sheet(self.picture))
            focused, room = self._current if self.hasFocus() else None, self._room_of_buttons()
            painter.draw(selected=self._selected, target=self._target, focused=focused, room=room)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_buttons()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), tip(self._words_at(QPointF(event.pos()))), self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        box = self.box_at(event.position())
        if event.button() == Qt.MouseButton.LeftButton and box is not None:
            self._pressed = (box, event.position().toPoint())
            self._choose(box)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        over = self.box_at(event.position())
        self.setCursor(Qt.CursorShape.OpenHandCursor if over else Qt.CursorShape.ArrowCursor)
        if self._pressed is None:
            return
        moved = (event.position().toPoint() - self._pressed[1]).manhattanLength() >= DRAG_START
        if moved or self._target is not None:
            self.setCursor(Qt.CursorShape.ClosedHandCursor)
            self._aim(event.position())

    def mouseReleaseEvent(self, _event: QMouseEvent) -> None:
        pressed, target = self._pressed, self._target
        self._pressed = None
        self._aim(None)
        if pressed is not None and target is not None and target != pressed[0].slot:
            self.card_moved.emit(pressed[0].card.part.id, pressed[0].card.number, target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        boxes = self._boxes()
        if event.key() not in steps or not boxes:
            super().keyPressEvent(event)
            return
        here = next((place for place, box in enumerate(boxes) if box.index == self._current), None)
        last = len(boxes) - 1
        self._choose(boxes[0 if here is None else min(max(here + steps[Qt.Key(event.key())], 0), last)])

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        keyboard = event.reason() is QContextMenuEvent.Reason.Keyboard
        box = self.current_box() if keyboard else self.box_at(QPointF(event.pos()))
        if box is None or self.picture is None:
            return
        self._choose(box)
        centre = self._sheet(self.picture).card(box).center().toPoint()
        point = self.mapToGlobal(centre) if keyboard else event.globalPos()
        self.menu_wanted.emit(box.card.part.id, box.card.number, point)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        if self.current_box() is None and self._boxes() and event.reason() is not Qt.FocusReason.MouseFocusReason:
            self._choose(self._boxes()[0])
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def current_box(self) -> CardBox | None:
        """The card that the keyboard is on."""
        return next((box for box in self._boxes() if box.index == self._current), None)

    def _boxes(self) -> list[CardBox]:
        """The placed cards from the top."""
        return sorted(self.picture.boxes, key=lambda box: box.slot) if self.picture else []

    def _choose(self, box: CardBox) -> None:
        self._current = box.index
        self.setAccessibleDescription(self._card_words(box))
        self.card_picked.emit(box.card.part.id)
        self.update()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if self.picture is not None and event.mimeData().hasFormat(PART_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        self._aim(event.position())
        event.acceptProposedAction()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        self._aim(None)
        super().dragLeaveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        target = self._target
        self._aim(None)
        if (part_id := dragged_text(event.mimeData(), PART_MIME)) is not None:
            event.acceptProposedAction()
            self.part_dropped.emit(part_id, target or 0)

    @Slot()
    def _refresh(self) -> None:
        self.picture = board_picture(self._document.build, self._document.assessment.links)
        self.setAccessibleDescription(picture_words(self.picture) if self.picture else "")
        self.arrange.setVisible(self.picture is not None and bool(self._document.build.cards()))
        self.updateGeometry()
        self.update()

    @Slot()
    def _recolour(self) -> None:
        self.arrange.setIcon(theme().icon("gpu"))
        self.machine.setIcon(theme().icon("machine"))
        self._place_buttons()
        self.update()

    def _place_buttons(self) -> None:
        """At the upper right, beside the board's name."""
        right = self.width() - 4
        for button in (self.machine, self.arrange):
            button.adjustSize()
            button.move(right - button.width(), 2)
            right -= button.width() + 4

    def _room_of_buttons(self) -> int:
        arrange = self.arrange.width() + 4 if self.arrange.isVisible() else 0
        return self.machine.width() + arrange + PAD

    def _aim(self, point: QPointF | None) -> None:
        row = self.row_at(point) if point is not None else None
        self._target = row.position if row is not None and row.slot is not None else None
        self.update()

    def _words_at(self, point: QPointF) -> str:
        box, row = self.box_at(point), self.row_at(point)
        if box is not None:
            return self._card_words(box)
        return slot_words(row) if row is not None else ""

    def _card_words(self, box: CardBox) -> str:
        return local(card_words(box, cpus=self.picture.cpus if self.picture else 1))

    def _sheet(self, picture: BoardPicture) -> BoardLayout:
        return BoardLayout.of(picture, QRectF(self.rect()), self.fontMetrics())
