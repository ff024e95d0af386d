"""The parts that a search found, those that fit first, with or without those that do not, those of the build last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING

from core.advise.fit_verdict import RANK, FitState
from gui.planner.parts.fitting import Fitting
from gui.planner.parts.search import LIMIT

if TYPE_CHECKING:
    from core.parts.hit import Hit
    from core.parts.query import Query

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
