"""The machine to scale beside its tools: from which side, what is shown, export. It follows the open build."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QByteArray, QEvent, QPointF, QRectF, QSize, Qt, Signal, Slot
from PySide6.QtGui import (
    QAction,
    QDragEnterEvent,
    QDragMoveEvent,
    QDropEvent,
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QShowEvent,
    QWheelEvent,
)
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QButtonGroup, QMenu, QSizePolicy, QToolButton, QToolTip, QWidget

from core.platform.errors import RigwrightError
from core.present.picture.scene import Box, Layer, PicturedPart, Scene, Text
from core.present.picture.svg import DARK, LIGHT, draw
from core.present.picture.write import View, scene_of, write_picture
from core.words import joined, tr
from gui.planner.document import PlanDocument
from gui.planner.parts.model import PART_MIME, dragged_text
from gui.widgets import files, messages
from gui.widgets.figures import say
from gui.widgets.form import column_of, row_of, tool_button
from gui.widgets.text import tip
from gui.widgets.theme import theme
from gui.widgets.units import local

NEAREST, FARTHEST = 8.0, 1.0
"""Zoom over the fitting size."""
LETTERS, MOST_LETTERS = 0.6, 1.7
"""Words on the sheet are at least so high, of the window's letters, and at most so much larger than drawn."""
WORDS_MM = 12.0
"""Height of the words of the picture as it is drawn."""
DRAG_START = 6
STEP = 1.2


