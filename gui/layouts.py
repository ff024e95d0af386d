"""Rows and columns of widgets, made in one call."""

from __future__ import annotations

from typing import TypeAlias

from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Part: TypeAlias = QWidget | QLayout | int | tuple[QWidget | QLayout, int]
"""What stands in a row or column; with its stretch beside it, or a stretch alone."""
Margins: TypeAlias = tuple[int, int, int, int]
"""Left, top, right and bottom, in pixels."""
NO_MARGINS: Margins = (0, 0, 0, 0)


def in_row(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = NO_MARGINS, spacing: int | None = None
) -> QHBoxLayout:
    """Side by side, in the widget `of`. None leaves margins and spacing to the style."""
    layout = QHBoxLayout() if of is None else QHBoxLayout(of)
    _fill(layout, parts, margins, spacing)
    return layout


def in_column(
    *parts: Part, of: QWidget | None = None, margins: Margins | None = NO_MARGINS, spacing: int | None = None
) -> QVBoxLayout:
    """Below each other, in the widget `of`. None leaves margins and spacing to the style."""
    layout = QVBoxLayout() if of is None else QVBoxLayout(of)
    _fill(layout, parts, margins, spacing)
    return layout


def _fill(layout: QBoxLayout, parts: tuple[Part, ...], margins: Margins | None, spacing: int | None) -> None:
    if margins is not None:
        layout.setContentsMargins(*margins)
    if spacing is not None:
        layout.setSpacing(spacing)
    for part in parts:
        item, stretch = part if isinstance(part, tuple) else (part, 0)
        if isinstance(item, int):
            layout.addStretch(item)
        elif isinstance(item, QWidget):
            layout.addWidget(item, stretch)
        else:
            layout.addLayout(item, stretch)
