"""What a screen reader says of figures that change while one looks at them."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QWidget

from gui.widgets.units import local


def describe(widget: QWidget, words: Callable[[], str]) -> None:
    """Sets a widget's description, only while somebody listens: live figures differ every second."""
    if QAccessible.isActive():
        say(widget, words())


def say(widget: QWidget, words: str) -> None:
    """Sets a widget's description where it differs: each one that is set is told."""
    words = local(words)
    if words != widget.accessibleDescription():
        widget.setAccessibleDescription(words)
