"""Imports beside the window: work on a catalogue of its own that tells how far it is and can be stopped."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal, Slot

from gui.widgets.background import run_in_background

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

TELL_EVERY_S = 0.05
Tell = Callable[..., None]
"""Takes what has been reached; `urgent=False` where the next word will do as well. Raises Stopped."""
Work = Callable[["Catalogue", Tell], Any]


class Stopped(Exception):
    """The user does not want it any more. What works passes it on."""


class CatalogueJob(QObject):
    """One piece of work at a time. Signals arrive in the window's thread."""

    progressed = Signal(object)
    finished = Signal(object)
    """What the work came to."""
    cancelled = Signal()
    """It was stopped before its end."""
    failed = Signal(object)

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self._stop = Event()
        self.running = False

    def start(self, work: Work) -> None:
        """Begins; may be called again once it has ended."""
        self._stop, self.running = Event(), True
        reporter = _Reporter()
        reporter.reached.connect(self.progressed)
        tell = _Teller(reporter, self._stop)
        run_in_background(self, partial(_worked, self._data_dir, work, tell), self._end, self._fail)

    @Slot()
    def cancel(self) -> None:
        """Asks it to end; `cancelled` follows within a moment."""
        self._stop.set()

    def _end(self, answer: tuple[Any] | None) -> None:
        self.running = False
        if answer is None:
            self.cancelled.emit()
        else:
            self.finished.emit(answer[0])

    def _fail(self, error: Exception) -> None:
        self.running = False
        self.failed.emit(error)


class _Reporter(QObject):
    reached = Signal(object)


class _Teller:
    """Called on the other thread; it knows no widget."""

    def __init__(self, reporter: _Reporter, stop: Event) -> None:
        self._reporter, self._stop = reporter, stop
        self._last_s = 0.0

    def __call__(self, progress: object, *, urgent: bool = True) -> None:
        """Tells the window, not too often. Raises Stopped once the work is to end."""
        now = monotonic()
        if urgent or now - self._last_s > TELL_EVERY_S:
            self._last_s = now
            self._reporter.reached.emit(progress)
        if self._stop.is_set():
            raise Stopped


def _worked(data_dir: Path, work: Work, tell: Tell) -> tuple[Any] | None:
    """What the work came to; None when it was stopped."""
    from core.parts.catalogue import Catalogue

    with closing(Catalogue(data_dir)) as catalogue:
        try:
            return (work(catalogue, tell),)
        except Stopped:
            return None
