"""The window's connection to the catalogue, and the thread beside it with a catalogue of its own for slow advice."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TYPE_CHECKING, TypeVar
from weakref import finalize

from PySide6.QtCore import QObject, Signal

from core.parts.money import read_terms
from core.parts.part import Part
from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.parts.vocabulary import Category
from core.platform.errors import BadInput
from gui.widgets.background import run_in_background

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

T = TypeVar("T")
log = logging.getLogger(__name__)
Jobs = SimpleQueue[Callable[[], None] | None]
CLOSING_S = 5.0


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
        self._guides: dict[frozenset[Category], PriceGuide] = {}
        self.adviser = Adviser(data_dir, self)
        self.changed.connect(self._guides.clear)

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

    def price_guide(self, parts: Iterable[Part]) -> PriceGuide:
        """What the catalogue knows of the prices of parts like these; while it is not open only how they are shown."""
        try:
            if self._catalogue is None:
                return PriceGuide(terms=read_terms(self.data_dir))
            from core.parts.price_guide import lacking_prices, read_guide

            parts = list(parts)
            lacking = lacking_prices(parts)
            if lacking not in self._guides:
                self._guides[lacking] = read_guide(self._catalogue, parts)
            return self._guides[lacking]
        except BadInput as error:  # what is set about currencies: their dialog tells it
            log.warning("%s", error)
            return NO_GUIDE

    def follow_money(self) -> None:
        """Other terms of prices are set: lists follow them, then all that shows a price."""
        self.catalogue().follow_money()
        self.changed.emit()

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


class Adviser(QObject):
    """Answers one question after the other; the catalogue stays open, with all that it has read.

    A thread of Python and no QThreadPool of its own: one that is collected waits for its threads without letting
    them run.
    """

    def __init__(self, data_dir: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = data_dir
        self._jobs: Jobs = SimpleQueue()
        self._thread: Thread | None = None
        self._catalogue: Catalogue | None = None
        finalize(self, self._jobs.put, None)

    def ask(
        self,
        owner: QObject,
        work: Callable[[Catalogue], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None],
    ) -> None:
        """Calls `work` with the catalogue of the thread, then `done(result)` or `failed(error)` in the window's."""
        if self._thread is None:
            self._thread = Thread(target=_serve, args=(self._jobs,), name="adviser", daemon=True)
            self._thread.start()
        run_in_background(owner, partial(self._answer, work), done, failed, self._jobs.put)

    def close(self) -> None:
        """Leaves out what was not begun, and ends thread and connection."""
        if self._thread is None:
            return
        _drain(self._jobs)
        self._jobs.put(self._shut)
        self._jobs.put(None)
        self._thread.join(CLOSING_S)
        self._thread = None

    def _answer(self, work: Callable[[Catalogue], T]) -> T:
        if self._catalogue is None:
            from core.parts.catalogue import Catalogue

            self._catalogue = Catalogue(self._folder)
        return work(self._catalogue)

    def _shut(self) -> None:
        if self._catalogue is not None:
            self._catalogue.close()
            self._catalogue = None


def _serve(jobs: Jobs) -> None:
    """The thread: it holds no more than its queue."""
    while (job := jobs.get()) is not None:
        job()


def _drain(jobs: Jobs) -> None:
    try:
        while True:
            jobs.get_nowait()
    except Empty:
        return
