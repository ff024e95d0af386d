"""The notes of the build: free text, undone as a whole."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from core.build.edits import SetDetails
from gui.planner.document import PlanDocument

PAUSE_MS = 800
MAX_LENGTH = 20_000


class NotesEditor(QPlainTextEdit):
    """Typing becomes an edit of the build at a pause, or when the field is left."""

    def __init__(self, document: PlanDocument, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._seen = ""
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.commit)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.setUndoRedoEnabled(False)  # Ctrl+Z undoes the edit of the build
        self.setPlaceholderText(self.tr("Why it is built this way, what is still open, who it is for …"))
        self.setAccessibleName(self.tr("Notes"))
        document.changed.connect(self._follow)
        self.textChanged.connect(self._pause.start)
        self._follow()

    @Slot()
    def commit(self) -> None:
        """Makes what was typed part of the build."""
        self._pause.stop()
        notes = self.toPlainText()[:MAX_LENGTH]
        if notes != self._document.build.notes:
            self._document.edit(SetDetails(notes=notes))

    def event(self, event: QEvent) -> bool:
        """Leaves undo and redo to the window, whose stack holds the notes too, with what was just typed."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride and _is_undo(event):
            self.commit()
            event.ignore()
            return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.commit()
        super().focusOutEvent(event)

    @Slot()
    def _follow(self) -> None:
        notes = self._document.build.notes
        if notes == self._seen:  # another change must not take away what is being typed
            return
        self._seen = notes
        if self.toPlainText() != notes:
            self.setPlainText(notes)
            self._pause.stop()


def _is_undo(event: QKeyEvent) -> bool:
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)
