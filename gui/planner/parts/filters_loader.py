"""Counts parts and works out what they can be narrowed by, beside the window and after a pause in the typing."""

from __future__ import annotations

from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from core.parts.query import Query
from gui.background import run_in_background

if TYPE_CHECKING:
    from core.parts.facets import Facet

PAUSE_MS = 120


@dataclass(frozen=True, slots=True)
class Answer:
    """What is known about a question."""

    query: Query
    count: int
    """Parts that it admits, listed or not."""
    facets: tuple[Facet, ...] | None
    """What they can be narrowed by; None if that was not asked for."""
    whole: tuple[Facet, ...]
    """The same of the category without words and limits."""


class FilterLoader(QObject):
    """Only the latest question is answered, and one is worked on at a time."""

    answered = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wanted: tuple[Path, Query, bool] | None = None
        self._busy = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._start)

    def ask(self, folder: Path, query: Query, *, facets: bool) -> None:
        """Asks the catalogue in this folder; facets only if they are looked at."""
        self._wanted = folder, query, facets
        self._pause.start()

    def forget(self) -> None:
        """Nothing is wanted any more."""
        self._wanted = None
        self._pause.stop()

    @Slot()
    def _start(self) -> None:
        if self._busy or self._wanted is None:
            return
        folder, query, with_facets = self._wanted
        self._wanted = None
        self._busy = True
        run_in_background(self, partial(answer, folder, query, facets=with_facets), self._deliver, self._fail)

    def _deliver(self, found: Answer) -> None:
        self._busy = False
        if self._wanted is None:
            self.answered.emit(found)
        elif not self._pause.isActive():
            self._start()

    def _fail(self, error: Exception) -> None:
        self._busy = False
        self.failed.emit(error)


def answer(folder: Path, query: Query, *, facets: bool) -> Answer:
    """Works the answer out with a connection of its own. Raises RigwrightError in words."""
    from core.parts.catalogue import Catalogue

    with closing(Catalogue(folder)) as catalogue:
        count = catalogue.count(query)
        whole = catalogue.facets(Query(category=query.category))
        return Answer(query, count, catalogue.facets(query) if facets else None, whole)
