"""Files of parts and of prices and the public data set: brought in, written, taken out again beside the window."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from core.parts.own import read_parts, write_parts
from core.parts.part import Origin
from core.platform.errors import RigwrightError
from core.words import tr, trn
from gui.parts.catalogue_connection import CatalogueConnection
from gui.widgets import files, messages
from gui.widgets.background import run_in_background
from gui.widgets.messages import front, open_dialog

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

T = TypeVar("T")


def with_catalogue(data_dir: Path, work: Callable[[Catalogue], T]) -> T:
    """Does something with a connection of its own, as another thread must."""
    from core.parts.catalogue import Catalogue

    with closing(Catalogue(data_dir)) as catalogue:
        return work(catalogue)


class CatalogueFiles(QObject):
    """`message(sentence)` for the status bar.

    `changed(part ids, title of the edit)` when the catalogue has other parts or prices.
    """

    message = Signal(str)
    changed = Signal(list, str)

    def __init__(self, window: QMainWindow, connection: CatalogueConnection, parent: QObject) -> None:
        super().__init__(parent)
        self._window = window
        self._connection = connection

    @Slot()
    def export_own(self) -> None:
        """Writes the user's parts and corrected parts to a file."""
        path = self._to_save(tr("Export my parts"), "my-parts.json", tr("Parts (*.json)"))
        if path is not None:
            wrote = partial(self._wrote, path)
            self._run(lambda catalogue: write_parts(path, catalogue.parts(origin=Origin.USER)), wrote)

    @Slot()
    def import_own(self) -> None:
        """Takes the parts of such a file as the user's own, after a question about those that are there."""
        path = files.file_to_open(self._window, tr("Import my parts"), Path.home(), tr("Parts (*.json)"))
        if path is None:
            return
        try:
            parts = read_parts(path)
            there = [part.title for part in parts if self._connection.find_part(part.id) is not None]
        except RigwrightError as error:
            self._show_error(error)
            return
        if there:
            question = tr("{count} of {all} parts are in the catalogue already.", count=len(there), all=len(parts))
            detail = tr("Those in the file replace them as your own; earlier corrections of them are removed.")
            if messages.ask(self._window, question, detail, [("take", tr("Import all"))]) != "take":
                return
        part_ids = [part.id for part in parts]
        self._run(lambda catalogue: catalogue.save_user_parts(parts), lambda _: self._took_parts(part_ids))

    @Slot()
    def export_prices(self) -> None:
        """Writes all parts with their prices as CSV."""
        path = self._to_save(tr("Export price list"), "prices.csv", tr("CSV (*.csv)"))
        if path is not None:
            from core.parts.price_list import write_price_list

            self._run(lambda catalogue: write_price_list(path, catalogue.parts()), partial(self._wrote, path))

    @Slot()
    def import_prices(self) -> None:
        """Takes the user's own prices from a list."""
        self._open_update(own=True)

    @Slot()
    def update_prices(self) -> None:
        """Takes the prices of shops and data sets; the user's own stay."""
        self._open_update(own=False)

    def _open_update(self, *, own: bool) -> None:
        from gui.parts.price_update_dialog import PriceUpdateDialog

        dialog = PriceUpdateDialog(self._connection, self._window, own=own)
        dialog.updated.connect(self.changed)
        open_dialog(dialog)

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
            self._run(lambda catalogue: catalogue.forget_import(), self._removed_imported)

    @Slot()
    def show_left_out(self) -> None:
        """Lists what the last import did not take."""
        from gui.parts.lists import left_out_dialog

        try:
            left_out = self._connection.catalogue().quarantine()
        except RigwrightError as error:
            self._show_error(error)
            return
        open_dialog(left_out_dialog(left_out, front(self._window)))

    def _run(self, work: Callable[[Catalogue], T], done: Callable[[T], None]) -> None:
        """Works on a catalogue of its own beside the window."""
        run_in_background(self, partial(with_catalogue, self._connection.data_dir, work), done, self._show_error)

    def _removed_imported(self, count: int) -> None:
        self._connection.changed.emit()
        self.message.emit(tr("Imported parts removed: {count}", count=f"{count:,}"))

    def _wrote(self, path: Path, count: int) -> None:
        words = trn("Wrote {count} part to {path}.", "Wrote {count:,} parts to {path}.", count=count, path=path)
        self.message.emit(words)

    def _took_parts(self, part_ids: list[str]) -> None:
        self.message.emit(trn("Imported {count} part.", "Imported {count:,} parts.", count=len(part_ids)))
        self.changed.emit(part_ids, tr("Import figures from a parts file"))

    def _to_save(self, title: str, name: str, kinds: str) -> Path | None:
        return files.file_to_save(self._window, title, Path.home() / name, kinds)

    def _show_error(self, error: Exception) -> None:
        messages.show_error(self._window, error)
