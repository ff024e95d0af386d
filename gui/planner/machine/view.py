"""The machine to scale beside its tools: from which side, what is shown, export. It follows the open build."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QShowEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QToolButton, QWidget

from core.platform.errors import RigwrightError
from core.present.picture.scene import Layer
from core.present.picture.write import View, scene_of, write_picture
from core.words import tr
from gui.planner.document import PlanDocument
from gui.planner.machine.canvas import MachineCanvas
from gui.widgets import files, messages
from gui.widgets.form import column_of, row_of, tool_button
from gui.widgets.theme import theme


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
