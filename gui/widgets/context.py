"""Which page of the manual belongs to what the user is at: F1."""

from __future__ import annotations

from typing import Protocol, cast, runtime_checkable

from PySide6.QtCore import Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QWidget

PROPERTY = "manual"
FIRST = "start"


@runtime_checkable
class ShowsManual(Protocol):
    """The window: it opens the manual before a widget."""

    def open_manual(self, page: str, before: QWidget) -> None: ...


def belongs_to(widget: QWidget | None, page: str) -> None:
    """What is in this widget is told on that page, unless something within says otherwise."""
    if widget is not None:
        widget.setProperty(PROPERTY, page)


def page_of(widget: QWidget | None) -> str:
    """The page of the nearest widget around that names one; the first page without."""
    while widget is not None:
        page = widget.property(PROPERTY)
        if isinstance(page, str):
            return page
        widget = widget.parentWidget()
    return FIRST


class HelpKey(QShortcut):
    """F1 in a dialog, which keeps the keys of the window away from it."""

    def __init__(self, dialog: QDialog) -> None:
        super().__init__(QKeySequence(QKeySequence.StandardKey.HelpContents), dialog)
        self._dialog = dialog
        self.activated.connect(self._open)

    @Slot()
    def _open(self) -> None:
        widget: QWidget | None = self._dialog
        while widget is not None and not isinstance(widget, ShowsManual):
            widget = widget.parentWidget()
        if widget is not None:
            cast(ShowsManual, widget).open_manual(page_of(self._dialog.focusWidget() or self._dialog), self._dialog)
