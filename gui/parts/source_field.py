"""A file or folder to read: typed, chosen in a dialog, or dropped anywhere on the dialog that asks for it."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QDialog, QWidget

from core.words import tr
from gui.widgets import files
from gui.widgets.form import line_edit, push_button, row_of


class SourceField(QWidget):
    """`changed` with each other path. Nothing is dropped on it while it is disabled."""

    changed = Signal()

    def __init__(self, dialog: QDialog, name: str, hint: str, titles: tuple[str, str], kinds: str) -> None:
        """`titles` are those of the dialogs for a file and for a folder, `kinds` the files that the first offers."""
        super().__init__(dialog)
        self._titles, self._kinds = titles, kinds
        self.path = line_edit(self, name, hint)
        self.file = push_button(self, tr("&File …"), self._choose_file)
        self.folder = push_button(self, tr("F&older …"), self._choose_folder)
        row_of((self.path, 1), self.file, self.folder, into=self)
        self.setFocusProxy(self.path)
        self.path.textChanged.connect(self.changed)
        dialog.setAcceptDrops(True)
        dialog.installEventFilter(self)

    def chosen(self) -> Path | None:
        """What is named, None while nothing is."""
        text = self.path.text().strip()
        return Path(text).expanduser() if text else None

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Takes what is dropped on the dialog."""
        if isinstance(event, QDragEnterEvent) and event.mimeData().hasUrls() and self.isEnabled():
            event.acceptProposedAction()
            return True
        if isinstance(event, QDropEvent) and event.type() == QEvent.Type.Drop:
            event.acceptProposedAction()
            self.path.setText(event.mimeData().urls()[0].toLocalFile())
            return True
        return super().eventFilter(watched, event)

    @Slot()
    def _choose_file(self) -> None:
        path = files.file_to_open(self.window(), self._titles[0], Path.home(), self._kinds)
        if path is not None:
            self.path.setText(str(path))

    @Slot()
    def _choose_folder(self) -> None:
        path = files.folder_to_open(self.window(), self._titles[1], Path.home())
        if path is not None:
            self.path.setText(str(path))
