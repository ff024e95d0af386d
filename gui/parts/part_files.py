"""Files of parts and of prices, written and read beside the window, and the dialogs that ask for them."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QMainWindow

from core.errors import RigwrightError
from core.language import tr, trn
from core.parts.own import read_parts, write_parts
from core.parts.part import Origin, Part
from gui.background import run_in_background
from gui.catalogue_connection import CatalogueConnection
from gui.parts.fronts import open_dialog
from gui.widgets import files, messages

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

T = TypeVar("T")


def with_catalogue(data_dir: Path, work: Callable[[Catalogue], T]) -> T:
    """Does something with a connection of its own, as another thread must."""
    from core.parts.catalogue import Catalogue

    with closing(Catalogue(data_dir)) as catalogue:
        return work(catalogue)


def export_own(data_dir: Path, path: Path) -> int:
    """Writes the user's parts and corrected parts; how many. Raises BadInput."""
    return with_catalogue(data_dir, lambda catalogue: write_parts(path, catalogue.parts(origin=Origin.USER)))


def take_own(data_dir: Path, parts: list[Part]) -> list[str]:
    """Keeps parts of a file as the user's own; their ids."""
    with_catalogue(data_dir, lambda catalogue: catalogue.save_user_parts(parts))
    return [part.id for part in parts]


def export_prices(data_dir: Path, path: Path) -> int:
    """Writes all parts with their prices; how many. Raises BadInput."""
    from core.parts.price_list import write_price_list

    return with_catalogue(data_dir, lambda catalogue: write_price_list(path, catalogue.parts()))


def forget_import(data_dir: Path) -> int:
    """Takes out all imported parts; how many."""
    return with_catalogue(data_dir, lambda catalogue: catalogue.forget_import())


class ListFiles(QObject):
    """`said(sentence)`; `changed(part ids, title of the edit)` when the catalogue has other parts or prices."""

    said = Signal(str)
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
            folder = self._connection.data_dir
            run_in_background(self, lambda: export_own(folder, path), partial(self._wrote, path), self._told)

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
            self._told(error)
            return
        if there:
            question = tr("{count} of {all} parts are in the catalogue already.", count=len(there), all=len(parts))
            detail = tr("Those in the file replace them as your own; earlier corrections of them are removed.")
            if messages.ask(self._window, question, detail, [("take", tr("Import all"))]) != "take":
                return
        folder = self._connection.data_dir
        run_in_background(self, lambda: take_own(folder, parts), self._took_parts, self._told)

    @Slot()
    def export_prices(self) -> None:
        """Writes all parts with their prices as CSV."""
        path = self._to_save(tr("Export price list"), "prices.csv", tr("CSV (*.csv)"))
        if path is not None:
            folder = self._connection.data_dir
            run_in_background(self, lambda: export_prices(folder, path), partial(self._wrote, path), self._told)

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

    def _wrote(self, path: Path, count: int) -> None:
        self.said.emit(trn("Wrote {count} part to {path}.", "Wrote {count:,} parts to {path}.", count=count, path=path))

    def _took_parts(self, part_ids: list[str]) -> None:
        self.said.emit(trn("Imported {count} part.", "Imported {count:,} parts.", count=len(part_ids)))
        self.changed.emit(part_ids, tr("Import figures from a parts file"))

    def _to_save(self, title: str, name: str, kinds: str) -> Path | None:
        return files.file_to_save(self._window, title, Path.home() / name, kinds)

    def _told(self, error: Exception) -> None:
        messages.show_error(self._window, error)
