"""One thread beside the window with a catalogue of its own, for advice that takes more than a moment."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from threading import local
from typing import TYPE_CHECKING, TypeVar

from PySide6.QtCore import QObject, QThreadPool

from gui.background import run_in_background

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

T = TypeVar("T")
CLOSING_MS = 5000


class Adviser(QObject):
    """Answers one question after the other; the catalogue stays open, with all that it has read."""

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = data_dir
        self._own = local()
        self._pool = QThreadPool(self)
        self._pool.setMaxThreadCount(1)
        self._pool.setExpiryTimeout(-1)

    def ask(
        self,
        owner: QObject,
        work: Callable[[Catalogue], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Calls `work` with the catalogue of the thread, then `done(result)` or `failed(error)` in the window's."""
        run_in_background(owner, partial(self._answer, work), done, failed, self._pool)

    def close(self) -> None:
        """Leaves out what was not begun, and ends the connection."""
        self._pool.clear()
        self._pool.start(self._shut)
        self._pool.waitForDone(CLOSING_MS)

    def _answer(self, work: Callable[[Catalogue], T]) -> T:
        return work(self._catalogue())

    def _catalogue(self) -> Catalogue:
        if getattr(self._own, "catalogue", None) is None:
            from core.parts.catalogue import Catalogue

            self._own.catalogue = Catalogue(self._folder)
        found: Catalogue = self._own.catalogue
        return found

    def _shut(self) -> None:
        if getattr(self._own, "catalogue", None) is not None:
            self._own.catalogue.close()
            self._own.catalogue = None
