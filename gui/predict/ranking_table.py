"""The catalogue's GPUs for a kind of network: the question, asked beside the window, and the table of the answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from core.build.build import Build
from core.language import joined, plain, tr
from core.parts.condition import Condition
from core.parts.known_prices import read_guide
from core.parts.part import Part
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_today import age_words, full_words, month_of, uncounted
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.speed.memory_fit import Fits
from core.predict.speed.networks import Network
from core.predict.speed.ranking import Ranked, by_price, one_per_product, rank_gpus
from core.predict.speed.shortlist import ShortlistLimits, shortlist
from gui.figures import UNKNOWN, middle, money, number
from gui.predict.figures_model import SORT_ROLE, FigureCell, FigureColumn
from gui.predict.figures_view import FiguresView
from gui.predict.prediction_words import fit_words, nothing_cell, span_words, unknown_cell

if TYPE_CHECKING:
    from core.parts.catalogue import Catalogue

Index = QModelIndex | QPersistentModelIndex
GPU, SCORE, SPEED, MEMORY, PRICE, WORTH, MODEL, BUILD = range(8)


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


def rank(asked: RankingQuestion, catalogue: Catalogue) -> Ranking:
    """One board of each chip and memory size, of those that keep to what was asked for."""
    guide = read_guide(catalogue, ())
    network, parameters = asked.network, asked.parameters
    reason = _reasons(asked, catalogue)
    every = catalogue.parts(category=Category.GPU)
    only = (lambda part: bool(reason(part))) if asked.only_fitting else None
    listed = shortlist(every, asked.limits, guide, only)
    parts = one_per_product(listed.parts, guide)
    ranked = rank_gpus(parts, network, parameters, guide)
    known = {one.part.id for one in ranked}
    failing = {part.id: why for part in parts if (why := reason(part))}
    return Ranking(
        network,
        parameters,
        ranked,
        {one.part.id: one.place for one in by_price(ranked)},
        tuple(part for part in parts if part.id not in known),
        listed.words,
        failing,
    )


def _reasons(asked: RankingQuestion, catalogue: Catalogue) -> Callable[[Part], str]:
    """What would fail with a part, in a sentence; empty for one that fits, and for a build without parts."""
    if not asked.build.lines:
        return lambda _: ""
    from core.advise.fit_verdict import FitState
    from core.advise.fits import WhatFits

    what_fits = WhatFits(asked.build, Category.GPU, catalogue, asked.replaced)

    def reason(part: Part) -> str:
        verdict = what_fits.verdict(part.id)
        fails = verdict.state is FitState.DOES_NOT
        return verdict.reason.sentence(part.title) if fails and verdict.reason else ""

    return reason


@dataclass(frozen=True, slots=True)
class RankedRow:
    """A GPU, its place by speed for the price, and what would fail with it."""

    gpu: Ranked
    worth: int | None
    fails: str


def rows(ranking: Ranking) -> list[RankedRow]:
    """One per GPU, the most suitable first."""
    return [
        RankedRow(gpu, ranking.worth.get(gpu.part.id), ranking.failing.get(gpu.part.id, "")) for gpu in ranking.gpus
    ]


def columns(network: Network) -> tuple[FigureColumn[RankedRow], ...]:
    """In the order of the constants above."""
    order, score = tr("In order of what counts for the network"), tr("1 is an RTX 3090")
    alone = tr("{unit},\nalone", unit=network.unit.capitalize())
    worth = tr("Speed per 1000 of the price's currency")
    model = tr("Whether it holds a model of that size")
    return (
        FigureColumn(Category.GPU.label, _title, order, words=True),
        FigureColumn(tr("Score"), _score, score),
        FigureColumn(alone, lambda row: _band(row.gpu.rate.rate), network.reference),
        FigureColumn(tr("Memory,\nGB"), _memory),
        FigureColumn(tr("Price"), _price),
        FigureColumn(tr("Per\n1000"), _worth, worth),
        FigureColumn(tr("Model"), _model, model, words=True),
        FigureColumn(tr("In this\nbuild"), _in_build, words=True),
    )


def _title(row: RankedRow) -> FigureCell:
    return FigureCell(f"{row.gpu.place}. {row.gpu.part.title}", order=float(row.gpu.place))


def _score(row: RankedRow) -> FigureCell:
    band, unsure = row.gpu.score, " ?" if row.gpu.score.missing else ""
    span = plain("{low:.2f}–{high:.2f}{unsure}", low=band.low, high=band.high, unsure=unsure)
    expected = plain("{expected:.2f}", expected=band.expected)
    return FigureCell(expected, "" if band.low == band.high else span, order=band.expected)


def _band(band: Band | None) -> FigureCell:
    return FigureCell(middle(band), span_words(band), order=band.expected) if band else unknown_cell()


def _memory(row: RankedRow) -> FigureCell:
    spec = row.gpu.part.spec
    memory = spec.memory_gb if isinstance(spec, GpuSpec) else None
    return FigureCell(number(memory), order=memory) if memory else unknown_cell()


def _price(row: RankedRow) -> FigureCell:
    listed, price, today = row.gpu.part.price, row.gpu.price, date.today()
    past = row.gpu.past
    if price is None and past is not None:
        return FigureCell(UNKNOWN, age_words(past, today), tip=uncounted([(row.gpu.part, past)]), tone="muted")
    if price is None:
        return unknown_cell()
    words = money(price.amount, price.currency)
    if isinstance(price, Estimate):
        words = tr("≈ {price}", price=words)
        if price.basis is Basis.USED_BAND:
            used = joined((Condition.USED.label, month_of(price.until, today)), ", ")
            return FigureCell(words, used, tip=price.words, order=price.amount)
    age, tip = (age_words(listed, today), full_words(listed)) if listed else ("", "")
    return FigureCell(words, age, tip=tip, order=price.amount)


def _worth(row: RankedRow) -> FigureCell:
    per_price = row.gpu.per_price
    if per_price is None or row.worth is None:
        return unknown_cell(tr("Its price or its speed is unknown."))
    return FigureCell(middle(per_price), span_words(per_price), tip=per_price.unit, order=-float(row.worth))


def _model(row: RankedRow) -> FigureCell:
    memory = row.gpu.memory
    if memory is None:
        return nothing_cell()
    tone = {Fits.NO: "warn", Fits.UNKNOWN: "muted"}.get(memory.fits, "")
    order = float((Fits.YES, Fits.TIGHT, Fits.UNKNOWN, Fits.NO).index(memory.fits))
    return FigureCell(fit_words(memory), tone=tone, order=order)


def _in_build(row: RankedRow) -> FigureCell:
    if row.fails:
        return FigureCell(tr("would fail"), tip=row.fails, tone="warn", order=1.0)
    return FigureCell(tr("nothing fails"), order=0.0)


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

    def __init__(self, name: str, network: Network, parent: QWidget | None = None) -> None:
        self.ordered = RankingFilter(parent)
        super().__init__(name, columns(network), lambda row: row.gpu.part.id, parent, proxy=self.ordered, whole=False)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.sectionClicked.connect(self.heading_clicked)

    def order_by(self, column: int, order: Qt.SortOrder) -> None:
        """Sorts, and shows the first row."""
        self.ordered.sort(column, order)
        self.scrollToTop()
