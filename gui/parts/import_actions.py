"""The public data set: bringing it in, reading what was left out, taking it out again."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from core.errors import RigwrightError
from core.language import tr
from gui.background import run_in_background
from gui.catalogue_connection import CatalogueConnection
from gui.parts.fronts import front, open_dialog
from gui.parts.part_files import forget_import
from gui.widgets import messages


class ImportActions(QObject):
    """`said(sentence)` for the status bar; the connection says that parts have changed."""

    said = Signal(str)

    def __init__(self, window: QMainWindow, connection: CatalogueConnection, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._connection = connection

    @Slot()
    def import_data_set(self) -> None:
        """Asks for the data set, imports it and shows what became of it."""
        from gui.parts.import_dialog import ImportDialog

        dialog = ImportDialog(self._connection.data_dir, self._window)
        dialog.imported.connect(self._connection.changed)
        dialog.quarantine_wanted.connect(self.show_left_out)
        open_dialog(dialog)

    @Slot()
    def remove_imported(self) -> None:
        """Takes all imported parts out, after a question."""
        question = tr("Remove all imported parts from the catalogue?")
        detail = tr("Your own parts and corrections stay, and so do the parts in plans. Importing brings them back.")
        if messages.ask(self._window, question, detail, [("remove", tr("Remove"))]) == "remove":
            folder = self._connection.data_dir
            run_in_background(self, lambda: forget_import(folder), self._forgot, self._told)

    @Slot()
    def show_left_out(self) -> None:
        """Lists what the last import did not take."""
        from gui.parts.lists import QuarantineView

        try:
            left_out = self._connection.catalogue().quarantine()
        except RigwrightError as error:
            self._told(error)
            return
        view = QuarantineView(front(self._window))
        view.show_left_out(left_out)
        open_dialog(view)

    def _forgot(self, count: int) -> None:
        self._connection.changed.emit()
        self.said.emit(tr("Imported parts removed: {count}", count=f"{count:,}"))

    def _told(self, error: Exception) -> None:
        messages.show_error(self._window, error)
