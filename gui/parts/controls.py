"""One control per kind of figure, all with the same few methods. A wheel that passes over one changes nothing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette, QWheelEvent
from PySide6.QtWidgets import QComboBox, QWidget

from core.parts.form_figure import FieldKind, FormFigure, checked, shown, typed
from core.words import tr
from gui.widgets.form import line_edit, named, push_button, row_of
from gui.widgets.theme import theme
from gui.widgets.units import measure, units

Ask = Callable[[QWidget, FormFigure, Any], tuple[bool, Any]]
"""Lets the user change a value in a dialog: whether it was changed, and the new value."""


class Control(QWidget):
    """`plain()` is the value or raises BadInput in words; what was typed stays either way."""

    edited = Signal()

    def __init__(self, figure: FormFigure, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.figure = figure
        self._row = row_of(into=self, spacing=4)

    def plain(self) -> Any:
        """The value; None is unknown. Raises BadInput."""
        raise NotImplementedError

    def show_plain(self, value: Any) -> None:
        """Puts a value in."""
        raise NotImplementedError

    def _hold(self, widget: QWidget) -> None:
        self._row.addWidget(widget, 1)
        self.setFocusProxy(widget)


class LineControl(Control):
    """Numbers, words and texts: empty means unknown."""

    def __init__(self, figure: FormFigure, parent: QWidget | None = None) -> None:
        super().__init__(figure, parent)
        other = measure(figure.unit)
        name = f"{figure.label}, {other.unit}" if other else figure.heading
        self.field = line_edit(self, name, _empty_word(figure), longest=2000)
        self.field.textEdited.connect(self.edited)
        self._hold(self.field)
        self._shown: tuple[str, Any] = ("", None)
        """A text, and the value that it was made of: who does not touch it changes nothing."""

    def plain(self) -> Any:
        text, value = self._shown
        return value if text and text == self.field.text() else typed(self.figure, self.field.text(), units())

    def show_plain(self, value: Any) -> None:
        self.field.setText(shown(self.figure, value, units()))
        self._shown = (self.field.text(), value) if measure(self.figure.unit) else ("", None)
        self.field.setCursorPosition(0)
        self.edited.emit()


class ChoiceControl(Control):
    """A closed list; the first entry is "unknown" where it can be."""

    def __init__(self, figure: FormFigure, parent: QWidget | None = None) -> None:
        super().__init__(figure, parent)
        self.box = named(StillBox(self), figure.heading)
        if figure.can_be_unknown or figure.needed:
            self.box.addItem(_empty_word(figure), None)
        if figure.kind is FieldKind.YES_NO:
            self.box.addItem(shown(figure, True), True)
            self.box.addItem(shown(figure, False), False)
        for choice in figure.choices:
            self.box.addItem(choice.label, choice.value)
        self.box.activated.connect(self.edited)
        self._hold(self.box)

    def plain(self) -> Any:
        return typed(self.figure, "") if self.box.currentData() is None else self.box.currentData()

    def show_plain(self, value: Any) -> None:
        self.box.setCurrentIndex(max(self._row_of(value), 0))
        self.edited.emit()

    def _row_of(self, value: Any) -> int:
        """Qt's own search takes True for 1."""
        rows = range(self.box.count())
        return next((row for row in rows if self.box.itemData(row) == value), -1)


class DialogControl(Control):
    """A summary, and a button that opens the whole: ticks of a list, or rows of a table."""

    def __init__(self, figure: FormFigure, ask: Ask, parent: QWidget | None = None) -> None:
        super().__init__(figure, parent)
        self._ask = ask
        self._value: Any = figure.default
        self.summary = line_edit(self, figure.heading, _empty_word(figure))
        self.summary.setReadOnly(True)
        self.summary.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        button = push_button(self, tr("Edit …"), self._open)
        self.button = named(button, tr("Edit {figure}", figure=figure.label))
        self._row.addWidget(self.summary, 1)
        self._row.addWidget(self.button)
        self.setFocusProxy(self.button)

    def plain(self) -> Any:
        return checked(self.figure, self._value)

    def show_plain(self, value: Any) -> None:
        self._value = value
        words = shown(self.figure, value)
        many = len(value) if isinstance(value, list) and len(value) > 1 and self.figure.kind is FieldKind.TABLE else 0
        self.summary.setText(tr("{count} rows: {words}", count=many, words=words) if many else words)
        self.summary.setCursorPosition(0)
        self.edited.emit()

    @Slot()
    def _open(self) -> None:
        changed, value = self._ask(self, self.figure, self._value)
        if changed:
            self.show_plain(value)


class StillBox(QComboBox):
    """Leaves the wheel to the list it stands in, unless it is open."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMaxVisibleItems(20)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(12)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()


def make_control(figure: FormFigure, ask: Ask, parent: QWidget) -> Control:
    """The control for a figure; it shows the default."""
    match figure.kind:
        case FieldKind.CHOICE | FieldKind.YES_NO:
            made: Control = ChoiceControl(figure, parent)
        case FieldKind.CHOICES | FieldKind.TABLE:
            made = DialogControl(figure, ask, parent)
        case _:
            made = LineControl(figure, parent)
    made.show_plain(figure.default)
    return made


def outline(widget: QWidget) -> None:
    """Lets frames and boxes be seen in the dark: Fusion draws them darker than the palette's window."""
    palette = widget.palette()
    palette.setColor(QPalette.ColorRole.Window, theme().color("muted"))
    widget.setPalette(palette)


def _empty_word(figure: FormFigure) -> str:
    if figure.needed:
        return tr("required")
    return tr("unknown") if figure.can_be_unknown else ""
