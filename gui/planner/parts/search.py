"""Asks the catalogue: the list at once, what fits first; counts, and what it can be narrowed by, a moment later."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal, Slot

from core.advise.fit_verdict import RANK, FitState
from core.parts.facets import Facet
from core.parts.query import Query
from core.parts.spelling import unknown_words
from core.parts.vocabulary import Category
from core.platform.errors import RigwrightError
from core.words import tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.parts.fitting import Fitting
from gui.widgets.background import pause, run_in_background
from gui.widgets.figures import number

if TYPE_CHECKING:
    from core.parts.query import Hit, Query


PAUSE_MS = 120
LIMIT = 300
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class SearchAnswer:
    """What is known about a question."""

    query: Query
    count: int
    """Parts that it admits, listed or not."""
    facets: tuple[Facet, ...] | None
    """What they can be narrowed by; None if that was not asked for."""
    whole: tuple[Facet, ...]
    """The same of the category without words and limits."""
    counts: dict[Category, int]
    """How many parts with these words each category has."""


class FilterLoader(QObject):
    """Only the latest question is answered, and one is worked on at a time."""

    answered = Signal(object)
    failed = Signal(object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._next: tuple[Path, Query, bool] | None = None
        self._busy = False
        self._pause = pause(self, self._start, PAUSE_MS)

    def ask(self, folder: Path, query: Query, *, facets: bool) -> None:
        """Asks the catalogue in this folder; facets only if they are looked at."""
        self._next = folder, query, facets
        self._pause.start()

    def forget(self) -> None:
        """Nothing is wanted any more."""
        self._next = None
        self._pause.stop()

    @Slot()
    def _start(self) -> None:
        if self._busy or self._next is None:
            return
        folder, query, with_facets = self._next
        self._next = None
        self._busy = True
        run_in_background(self, partial(answer, folder, query, facets=with_facets), self._deliver, self._fail)

    def _deliver(self, answer: SearchAnswer) -> None:
        self._busy = False
        if self._next is None:
            self.answered.emit(answer)
        elif not self._pause.isActive():
            self._start()

    def _fail(self, error: Exception) -> None:
        self._busy = False
        self.failed.emit(error)


def answer(folder: Path, query: Query, *, facets: bool) -> SearchAnswer:
    """Works the answer out with a connection of its own. Raises RigwrightError in words."""
    from core.parts.catalogue import Catalogue

    with closing(Catalogue(folder)) as catalogue:
        count = catalogue.count(query)
        whole = catalogue.facets(Query(category=query.category))
        narrowing = catalogue.facets(query) if facets else None
        return SearchAnswer(query, count, narrowing, whole, catalogue.counts(query.text))


class PartsSearch(QObject):
    """`answered(answer)` belongs to the question asked last; `failed(error)` tells why there is none."""

    answered = Signal(object)
    failed = Signal(object)

    def __init__(self, connection: CatalogueConnection, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._connection = connection
        self._listed = 0
        self._count: int | None = None
        self._whole: dict[Category | None, tuple[Facet, ...]] = {}
        self._loader = FilterLoader(self)
        self._loader.answered.connect(self._take)
        self._loader.failed.connect(self.failed)
        self.query = Query()
        """As it was asked, after typing errors."""
        self.instead = ""
        """What was searched in the place of the typed words, in words; empty if it is these."""
        self.counts: dict[Category, int] = {}
        """How many parts each category has, whatever the words."""
        self.quantity = 1
        """How many are wanted: 4 of "4x 4090"."""

    def ask(self, query: Query, *, facets: bool) -> list[Hit]:
        """The parts that a question finds. Raises RigwrightError in words."""
        catalogue = self._connection.catalogue()
        self.counts = catalogue.counts()
        answer = catalogue.answer(query)
        self.query = answer.query
        changed = answer.unknown or answer.left_out
        self.instead = unknown_words(answer.unknown, answer.query.text, answer.left_out) if changed else ""
        self.quantity = answer.quantity or 1
        self._listed = len(answer.hits)
        self._count = self._listed if self._listed < query.limit else None
        self.know_more(facets=facets)
        return answer.hits

    def know_more(self, *, facets: bool) -> None:
        """Asks what else there is to know of the same question, for `answered`."""
        if self._connection.open:
            self._loader.ask(self._connection.catalogue().path.parent, self.query, facets=facets)

    def whole(self) -> tuple[Facet, ...]:
        """What all parts of the category differ in, as far as it is known yet."""
        return self._whole.get(self.query.category, ())

    def result_words(self) -> str:
        """How many parts there are, in words."""
        category = self.query.category
        total = self.counts.get(category, 0) if category else sum(self.counts.values())
        listed = min(self._listed, LIMIT)
        words = found_words(listed=listed, count=self._count, total=total, limit=LIMIT)
        return found_in_words(category, words)

    @Slot(object)
    def _take(self, answer: SearchAnswer) -> None:
        self._whole[answer.query.category] = answer.whole
        if answer.query == self.query:
            self._count = answer.count
            self.answered.emit(answer)


def sentence_of(error: Exception) -> str:
    """What to tell of an error; one that is not known is logged as well."""
    if not isinstance(error, RigwrightError):
        log.error("the catalogue could not be read", exc_info=error)
    return str(error)


def found_in_words(category: Category | None, words: str) -> str:
    """The number of parts with the category that they are of: "GPU: 31 of 74"."""
    return f"{category.label}: {words}" if category else words


def found_words(*, listed: int, count: int | None, total: int, limit: int) -> str:
    """How many parts there are: "31 of 74", or "first 300 of 3589"; `count` is None while it is being counted."""
    if listed >= limit and (count is None or count > listed):
        many = number(count) if count is not None else "…"
        return tr("first {listed} of {found}", listed=number(listed), found=many)
    if listed >= total:
        one = tr("1 part")
        return one if listed == 1 else tr("{count} parts", count=number(listed))
    return tr("{listed} of {total}", listed=number(listed), total=number(total))


TYPED_MOST, MOST = 700, 8000
"""Parts to look through for those that fit: fewer while somebody types."""
FIRST_ROWS = 60
"""A list of all categories asks about so many of its rows: about all of them it would be every part there is."""
UNRANKED = (0, 0)
UNJUDGED = RANK[FitState.WARNS] + 0.5
"""Parts of which nothing is known yet stand behind those that fit, so that what is found comes to stay."""


class FitList:
    """`only` leaves out what does not fit."""

    def __init__(self, fitting: Fitting) -> None:
        self._fitting = fitting
        self._by_use = False
        self._one_category = False
        self._ordered = False
        self._counts: Counter[FitState | None] = Counter()
        self.hits: list[Hit] = []
        self.only = False

    def most(self, words: str, *, all_categories: bool) -> int:
        """How many parts a search is to find: what fits may be the last by name."""
        if all_categories and not self.only:
            return LIMIT
        return TYPED_MOST if words.strip() else MOST

    def take(self, hits: list[Hit], query: Query, quantity: int = 1) -> None:
        """What a search found, of which so many shall be added.

        Without an order or words of the user's, the most useful parts come first.
        """
        self.hits = hits
        self._one_category = query.category is not None
        self._ordered = bool(query.sort or query.text.strip())
        self._by_use = self._one_category and not self._ordered
        looked_at = hits if self.only or self._one_category else hits[:FIRST_ROWS]
        self._fitting.want(looked_at, useful=self._by_use, quantity=quantity)

    def shown(self) -> list[Hit]:
        """What is to be listed, as far as is known which fit: the user's order, or that of use, within each state.

        What the build has comes last, however many others there are, unless words or an order of the user's place it:
        Enter then takes one more.
        """
        judged = {category: self._fitting.judged_of(category) for category in {hit.category for hit in self.hits}}
        verdicts = [judged[hit.category].verdicts.get(hit.id) for hit in self.hits]
        states = [verdict.state if verdict else None for verdict in verdicts]
        self._counts = Counter(states)
        rows = [
            (_rank(state), judged[hit.category].ranks.get(hit.id, UNRANKED) if self._by_use else UNRANKED, place)
            for place, (hit, state) in enumerate(zip(self.hits, states, strict=True))
            if not (self.only and state is FitState.DOES_NOT)
        ]
        if self._one_category or self.only:
            rows.sort()
        ordered = [self.hits[place] for _, _, place in rows]
        if self._ordered:
            return ordered[:LIMIT]
        own = self._fitting.inside()
        inside = [hit for hit in ordered if hit.id in own][:LIMIT]
        others = [hit for hit in ordered if hit.id not in own]
        return others[: LIMIT - len(inside)] + inside

    def words(self, result_words: str) -> str:
        """How many were found, and how many of them fit."""
        if len(self.hits) == self._counts[None] or not (self._one_category or self.only):
            return result_words
        counts = {state: self._counts[state] for state in FitState}
        return f"{result_words}\n{count_words(counts)}{' …' if self._fitting.busy else ''}"


def _rank(state: FitState | None) -> float:
    return UNJUDGED if state is None else RANK[state]


def count_words(counts: Mapping[FitState, int]) -> str:
    """Of several parts: "12 fit · 4 with warnings · 20 unknown · 3 do not fit"; of what none is, only the first."""
    states = (state for state in FitState if counts[state] or state is FitState.FITS)
    return " · ".join(state.counted(counts[state]) for state in states)
