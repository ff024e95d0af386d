"""Fields for the figures that rules wait for: the user's own figure is entered beside the question."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QGridLayout, QLineEdit, QPushButton, QWidget

from core.parts.figures import field_words
from core.parts.specs import spec_model
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.words import tr
from core.words.units import unit_of
from gui.widgets.text import Label, paragraph
from gui.widgets.units import unit_here

MOST = 4
"""More figures than this are entered in the part's own editor."""


class FigureFields(QWidget):
    """`entered(part id, field, text)` for a figure that was typed; `editor_wanted(part id, field)` for a table."""

    entered = Signal(str, str, str)
    editor_wanted = Signal(str, str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._figures: tuple[str, ...] = ()
        self.fields: list[FigureField] = []
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(8, 4, 8, 4)
        self._grid.setColumnStretch(0, 1)
        self.hide()

    def show_figures(self, build: Build, figures: Sequence[str]) -> None:
        """One row for each figure ("part-id.field"); what was typed stays while the same figures are asked for."""
        listed = tuple(figures[:MOST])
        self.setVisible(bool(listed))
        if listed == self._figures:
            return
        self._figures = listed
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        self.fields = []
        for row, figure in enumerate(listed):
            part_id, _, field = figure.rpartition(".")
            line = build.line(part_id)
            if line is not None:
                self._add(row, FigureField(line.part.category, part_id, field, line.part.title, self))

    def _add(self, row: int, field: FigureField) -> None:
        field.entered.connect(self.entered)
        field.editor_wanted.connect(self.editor_wanted)
        self.fields.append(field)
        for column, widget in enumerate((field.label, field.line, field.unit, field.button)):
            if widget is not None:
                self._grid.addWidget(widget, row, column)


class FigureField(QWidget):
    """A figure's name, a line to type it, its unit and the button that stores it. A table has a button alone."""

    entered = Signal(str, str, str)
    editor_wanted = Signal(str, str)

    def __init__(self, category: Category, part_id: str, field: str, title: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.hide()  # only its widgets are laid out
        self._part_id, self._field = part_id, field
        words = field_words(field)
        name = tr("{figure} of {part}", figure=words[:1].upper() + words[1:], part=title)
        self.label = paragraph(parent, name)
        self.line: QLineEdit | None = None
        self.unit = Label(unit_here(unit_of(field)), parent)
        self.button = QPushButton(parent)
        if is_typed(category, field):
            self.line = QLineEdit(parent)
            self.line.setMaximumWidth(self.line.fontMetrics().averageCharWidth() * 14)
            self.line.setAlignment(Qt.AlignmentFlag.AlignRight)
            self.line.setAccessibleName(self.label.text())
            self.line.setToolTip(tr("Stored as a figure of your own; it survives updates, and undo reverts it"))
            self.line.returnPressed.connect(self._enter)
            self.label.setBuddy(self.line)
            self.button.setText(tr("Enter"))
            self.button.clicked.connect(self._enter)
        else:
            self.button.setText(tr("Enter …"))
            self.button.setToolTip(tr("Opens the part at this figure"))
            self.button.clicked.connect(self._open)
        self.button.setAccessibleName(f"{self.button.text()} {self.label.text()}")

    @Slot()
    def _enter(self) -> None:
        text = self.line.text().strip() if self.line is not None else ""
        if text:
            self.entered.emit(self._part_id, self._field, text)

    @Slot()
    def _open(self) -> None:
        self.editor_wanted.emit(self._part_id, self._field)


def is_typed(category: Category, field: str) -> bool:
    """Whether a figure is a number that can be typed in one line: no list, table or choice."""
    kind = str(spec_model(category).model_fields[field].annotation)
    return "tuple" not in kind and ("float" in kind or "int" in kind)
