"""The field that finds parts: arrows move through the results while the cursor stays here."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget

from core.words import tr


class SearchField(QLineEdit):
    """Up and Down move through the results while the cursor stays here."""

    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(tr("Find a part …"))
        self.setClearButtonEnabled(True)
        self.setMaxLength(200)
        self.setAccessibleName(tr("Find a part"))
        self.setToolTip(tr("Words of maker, name or figures, English or Chinese. Enter adds the chosen part."))

    def event(self, event: QEvent) -> bool:
        """Undo, redo and Ctrl+E are the window's: whoever adds parts from here wants to take one back, or export."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _is_the_windows(event):
            event.ignore()
            return False
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1, Qt.Key.Key_PageDown: 10, Qt.Key.Key_PageUp: -10}
        step = steps.get(Qt.Key(event.key())) if event.modifiers() == Qt.KeyboardModifier.NoModifier else None
        if step is not None:
            self.moved.emit(step)
        elif event.key() == Qt.Key.Key_Escape and self.text():
            self.clear()
        else:
            super().keyPressEvent(event)


def _is_the_windows(event: QKeyEvent) -> bool:
    """A line of text takes Ctrl+E for its end."""
    export = event.key() == Qt.Key.Key_E and event.modifiers() == Qt.KeyboardModifier.ControlModifier
    return export or event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
