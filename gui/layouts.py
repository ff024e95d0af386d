"""Rows and columns of widgets, made in one statement."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

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


def _filled(layout: L, pieces: Iterable[Piece], into: QWidget | None, margins: Margins, spacing: int | None) -> L:
    if into is not None:
        into.setLayout(layout)
    if margins is not None:
        layout.setContentsMargins(*(margins if isinstance(margins, tuple) else (margins,) * 4))
    if spacing is not None:
        layout.setSpacing(spacing)
    for piece in pieces:
        part, share = piece if isinstance(piece, tuple) else (piece, 0)
        if isinstance(part, int):
            layout.addStretch(part)
        elif isinstance(part, QLayout):
            layout.addLayout(part, share)
        else:
            layout.addWidget(part, share)
    return layout
