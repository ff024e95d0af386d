"""The import of a data set beside the window: progress as signals, and an end that really ends it."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from threading import Event
from time import perf_counter
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from core.parts.vocabulary import Category
from gui.background import run_in_background

if TYPE_CHECKING:
    from core.parts.opendb.load import Imported, Progress

TELL_EVERY_S = 0.05


class ImportJob(QObject):
    """One import. Signals arrive in the window's thread."""

    progressed = Signal(object)
    """core.parts.opendb.load.Progress"""
    finished = Signal(list)
    """Imported per category."""
    cancelled = Signal()
    """It ended early: `taken` tells what is in."""
    failed = Signal(object)

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._work = _Work(data_dir)
        self.running = False

    @property
    def taken(self) -> tuple[Category, ...]:
        """The categories that are in the catalogue by now."""
        return tuple(self._work.taken)

    def start(self, path: Path) -> None:
        """Begins; may be called again once it has ended."""
        self._work = _Work(self._work.data_dir)
        self._work.reporter.told.connect(self.progressed)
        self.running = True
        work = self._work
        run_in_background(self, lambda: work.run(path), self._end, self._fail)

    @Slot()
    def cancel(self) -> None:
        """Asks it to end; `cancelled` follows within a moment."""
        self._work.stop.set()

    def _end(self, report: list[Imported] | None) -> None:
        self.running = False
        if report is None:
            self.cancelled.emit()
        else:
            self.finished.emit(report)

    def _fail(self, error: Exception) -> None:
        self.running = False
        self.failed.emit(error)


class _Reporter(QObject):
    told = Signal(object)


class _Work:
    """What runs on the other thread; it knows no widget."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self.reporter = _Reporter()
        self.stop = Event()
        self.taken: list[Category] = []
        self._told = 0.0

    def run(self, path: Path) -> list[Imported] | None:
        """The report; None when it was stopped."""
        from core.parts.catalogue import Catalogue
        from core.parts.opendb.load import Cancelled, import_opendb

        with closing(Catalogue(self.data_dir)) as catalogue:
            try:
                return import_opendb(catalogue, path, self._tell)
            except Cancelled:
                return None

    def _tell(self, progress: Progress) -> None:
        from core.parts.opendb.load import Cancelled

        whole = progress.category is not None and progress.done == progress.total
        if whole and progress.category is not None:
            self.taken.append(progress.category)  # it is in, even if this call ends the import
        now = perf_counter()
        if whole or progress.done == 0 or now - self._told > TELL_EVERY_S:
            self._told = now
            self.reporter.told.emit(progress)
        if self.stop.is_set():
            raise Cancelled
