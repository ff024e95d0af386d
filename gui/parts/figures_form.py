"""All figures of a category under each other, those that decide first, with a search among them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QLineEdit, QScrollArea, QVBoxLayout, QWidget

from core.errors import BadInput
from core.parts.vocabulary import Category
from gui.parts.controls import Ask
from gui.parts.figure import decides, figures_of
from gui.parts.figure_row import CONTROL, NOTHING, FigureRow
from gui.widgets.text import Label

WIDTH_OF_CONTROLS = 220


class FiguresForm(QWidget):
    """One row per figure; nothing that was typed is ever dropped."""

    edited = Signal()

    def __init__(
        self, category: Category, ask: Ask, beneath: dict[str, Any] | None = None, parent: QWidget | None = None
    ) -> None:
        """`beneath` are the shipped or imported figures that changed ones are shown beside."""
        super().__init__(parent)
        self.category = category
        self.search = QLineEdit(self)
        self.search.setPlaceholderText(self.tr("Find a figure …"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self.tr("Find a figure"))
        self._inside = QWidget(self)
        self._headings: dict[bool, QLabel] = {}
        self.rows: dict[str, FigureRow] = {}
        self.area = QScrollArea(self)
        self._fill(ask, beneath)
        self.area.setWidget(self._inside)
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setFrameShape(QFrame.Shape.StyledPanel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.search)
        column.addWidget(self.area, 1)
        self.search.textChanged.connect(self._narrow)

    def show_figures(self, figures: dict[str, Any]) -> None:
        """Puts the figures of a part in."""
        for name, row in self.rows.items():
            row.show_plain(figures.get(name, row.figure.default))

    def fields(self) -> list[QWidget]:
        """What the Tab key goes through, in the order in which it stands: the search, then row for row."""
        tabs = [child for child in self.findChildren(QWidget) if child.focusPolicy() & Qt.FocusPolicy.TabFocus]
        lists = [child for child in tabs if child.window() is not self.window()]  # of combo boxes
        return [child for child in tabs if child.focusProxy() is None and child not in lists]

    def go_to(self, name: str) -> None:
        """Shows one figure with the cursor in it; nothing if there is none of this name."""
        row = self.rows.get(name)
        if row is not None:
            self.search.clear()
            row.control.setFocus()
            self.area.ensureWidgetVisible(row.control)

    def values(self) -> tuple[dict[str, Any], int]:
        """The figures that can be, and how many cannot; those say so at their field, and the first is shown."""
        made, wrong = {}, list[FigureRow]()
        for name, row in self.rows.items():
            try:
                made[name] = row.plain()
            except BadInput:
                wrong.append(row)
        if wrong:
            self.search.clear()
            wrong[0].control.setFocus()
            self.area.ensureWidgetVisible(wrong[0].control)
        return made, len(wrong)

    @Slot(str)
    def _narrow(self, text: str) -> None:
        words = text.lower().split()
        shown = {True: False, False: False}
        for name, row in self.rows.items():
            told = f"{row.figure.label} {name} {row.figure.unit}".lower()
            visible = all(word in told for word in words)
            row.admit(visible)
            shown[decides(self.category, name)] |= visible
        for deciding, heading in self._headings.items():
            heading.setVisible(shown[deciding])

    def _fill(self, ask: Ask, beneath: dict[str, Any] | None) -> None:
        grid = QGridLayout(self._inside)
        grid.setContentsMargins(12, 8, 12, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(CONTROL, 1)
        grid.setColumnMinimumWidth(CONTROL, WIDTH_OF_CONTROLS)
        line = 0
        for figure in figures_of(self.category):
            deciding = decides(self.category, figure.name)
            if deciding not in self._headings:
                self._headings[deciding] = self._heading(deciding)
                grid.addWidget(self._headings[deciding], line, 0, 1, 5)
                line += 1
            row = FigureRow(figure, ask, NOTHING if beneath is None else beneath.get(figure.name), self._inside)
            row.put(grid, line)
            row.edited.connect(self.edited)
            self.rows[figure.name] = row
            line += 2
        grid.setRowStretch(line, 1)

    def _heading(self, deciding: bool) -> QLabel:
        text = self.tr("Figures that rules and predictions need") if deciding else self.tr("More figures")
        label = Label(text, self._inside)
        font = label.font()
        font.setBold(True)
        label.setFont(font)
        label.setContentsMargins(0, 8, 0, 4)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        return label
