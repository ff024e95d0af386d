"""All figures of a category under each other, those that decide first, with a search among them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QGridLayout, QLabel, QScrollArea, QToolButton, QWidget

from core.parts.form_figure import FormFigure, decides, form_figures_of, range_text, shown
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from core.words import tr
from gui.parts.controls import Ask, make_control
from gui.widgets.figures import say
from gui.widgets.form import Problem, column_of, line_edit
from gui.widgets.text import Label, heading, tip
from gui.widgets.units import units

NOTHING = object()
NAME, CONTROL, RANGE, SHIPPED, BACK = range(5)


class FormRow(QObject):
    """Two lines of a grid: the control, and under it the problem, when there is one."""

    edited = Signal()

    def __init__(self, figure: FormFigure, ask: Ask, beneath: Any, parent: QWidget) -> None:
        """`beneath` is the shipped or imported value, `NOTHING` where there is none."""
        super().__init__(parent)
        self.figure = figure
        self._beneath = beneath
        self._admitted = True
        self.label = Label(figure.label, parent)
        self.label.setToolTip(tip(figure.meaning))
        self.control = make_control(figure, ask, parent)
        self._field = self.control.focusProxy() or self.control
        self.label.setBuddy(self._field)
        self.range = _quiet_label(range_text(figure, units()), parent)
        self.shipped = _quiet_label("", parent)
        self.shipped.setMaximumWidth(240)
        self.back = QToolButton(parent)
        self.back.setText(tr("Revert"))
        self.back.setAccessibleName(tr("Revert to the original figure: {figure}", figure=figure.label))
        self.back.setVisible(False)
        self.problem = Problem(parent)
        self.back.clicked.connect(self._go_back)
        self.control.edited.connect(self._changed)
        self._changed()

    def put(self, grid: QGridLayout, line: int) -> None:
        """Takes two lines of the grid."""
        top = Qt.AlignmentFlag.AlignVCenter
        for column, widget in enumerate((self.label, self.control, self.range, self.shipped, self.back)):
            grid.addWidget(widget, line, column, top)
        grid.addWidget(self.problem, line + 1, CONTROL, 1, 4)

    def show_plain(self, value: Any) -> None:
        """Puts a value in."""
        self.control.show_plain(value)

    def plain(self) -> Any:
        """The value; when it cannot be, the problem is told here. Raises BadInput."""
        try:
            value = self.control.plain()
        except BadInput as error:
            self.tell(str(error))
            raise
        self.tell("")
        return value

    def tell(self, problem: str) -> None:
        """Says what is wrong, right below the field."""
        self.problem.tell(problem)
        self.problem.setVisible(bool(problem) and self._admitted)
        say(self._field, problem or self.range.text())

    def admit(self, visible: bool) -> None:
        """Shows or hides the row, for a search among the figures."""
        self._admitted = visible
        for widget in (self.label, self.control, self.range, self.shipped):
            widget.setVisible(visible)
        self.problem.setVisible(visible and bool(self.problem.text()))
        self.back.setVisible(visible and bool(self.shipped.text()))

    @Slot()
    def _changed(self) -> None:
        try:
            value = self.control.plain()
        except BadInput as error:
            self.tell(str(error) if not self.figure.needed or self._touched() else "")
            self._show_shipped(True)
        else:
            self.tell("")
            self._show_shipped(value != self._beneath)
        self.edited.emit()

    def _touched(self) -> bool:
        return bool(getattr(getattr(self.control, "field", None), "text", str)())

    def _show_shipped(self, differs: bool) -> None:
        if self._beneath is NOTHING:
            return
        words = shown(self.figure, self._beneath, units()) or tr("unknown")
        text = tr("before: {value}", value=words)
        metrics = self.shipped.fontMetrics()
        self.shipped.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, 236) if differs else "")
        self.shipped.setToolTip(tip(text) if differs else "")
        self.back.setVisible(differs and self._admitted)

    @Slot()
    def _go_back(self) -> None:
        self.control.show_plain(self._beneath)
        self.control.setFocus()


def _quiet_label(text: str, parent: QWidget) -> Label:
    label = Label(text, parent)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label


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
        self.search = line_edit(self, tr("Find a figure"), tr("Find a figure …"))
        self.search.setClearButtonEnabled(True)
        self._inside = QWidget(self)
        self._headings: dict[bool, QLabel] = {}
        self.rows: dict[str, FormRow] = {}
        self.area = QScrollArea(self)
        self._fill(ask, beneath)
        self.area.setWidget(self._inside)
        self.area.setWidgetResizable(True)
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.area.setFrameShape(QFrame.Shape.StyledPanel)
        column_of(self.search, (self.area, 1), into=self, spacing=8)
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
        values: dict[str, Any] = {}
        wrong: list[str] = []
        for name, row in self.rows.items():
            try:
                values[name] = row.plain()
            except BadInput:
                wrong.append(name)
        if wrong:
            self.go_to(wrong[0])
        return values, len(wrong)

    @Slot(str)
    def _narrow(self, text: str) -> None:
        words = text.lower().split()
        shown = {True: False, False: False}
        for name, row in self.rows.items():
            searched = f"{row.figure.label} {name} {row.figure.unit}".lower()
            visible = all(word in searched for word in words)
            row.admit(visible)
            shown[decides(self.category, name)] |= visible
        for deciding, label in self._headings.items():
            label.setVisible(shown[deciding])

    def _fill(self, ask: Ask, beneath: dict[str, Any] | None) -> None:
        grid = QGridLayout(self._inside)
        grid.setContentsMargins(12, 8, 12, 8)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(2)
        grid.setColumnStretch(CONTROL, 1)
        grid.setColumnMinimumWidth(CONTROL, WIDTH_OF_CONTROLS)
        line = 0
        for figure in form_figures_of(self.category):
            deciding = decides(self.category, figure.name)
            if deciding not in self._headings:
                self._headings[deciding] = self._heading(deciding)
                grid.addWidget(self._headings[deciding], line, 0, 1, 5)
                line += 1
            row = FormRow(figure, ask, NOTHING if beneath is None else beneath.get(figure.name), self._inside)
            row.put(grid, line)
            row.edited.connect(self.edited)
            self.rows[figure.name] = row
            line += 2
        grid.setRowStretch(line, 1)

    def _heading(self, deciding: bool) -> QLabel:
        text = tr("Figures that rules and predictions need") if deciding else tr("More figures")
        label = heading(text, self._inside)
        label.setContentsMargins(0, 8, 0, 4)
        label.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        return label
