"""Opens dialogs one before the other."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from gui.widgets.context import HelpKey

OURS = "rigwright-dialog"


def open_dialog(dialog: QDialog) -> None:
    """Shows it before its parent, and lets it go when it closes."""
    dialog.setProperty(OURS, True)
    HelpKey(dialog)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.open()


def front(window: QWidget) -> QWidget:
    """The window, or the dialog of ours that stands before it."""
    shown = [child for child in window.findChildren(QDialog) if child.isVisible() and child.property(OURS)]
    return shown[-1] if shown else window
