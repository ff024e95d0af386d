"""The window's one connection to the catalogue: filled beside the window on first start, opened when first needed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from core.parts.part import Part
from gui.background import run_in_background
from gui.planner.parts.adviser import Adviser

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue


class CatalogueConnection(QObject):
    """Parts for the window's thread. Importing and filling the catalogue waits until after the first paint."""

    ready = Signal()
    failed = Signal(object)
    """The catalogue cannot be used; the exception says why."""
    changed = Signal()
    """Parts were imported, corrected, added or removed."""

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.data_dir = data_dir
        self._catalogue: Catalogue | None = None
        self.adviser = Adviser(data_dir, self)

    def prepare(self) -> None:
        """Brings the shipped parts into the database without holding up the window; then `ready`."""
        run_in_background(self, self._fill, self._open, self.failed.emit)

    @property
    def open(self) -> bool:
        """Whether searching costs only a query."""
        return self._catalogue is not None

    def catalogue(self) -> Catalogue:
        """The parts; opens them now if need be. Raises RigwrightError in words."""
        if self._catalogue is None:
            from core.parts.catalogue import Catalogue

            self._catalogue = Catalogue(self.data_dir)
        return self._catalogue

    def find_part(self, part_id: str) -> Part | None:
        """A part by its id, None if there is none."""
        return self.catalogue().part(part_id)

    def close(self) -> None:
        """Ends the connections."""
        self.adviser.close()
        if self._catalogue is not None:
            self._catalogue.close()
            self._catalogue = None

    def _fill(self) -> None:
        from core.parts.catalogue import Catalogue

        Catalogue(self.data_dir).close()

    def _open(self, _: None) -> None:
        self.catalogue()
        self.ready.emit()