class MachineCanvas(QWidget):
    """`picked(part id)`, `card_moved(part id, card number, slot)`, `part_dropped(part id, slot or 0)`.

    Ctrl and wheel, + and - zoom; dragging beside a card moves the sheet; Home fits it again. Up and Down go from part
    to part.
    """

    picked = Signal(str)
    card_moved = Signal(str, int, int)
    part_dropped = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.scene: Scene | None = None
        """What is drawn."""
        self._renderer: QSvgRenderer | None = None
        self._drawn_letters = 1.0
        self._layers: frozenset[Layer] = frozenset(Layer)
        self._chosen: frozenset[str] = frozenset()
        self._names: dict[str, str] = {}
        self._zoom = 1.0
        self._shift = QPointF()
        self._pressed: tuple[QPointF, Box | None] | None = None
        self.setAcceptDrops(True)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._speak()

    def show_scene(self, scene: Scene, layers: Collection[Layer], names: dict[str, str]) -> None:
        """Replaces the picture; `names` are titles by part id. The zoom stays."""
        shapes = tuple(replace(one, words=local(one.words)) if isinstance(one, Text) else one for one in scene.shapes)
        self.scene, self._layers, self._names = replace(scene, shapes=shapes), frozenset(layers), names
        self._renderer = None
        self._speak()
        self.update()

    def select(self, part_ids: Collection[str]) -> None:
        """Outlines these parts."""
        if frozenset(part_ids) != self._chosen:
            self._chosen = frozenset(part_ids)
            self._speak()
            self.recolour()

    def recolour(self) -> None:
        """Draws anew, in the colours of the present theme."""
        self._renderer = None
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(420, 280)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 120)

    def paintEvent(self, _event: QPaintEvent) -> None:
        if self.scene is None:
            return
        letters = self._letters()
        if self._renderer is None or letters != self._drawn_letters:
            colours = DARK if theme().dark else LIGHT
            self._drawn_letters = letters
            svg = draw(self.scene, colours, layers=self._layers, chosen=self._chosen, letters=letters)
            self._renderer = QSvgRenderer(QByteArray(svg.encode()), self)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), (DARK if theme().dark else LIGHT).sheet)
        self._renderer.render(painter, self._sheet())
        if self.hasFocus():
            painter.setPen(theme().color("accent"))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    # -- where things are -----------------------------------------------------------------------------------------

    def subject_at(self, point: QPointF) -> PicturedPart | None:
        """The part under a point of the widget."""
        return None if self.scene is None else self.scene.subject_at(self._in_mm(point))

    def point_of(self, box: Box) -> QPointF:
        """The middle of a shape, in the widget."""
        sheet, scale = self._sheet(), self._scale()
        x, y = box.x + box.width / 2, box.y + min(box.height / 2, 8.0)
        return QPointF(sheet.x() + x * scale, sheet.y() + y * scale)

    def _scale(self) -> float:
        assert self.scene is not None
        fitting = min(self.width() / self.scene.width_mm, self.height() / self.scene.height_mm)
        return fitting * self._zoom

    def _letters(self) -> float:
        """How much larger than drawn the words have to be to be read; in steps, as each draws the picture anew."""
        letters = LETTERS * self.fontMetrics().height() / (WORDS_MM * self._scale())
        return round(min(max(letters, 1.0), MOST_LETTERS), 1)

    def _sheet(self) -> QRectF:
        assert self.scene is not None
        scale = self._scale()
        wide, high = self.scene.width_mm * scale, self.scene.height_mm * scale
        left, top = (self.width() - wide) / 2 + self._shift.x(), (self.height() - high) / 2 + self._shift.y()
        return QRectF(left, top, wide, high)

    def _in_mm(self, point: QPointF) -> tuple[float, float]:
        sheet, scale = self._sheet(), self._scale()
        return (point.x() - sheet.x()) / scale, (point.y() - sheet.y()) / scale

    def _slot_at(self, point: QPointF) -> int | None:
        return None if self.scene is None else self.scene.slot_at(self._in_mm(point))

    # -- what the user does ---------------------------------------------------------------------------------------

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            subject = self.subject_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), tip(self._name_of(subject)) if subject else "", self)
            return True
        return super().event(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() != Qt.MouseButton.LeftButton or self.scene is None:
            return
        subject = self.subject_at(event.position())
        card = self.scene.card_at(self._in_mm(event.position()))
        self._pressed = event.position(), card
        if subject is not None:
            self.picked.emit(subject.part_id)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            return
        start, card = self._pressed
        if card is None and self._zoom > 1:
            self._shift += event.position() - start
            self._pressed = event.position(), None
            self.update()
        elif card is not None:
            held = self._slot_at(event.position()) is not None
            self.setCursor(Qt.CursorShape.ClosedHandCursor if held else Qt.CursorShape.ForbiddenCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self.unsetCursor()
        if self._pressed is None:
            return
        (start, card), self._pressed = self._pressed, None
        moved = (event.position() - start).manhattanLength() >= DRAG_START
        slot = self._slot_at(event.position())
        if card is not None and card.subject is not None and moved and slot is not None and slot != card.slot:
            self.card_moved.emit(card.subject.part_id, card.subject.number or 1, slot)

    def wheelEvent(self, event: QWheelEvent) -> None:
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self._zoom_by(STEP ** (event.angleDelta().y() / 120))
            event.accept()
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Plus | Qt.Key.Key_Equal:
                self._zoom_by(STEP)
            case Qt.Key.Key_Minus:
                self._zoom_by(1 / STEP)
            case Qt.Key.Key_Home:
                self._zoom, self._shift = 1.0, QPointF()
                self.update()
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self._step(1 if event.key() == Qt.Key.Key_Down else -1)
            case _:
                super().keyPressEvent(event)

    def _step(self, way: int) -> None:
        """To the next part of the picture, from the top."""
        if self.scene is None:
            return
        order = self.scene.part_ids()
        now = next((order.index(part_id) for part_id in order if part_id in self._chosen), -1 if way > 0 else 0)
        if order:
            self.picked.emit(order[(now + way) % len(order)])

    def _zoom_by(self, factor: float) -> None:
        self._zoom = min(max(self._zoom * factor, FARTHEST), NEAREST)
        if self._zoom == FARTHEST:
            self._shift = QPointF()
        self.update()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(PART_MIME):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasFormat(PART_MIME):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        if (part_id := dragged_text(event.mimeData(), PART_MIME)) is not None:
            event.acceptProposedAction()
            self.part_dropped.emit(part_id, self._slot_at(event.position()) or 0)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _speak(self) -> None:
        """The chosen parts that are drawn, and what is written on them; then what the picture is of."""
        scene = self.scene
        drawn = [part_id for part_id in scene.part_ids() if part_id in self._chosen] if scene else []
        names = joined((self._names.get(part_id, part_id) for part_id in drawn), ", ")
        name = tr("Picture of the machine: {parts}", parts=names) if names else ""
        self.setAccessibleName(name or tr("Picture of the machine"))
        words = [text for part_id in drawn for text in scene.words_on(part_id)] if scene else []
        say(self, ". ".join([*words, scene.title] if scene else []))

    def _name_of(self, subject: PicturedPart) -> str:
        name = self._names.get(subject.part_id, subject.part_id)
        return name if subject.number is None else f"{name} ({subject.number})"


class MachineView(QWidget):
    """`board_wanted` goes back to the board; what the canvas says goes through."""

    board_wanted = Signal()

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._stale = True
        self.canvas = MachineCanvas(self)
        self.sides = QButtonGroup(self)
        self.views = {view: self._button(view.label, view.meaning) for view in View}
        self.show_menu = QMenu(self)
        self.layers = {layer: self._layer(layer.label, layer.meaning) for layer in Layer if layer.meaning}
        self.shown = self._button(tr("Show"), tr("What the picture shows"), checkable=False)
        self.export = self._button(tr("Export…"), tr("Writes the picture as SVG, PDF or PNG"), checkable=False)
        self.board = self._button(tr("Board"), tr("Back to the board and its slots (F8)"), checkable=False)
        for button in self.views.values():
            self.sides.addButton(button)
        self.views[View.SIDE].setChecked(True)
        self.shown.setMenu(self.show_menu)
        self.shown.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self._arrange()
        self._connect()

    @property
    def view(self) -> View:
        """From where one looks."""
        return next(view for view, button in self.views.items() if button.isChecked())

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._draw()

    def _layer(self, text: str, meaning: str) -> QAction:
        action = self.show_menu.addAction(text)
        action.setToolTip(meaning)
        action.setCheckable(True)
        action.setChecked(True)
        self.show_menu.setToolTipsVisible(True)
        return action

    def _button(self, text: str, meaning: str, *, checkable: bool = True) -> QToolButton:
        button = tool_button(self, text, meaning=meaning, checkable=checkable)
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _arrange(self) -> None:
        views = self.views.values()
        head = row_of(*views, self.shown, 1, self.export, self.board, margins=(8, 2, 4, 2), spacing=4)
        column_of(head, (self.canvas, 1), into=self, spacing=0)

    def _connect(self) -> None:
        self.board.clicked.connect(self.board_wanted)
        self.export.clicked.connect(self._export)
        self._document.changed.connect(self._refresh)
        theme().changed.connect(self.canvas.recolour)
        self.sides.buttonClicked.connect(self._draw)
        self.show_menu.triggered.connect(self._draw)

    @Slot()
    def _refresh(self) -> None:
        """Draws at once where it is seen, else when it is shown."""
        self._stale = True
        if self.isVisible():
            self._draw()

    @Slot()
    def _draw(self) -> None:
        self._stale = False
        assessment = self._document.assessment
        names = {line.part.id: line.part.title for line in assessment.build.lines}
        self.canvas.show_scene(scene_of(assessment, self.view), self._shown(), names)

    def _shown(self) -> frozenset[Layer]:
        return frozenset({Layer.MACHINE, *(layer for layer, action in self.layers.items() if action.isChecked())})

    @Slot()
    def _export(self) -> None:
        stem = self._document.suggested_file_name().removesuffix(".rig.json")
        filters = tr("Picture (*.svg *.pdf *.png)")
        path = files.file_to_save(self, tr("Export picture"), Path.home() / f"{stem}.svg", filters)
        if path is None:
            return
        target = path if path.suffix else path.with_suffix(".svg")
        if not files.may_write(self, path, target):
            return
        try:
            scene = scene_of(self._document.assessment, self.view)
            write_picture(scene, target, dark=theme().dark, layers=self._shown())
        except RigwrightError as error:
            messages.show_error(self, error)
