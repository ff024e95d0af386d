"""Rows, columns and forms in one statement each, and fields that have their name for screen readers from the start."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from PySide6.QtWidgets import (
    QBoxLayout,
    QComboBox,
    QDialog,
    QDialogButtonBox,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QLayout,
    QLineEdit,
    QPushButton,
    QSpinBox,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from gui.widgets.actions import without_mnemonic
from gui.widgets.text import Label, tip
from gui.widgets.theme import theme
from gui.widgets.units import local

W = TypeVar("W", bound=QWidget)
L = TypeVar("L", bound=QBoxLayout)
Piece = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""What stands in a layout: a widget or a layout, alone or with its share of the spare room, or an empty share of it."""
Margins = int | tuple[int, int, int, int] | None
"""At all sides, or left, above, right and below, in pixels; None: those of the style."""


def row_of(
    *pieces: Piece, into: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QHBoxLayout:
    """Pieces beside each other; `into` is the widget that they fill. `spacing` is that of the style where not given."""
    return _filled(QHBoxLayout(), pieces, into, margins, spacing)


def column_of(
    *pieces: Piece, into: QWidget | None = None, margins: Margins = 0, spacing: int | None = None
) -> QVBoxLayout:
    """Pieces under each other, as in `row_of`."""
    return _filled(QVBoxLayout(), pieces, into, margins, spacing)


def form_of(
    *fields: tuple[str, QWidget] | QWidget, into: QWidget | None = None, margins: Margins = 0, spacing: int | None = 8
) -> QFormLayout:
    """Fields under each other, each behind its label; a widget without one has the whole width.

    A field that has no name yet is called by its label.
    """
    layout = QFormLayout()
    _settle(layout, into, margins, spacing)
    for field in fields:
        if isinstance(field, QWidget):
            layout.addRow(field)
            continue
        label, editor = field
        if not editor.accessibleName():
            editor.setAccessibleName(without_mnemonic(label))
        layout.addRow(label, editor)
    return layout


def _filled(layout: L, pieces: Iterable[Piece], into: QWidget | None, margins: Margins, spacing: int | None) -> L:
    _settle(layout, into, margins, spacing)
    fill(layout, *pieces)
    return layout


def fill(layout: QBoxLayout, *pieces: Piece) -> None:
    """Adds pieces to a row or column, as in `row_of`."""
    for piece in pieces:
        if isinstance(piece, int):
            layout.addStretch(piece)
            continue
        part, share = piece if isinstance(piece, tuple) else (piece, 0)
        if isinstance(part, QLayout):
            layout.addLayout(part, share)
        else:
            layout.addWidget(part, share)


def _settle(layout: QLayout, into: QWidget | None, margins: Margins, spacing: int | None) -> None:
    if into is not None:
        into.setLayout(layout)
    if margins is not None:
        layout.setContentsMargins(*(margins if isinstance(margins, tuple) else (margins,) * 4))
    if spacing is not None:
        layout.setSpacing(spacing)


class Problem(Label):
    """What is wrong with a field, below it; takes room only while there is something to say."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWordWrap(True)
        self.hide()

    def tell(self, problem: str) -> None:
        """Shows a problem; an empty one goes."""
        self.setText(problem)
        self.setVisible(bool(problem))
        self.setStyleSheet(f"color: {theme().color('fail').name()}")


# -- fields ---------------------------------------------------------------------------------------------------------


def named(editor: W, name: str, meaning: str = "") -> W:
    """Gives a widget its name for screen readers and, where there is more to say, tooltip and description."""
    editor.setAccessibleName(local(name))
    if meaning:
        editor.setToolTip(tip(meaning))
        editor.setAccessibleDescription(local(meaning))
    return editor


def spin_box(parent: QWidget, name: str, limits: tuple[int, int], unit: str = "", *, step: int = 1) -> QSpinBox:
    """A box for a whole number; `unit` stands behind it, with the space before it."""
    box = QSpinBox(parent)
    box.setRange(*limits)
    box.setSuffix(unit)
    box.setSingleStep(step)
    return named(box, name)


def fine_spin_box(
    parent: QWidget, name: str, limits: tuple[float, float], unit: str = "", *, decimals: int = 1, step: float = 1.0
) -> QDoubleSpinBox:
    """As `spin_box`, for a number with decimals."""
    box = QDoubleSpinBox(parent)
    box.setRange(*limits)
    box.setSuffix(unit)
    box.setDecimals(decimals)
    box.setSingleStep(step)
    return named(box, name)


def choice_box(
    parent: QWidget, name: str, options: Iterable[tuple[str, Any]], *, meaning: str = "", box: QComboBox | None = None
) -> QComboBox:
    """A box of options, each with what it stands for; `box` where it is to be one of another class."""
    box = QComboBox(parent) if box is None else box
    for words, value in options:
        box.addItem(words, value)
    return named(box, name, meaning)


def line_edit(parent: QWidget, name: str, hint: str = "", *, longest: int = 0, meaning: str = "") -> QLineEdit:
    """A line of text; `hint` shows while it is empty."""
    edit = QLineEdit(parent)
    edit.setPlaceholderText(hint)
    if longest:
        edit.setMaxLength(longest)
    return named(edit, name, meaning)


def push_button(
    parent: QWidget, text: str, work: Callable[[], object] | None = None, *, icon: str = "", meaning: str = ""
) -> QPushButton:
    """A button that Enter does not press from elsewhere in its dialog; `icon` is a name of the theme."""
    made = QPushButton(theme().icon(icon), text, parent) if icon else QPushButton(text, parent)
    made.setAutoDefault(False)
    if meaning:
        made.setToolTip(tip(meaning))
    if work is not None:
        made.clicked.connect(work)
    return made


def tool_button(
    parent: QWidget, text: str, work: Callable[[], object] | None = None, *, meaning: str = "", checkable: bool = False
) -> QToolButton:
    """A flat button with words."""
    made = named(QToolButton(parent), without_mnemonic(text), meaning)
    made.setText(text)
    made.setCheckable(checkable)
    made.setAutoRaise(True)
    if work is not None:
        made.clicked.connect(work)
    return made


def dialog_buttons(dialog: QDialog, *standard: QDialogButtonBox.StandardButton) -> QDialogButtonBox:
    """The buttons at the foot of a dialog, which accept or reject it."""
    box = QDialogButtonBox(dialog)
    for one in standard:
        box.addButton(one)
    box.accepted.connect(dialog.accept)
    box.rejected.connect(dialog.reject)
    return box
