"""One figure in the editor: name, control, range, what ships beside what was changed, and what is wrong with it."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from core.errors import BadInput
from gui.parts.controls import Ask, make_control
from gui.parts.figure import Figure
from gui.parts.figure_text import range_text, shown
from gui.theme import theme
from gui.widgets.text import Label, escaped

NOTHING = object()
NAME, CONTROL, RANGE, SHIPPED, BACK = range(5)


class FigureRow(QObject):
    """Two lines of a grid: the control, and under it the problem, when there is one."""

    edited = Signal()

    def __init__(self, figure: Figure, ask: Ask, beneath: Any, parent: QWidget) -> None:
        """`beneath` is the shipped or imported value, `NOTHING` where there is none."""
        super().__init__(parent)
        self.figure = figure
        self._beneath = beneath
        self._admitted = True
        self.label = _plain_label(figure.label, parent)
        self.label.setToolTip(f"<p>{escaped(figure.meaning)}</p>" if figure.meaning else "")
        self.control = make_control(figure, ask, parent)
        self.label.setBuddy(self.control.focusProxy() or self.control)
        self.range = _quiet_label(range_text(figure), parent)
        self.shipped = _quiet_label("", parent)
        self.shipped.setMaximumWidth(240)
        self.back = QToolButton(parent)
        self.back.setText(self.tr("Go back"))
        self.back.setAccessibleName(self.tr("Go back to the figure beneath: {figure}").format(figure=figure.label))
        self.back.setVisible(False)
        self.problem = _plain_label("", parent)
        self.problem.setWordWrap(True)
        self.problem.setVisible(False)
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
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem) and self._admitted)
        self.problem.setStyleSheet(f"color: {theme().color('fail').name()}")
        focused = self.control.focusProxy() or self.control
        focused.setAccessibleDescription(problem or self.range.text())

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
        words = shown(self.figure, self._beneath) or self.tr("unknown")
        text = self.tr("before: {value}").format(value=words)
        metrics = self.shipped.fontMetrics()
        self.shipped.setText(metrics.elidedText(text, Qt.TextElideMode.ElideRight, 236) if differs else "")
        self.shipped.setToolTip(f"<p>{escaped(text)}</p>" if differs else "")
        self.back.setVisible(differs and self._admitted)

    @Slot()
    def _go_back(self) -> None:
        self.control.show_plain(self._beneath)
        self.control.setFocus()


def _plain_label(text: str, parent: QWidget) -> QLabel:
    """What data says is never read as rich text."""
    label = Label(parent)
    label.setText(text)
    return label


def _quiet_label(text: str, parent: QWidget) -> QLabel:
    label = _plain_label(text, parent)
    label.setForegroundRole(QPalette.ColorRole.PlaceholderText)
    return label
