"""The catalogue's GPUs for a kind of network: the question, asked beside the window, and the table of the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from core.parts.part import Part
from core.parts.price_guide import read_guide
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.predict.speed.networks import Network
from core.predict.speed.ranking import Ranked, by_price, one_per_product, rank_gpus
from core.predict.speed.shortlist import ShortlistLimits, shortlist
from gui.predict.figures_model import SORT_ROLE
from gui.predict.figures_view import FiguresView
from gui.widgets.table import Index

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Ranking:
    """`worth` are the places by speed for the price; `left_out` cannot be ranked for lack of figures."""

    network: Network
    parameters: float | None
    gpus: tuple[Ranked, ...]
    worth: Mapping[str, int]
    left_out: tuple[Part, ...]
    narrowed: str = ""
    """How many products keep not to what was asked for, and why, in words."""
    failing: Mapping[str, str] = field(default_factory=dict)
    """By part id what would fail with it in the place of a line of the build."""


@dataclass(frozen=True, slots=True)
class RankingQuestion:
    """What is asked of the catalogue; `replaced` is the line whose place a GPU would take."""

    network: Network
    parameters: float | None
    limits: ShortlistLimits
    only_fitting: bool
    build: Build
    replaced: str | None


def rank(question: RankingQuestion, catalogue: Catalogue) -> Ranking:
    """One board of each chip and memory size, of those that keep to what was asked for."""
    guide = read_guide(catalogue, ())
    network, parameters = question.network, question.parameters
    reason = _reasons(question, catalogue)
    every = catalogue.parts(category=Category.GPU)
    only = (lambda part: bool(reason(part))) if question.only_fitting else None
    listed = shortlist(every, question.limits, guide, only)
    parts = one_per_product(listed.parts, guide)
    ranked = rank_gpus(parts, network, parameters, guide)
    ranked_ids = {one.part.id for one in ranked}
    failing = {part.id: why for part in parts if (why := reason(part))}
    return Ranking(
        network,
        parameters,
        ranked,
        {one.part.id: one.place for one in by_price(ranked)},
        tuple(part for part in parts if part.id not in ranked_ids),
        listed.words,
        failing,
    )


def _reasons(question: RankingQuestion, catalogue: Catalogue) -> Callable[[Part], str]:
    """What would fail with a part, in a sentence; empty for one that fits, and for a build without parts."""
    if not question.build.lines:
        return lambda _: ""
    from core.advise.fit_verdict import FitState
    from core.advise.fits import WhatFits

    what_fits = WhatFits(question.build, Category.GPU, catalogue, question.replaced)

    def reason(part: Part) -> str:
        verdict = what_fits.verdict(part.id)
        fails = verdict.state is FitState.DOES_NOT
        return verdict.reason.sentence(part.title) if fails and verdict.reason else ""

    return reason


class RankingFilter(QSortFilterProxyModel):
    """Shows rows whose first cell has all words that were typed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: list[str] = []
        self.setSortRole(SORT_ROLE)
        self.setDynamicSortFilter(True)

    @Slot(str)
    def look_for(self, text: str) -> None:
        """Shows rows with all of these words."""
        self._words = text.casefold().split()
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: Index) -> bool:
        """Whether a row has all words."""
        name = str(self.sourceModel().index(row, 0, parent).data()).casefold()
        return all(word in name for word in self._words)

    def lessThan(self, left: Index, right: Index) -> bool:
        """By what cells sort by."""
        one, other = left.data(SORT_ROLE), right.data(SORT_ROLE)
        if one is None or other is None:
            last = other is None and one is not None
            return last if self.sortOrder() is Qt.SortOrder.AscendingOrder else one is None and other is not None
        return bool(one < other)


class RankingView(FiguresView):
    """`heading_clicked(column)` asks for the order that belongs to it."""

    heading_clicked = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self.ordered = RankingFilter(parent)
        super().__init__(name, parent, proxy=self.ordered, whole=False)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.heading_clicked)

    def order_by(self, column: int, order: Qt.SortOrder) -> None:
        """Sorts, and shows the first row."""
        self.ordered.sort(column, order)
        self.scrollToTop()
