"""How large a dialog opens."""

from __future__ import annotations

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

FRAME = QSize(16, 48)
"""What a window manager draws around a window, roughly, in pixels."""


def open_at(window: QWidget, width: int, height: int) -> None:
    """Gives a window this size in pixels, or what the screen has room for, so that its buttons can be reached."""
    window.resize(QSize(width, height).boundedTo(window.screen().availableSize() - FRAME))
