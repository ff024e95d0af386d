"""Asks the catalogue: the list at once, counts and filters a moment later."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from core.errors import RigwrightError
from core.parts.facets import Facet
from core.parts.query import Query
from core.parts.vocabulary import Category
from gui.planner.parts.catalogue_connection import CatalogueConnection
from gui.planner.parts.figure_names import found_in_words, found_words
from gui.planner.parts.filters_loader import Answer, FilterLoader

if TYPE_CHECKING:
    from core.parts.catalogue import Hit

LIMIT = 300
log = logging.getLogger(__name__)


class PartsSearch(QObject):
    """`answered(Answer)` belongs to the question asked last; `failed(error)` tells why there is none."""

    answered = Signal(object)
    failed = Signal(object)

    def __init__(self, connection: CatalogueConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._connection = connection
        self._listed = 0
        self._found: int | None = None
        self._whole: dict[Category | None, tuple[Facet, ...]] = {}
        self._loader = FilterLoader(self)
        self._loader.answered.connect(self._take)
        self._loader.failed.connect(self.failed)
        self.query = Query()
        self.counts: dict[Category, int] = {}

    def ask(self, query: Query, *, facets: bool) -> list[Hit]:
        """The parts that a question finds. Raises RigwrightError in words."""
        catalogue = self._connection.catalogue()
        self.counts = catalogue.counts()
        hits = catalogue.find(query)
        self.query = query
        self._listed = len(hits)
        self._found = len(hits) if len(hits) < query.limit else None
        self.know_more(facets=facets)
        return hits

    def know_more(self, *, facets: bool) -> None:
        """Asks what else there is to know of the same question, for `answered`."""
        if self._connection.open:
            self._loader.ask(self._connection.catalogue().path.parent, self.query, facets=facets)

    def whole(self) -> tuple[Facet, ...]:
        """What all parts of the category differ in, as far as it is known yet."""
        return self._whole.get(self.query.category, ())

    def found(self) -> str:
        """How many parts there are, in words."""
        category = self.query.category
        total = self.counts.get(category, 0) if category else sum(self.counts.values())
        listed = min(self._listed, LIMIT)
        words = found_words(listed=listed, found=self._found, total=total, limit=LIMIT)
        return found_in_words(category, words)

    @Slot(object)
    def _take(self, answer: Answer) -> None:
        self._whole[answer.query.category] = answer.whole
        if answer.query == self.query:
            self._found = answer.count
            self.answered.emit(answer)


def sentence_of(error: Exception) -> str:
    """What to tell of an error; one that is not known is logged as well."""
    if not isinstance(error, RigwrightError):
        log.error("the catalogue could not be read", exc_info=error)
    return str(error)
