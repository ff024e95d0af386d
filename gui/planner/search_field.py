"""The field that finds parts: arrows move through the results while the cursor stays here."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QWidget


class SearchField(QLineEdit):
    """Up and Down move through the results while the cursor stays here."""

    moved = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setPlaceholderText(self.tr("Find a part …"))
        self.setClearButtonEnabled(True)
        self.setMaxLength(200)
        self.setAccessibleName(self.tr("Find a part"))
        self.setToolTip(self.tr("Words of maker, name or figures, English or Chinese. Enter adds the chosen part."))

    def event(self, event: QEvent) -> bool:
        """Undo and redo are the build's: whoever has just added a part from here wants to take that back."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and _undoes(event):
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


def _undoes(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
