"""An update of prices beside the window."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from gui.background import run_in_background

if TYPE_CHECKING:
    from core.parts.price_import import PriceUpdate
    from core.parts.price_list import ListTerms


class PriceJob(QObject):
    """One update at a time. Signals arrive in the window's thread."""

    progressed = Signal(int)
    """How many rows have been read."""
    finished = Signal(object)
    """The PriceUpdate; None where it was cancelled, and nothing has changed."""
    failed = Signal(object)

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self._stop = Event()
        self.running = False

    def start(self, path: Path, terms: ListTerms) -> None:
        """Begins; may be called again once it has ended."""
        self._stop, self.running = Event(), True
        reporter = _Reporter()
        reporter.read.connect(self.progressed)
        work = _work(self._data_dir, path, terms, reporter, self._stop)
        run_in_background(self, work, self._end, self._fail)

    @Slot()
    def cancel(self) -> None:
        """Asks it to end; no price has changed then."""
        self._stop.set()

    def _end(self, update: PriceUpdate | None) -> None:
        self.running = False
        self.finished.emit(update)

    def _fail(self, error: Exception) -> None:
        self.running = False
        self.failed.emit(error)


class _Reporter(QObject):
    read = Signal(int)


class _Cancelled(Exception):
    """The user does not want it any more."""


def _work(
    data_dir: Path, path: Path, terms: ListTerms, reporter: _Reporter, stop: Event
) -> Callable[[], PriceUpdate | None]:
    """What runs on the other thread; it knows no widget."""

    def tell(count: int) -> None:
        if stop.is_set():
            raise _Cancelled
        reporter.read.emit(count)

    def run() -> PriceUpdate | None:
        from core.parts.catalogue import Catalogue
        from core.parts.price_import import take_prices

        with closing(Catalogue(data_dir)) as catalogue:
            try:
                return take_prices(catalogue, path, terms, tell)
            except _Cancelled:
                return None

    return run
