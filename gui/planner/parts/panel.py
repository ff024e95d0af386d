"""Find a part by words, category and figures, and put it into the build."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtWidgets import QWidget

from core.parts.part import Part
from core.parts.price_guide import count_unpriced, unpriced_words
from core.parts.query import Filter
from core.parts.spelling import counted
from core.parts.vocabulary import Category
from core.platform.errors import RigwrightError
from core.words import joined, tr
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.parts.categories import CategoriesModel, CategoryView
from gui.planner.parts.choice import PartsChoice, ReplaceBox
from gui.planner.parts.filters_bar import FilterBar
from gui.planner.parts.filters_panel import FiltersPanel, FilterState
from gui.planner.parts.fitting import Fitting
from gui.planner.parts.model import PartsModel
from gui.planner.parts.results import Attribution, NothingListed, ResultsView
from gui.planner.parts.search import FitList, PartsSearch, SearchAnswer, sentence_of
from gui.planner.parts.search_field import SearchField
from gui.widgets.form import column_of
from gui.widgets.text import Label
from gui.widgets.theme import theme

if TYPE_CHECKING:
    from core.parts.query import Hit

MIN_HEIGHT, MIN_LIST_HEIGHT = 400, 40


class PartsPanel(QWidget):
    """The signals carry a part id, `added` also how many; what that does to build or catalogue is decided elsewhere."""

    added = Signal(str, int)
    replaced = Signal(str)
    explained = Signal(str)
    correction_wanted = Signal(str)

    def __init__(self, connection: CatalogueConnection, fitting: Fitting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._connection = connection
        self._fitting = fitting
        self._list = FitList(fitting)
        self.search = SearchField(self)
        self.categories = CategoriesModel(self)
        self.category_view = CategoryView(self.categories, self)
        self.filter_state = FilterState(self)
        self.bar = FilterBar(self.filter_state, self)
        self.only_fitting, self.in_budget = self.bar.only_fitting, self.bar.in_budget
        self._unpriced = 0
        self.filters = FiltersPanel(self.filter_state, self.bar.clear_all, self)
        self._search = PartsSearch(connection, self)
        self.parts = PartsModel(self, find_part=connection.find_part)
        self.parts.judge_by(fitting.verdict)
        self.parts.mark_by(fitting.is_inside)
        self.replace_box = ReplaceBox(fitting, self)
        self.results = ResultsView(self.parts, self)
        self.nothing = NothingListed(self)
        self.instead = Label(self)
        self._attribution = Attribution(self)
        self.choice = PartsChoice(self.parts, self.results, fitting, self)
        self.add_button, self.replace_button = self.choice.add_button, self.choice.replace_button
        self._lay_out()
        self._connect()

    def focus_search(self) -> None:
        """Puts the cursor into the search field with its text selected."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def search_all(self) -> None:
        """The search field, for parts of all categories."""
        self.show_category(None)
        self.focus_search()

    @Slot()
    def start_over(self) -> None:
        """Nothing is searched: another build is open."""
        self.search.clear()
        self.refresh()

    def find_similar(self, part: Part) -> None:
        """Lists what could take the place of this part of the build."""
        self.search.clear()
        self.show_category(part.category)
        self._fitting.set_replaced(part.category, part.id)
        self.focus_search()

    def show_category(self, category: Category | None) -> None:
        """Lists one category."""
        self.category_view.setCurrentIndex(self.categories.index(self.categories.row_of(category)))

    @property
    def selected_id(self) -> str | None:
        """The id of the part chosen in the results."""
        return self.choice.part_id

    @Slot()
    def refresh(self) -> None:
        """Asks the catalogue again, and chooses the first part. Says in place why, when it cannot be used."""
        if not self._connection.open:
            return
        before = self._search.query
        self._list.only = self.only_fitting.isChecked()
        text, category = self.search.text(), self.filter_state.category
        query = replace(
            self.filter_state.query(text, self._list.most(text, all_categories=category is None)),
            first=self._fitting.lacking(),
            chosen=self._fitting.usual(),
        )
        self.replace_box.show_category(category)
        left = self._fitting.left_for(category, counted(text)[0] or 1)
        self.bar.show_left(left)
        limited = self.in_budget.isChecked()
        if left is not None and limited:
            query = replace(query, filters=(*query.filters, Filter("price", high=max(left.amount, 0.0))))
        try:
            hits = self._search.ask(query, facets=self.filters.isVisible())
            self._unpriced = count_unpriced(self._connection.catalogue(), self._search.query) if limited else 0
        except RigwrightError as error:
            self.show_problem(error)
            return
        if not text.strip():
            self.categories.show_counts(self._search.counts)
        self.choice.want(self._search.quantity)
        self._list.take(hits, query, self._search.quantity)
        self._list_hits(self._list.shown())
        if query.category is not before.category:
            self.bar.sort.offer(self._search.whole(), query.category)
        if self.parts.rowCount():
            self.results.setCurrentIndex(self.parts.index(0))
        self._show_state()

    def _list_hits(self, hits: list[Hit]) -> None:
        self.parts.show_hits(hits, sort=self._search.query.sort)
        self.bar.set_currency(self._currency())
        self._attribution.setVisible(self.parts.has_imported())

    def _currency(self) -> str:
        """What the figures of prices are in."""
        return self._connection.catalogue().money.common

    @Slot()
    def _take_verdicts(self) -> None:
        """Brings what fits to the top, marks what does not or leaves it out; the choice stays where it can.

        What the build has is marked, too. After the window has closed, a verdict comes too late.
        """
        if not self._connection.open:
            return
        before, chosen = self.parts.ids(), self.selected_id
        row, above = self.results.chosen_row(), self.results.verticalScrollBar().value()
        shown = self._list.shown()
        ids = [hit.id for hit in shown]
        if ids == before:
            self.parts.show_verdicts()
            self._show_state()
            return
        self._list_hits(shown)
        if not row and not above:
            chosen = None  # nobody has chosen: the first is the one on top now
        if ids:
            self.results.setCurrentIndex(self.parts.index(ids.index(chosen) if chosen in ids else 0))
            self.results.verticalScrollBar().setValue(above)
        self._show_state()

    @Slot(object)
    def show_problem(self, error: Exception) -> None:
        """Says why there are no parts."""
        self.nothing.say(sentence_of(error))
        self.results.hide()

    def _lay_out(self) -> None:
        self.results.hide()
        self.filters.hide()
        self._attribution.hide()
        self.instead.hide()
        self.instead.setWordWrap(True)
        self.instead.setContentsMargins(8, 4, 8, 4)
        # Chips and filters take from the list and never make the window grow.
        self.setMinimumHeight(MIN_HEIGHT)
        self.results.setMinimumHeight(MIN_LIST_HEIGHT)
        column_of(
            column_of(self.search, margins=8),
            self.category_view,
            self.replace_box,
            self.bar,
            (self.filters, 3),
            (self.nothing, 2),
            self.instead,
            (self.results, 2),
            self._attribution,
            self.choice,
            into=self,
            spacing=0,
        )

    def _connect(self) -> None:
        self._connection.ready.connect(self.refresh)
        self._connection.failed.connect(self.show_problem)
        self._fitting.judged.connect(self._take_verdicts)
        self._fitting.inside_changed.connect(self._take_verdicts)
        self._fitting.failed.connect(self.show_problem)
        self.only_fitting.toggled.connect(self.refresh)
        self.in_budget.toggled.connect(self.refresh)
        self._fitting.money_changed.connect(self._follow_money)
        self._fitting.replaced_changed.connect(self._follow_money)
        self._search.answered.connect(self._take_answer)
        self._search.failed.connect(self._take_failure)
        self.filter_state.changed.connect(self.refresh)
        self.bar.opened.connect(self._open_filters)
        self.filters.closed.connect(self._close_filters)
        self.nothing.clear_filters.clicked.connect(self._clear_limits)
        self.nothing.clear_words.clicked.connect(self.search.clear)
        self.nothing.all_categories.clicked.connect(self._show_all_categories)
        self.nothing.show_unfit.clicked.connect(self._show_unfit)
        self.search.textChanged.connect(self.refresh)
        self.search.moved.connect(self.results.move_choice)
        self.search.returnPressed.connect(self.choice.put_in)
        self.category_view.selectionModel().currentChanged.connect(self._change_category)
        self.choice.added.connect(self.added)
        self.choice.replaced.connect(self.replaced)
        self.choice.explained.connect(self.explained)
        self.choice.correction_wanted.connect(self.correction_wanted)
        theme().changed.connect(self.results.viewport().update)

    @Slot()
    def _change_category(self) -> None:
        index = self.category_view.currentIndex()
        self.filter_state.show(self.categories.category(index.row()) if index.isValid() else None)

    @Slot()
    def _follow_money(self) -> None:
        """Another sum may be left of the budget."""
        if self.in_budget.isChecked():
            self.refresh()
        else:
            self.bar.show_left(self._fitting.left_for(self.filter_state.category, self._search.quantity))

    @Slot()
    def _clear_limits(self) -> None:
        self.in_budget.setChecked(False)
        self.filter_state.clear_all()

    @Slot()
    def _show_all_categories(self) -> None:
        self.show_category(None)

    @Slot()
    def _show_unfit(self) -> None:
        self.only_fitting.setChecked(False)

    @Slot(bool)
    def _open_filters(self, on: bool) -> None:
        self.filters.setVisible(on)
        if on:
            self._search.know_more(facets=True)

    @Slot()
    def _close_filters(self) -> None:
        self.bar.toggle.setChecked(False)
        self.bar.toggle.setFocus()

    @Slot(object)
    def _take_answer(self, answer: SearchAnswer) -> None:
        category = answer.query.category
        self.bar.sort.offer(answer.whole, category)
        self.categories.show_counts(answer.counts)
        if self.filters.isVisible() and answer.facets is not None:
            self.filters.show_facets(answer.facets, category, self._currency())
        self._show_state()

    @Slot(object)
    def _take_failure(self, error: Exception) -> None:
        self.filters.show_problem(sentence_of(error))

    @Slot()
    def _show_state(self) -> None:
        """How many parts there are, or why the list is empty."""
        listed, shown = len(self._list.hits), self.parts.rowCount()
        self.instead.setText(self._search.instead)
        self.instead.setVisible(bool(self._search.instead))
        words = self._list.words(self._search.result_words())
        self.bar.set_found(joined((words, unpriced_words(self._unpriced)), "\n"))
        self.results.setVisible(shown > 0)
        self.nothing.setVisible(not shown)
        if not listed:
            self.nothing.explain(self._search.query)
        elif not shown:
            self.nothing.say(tr("None of these parts fits the build."), self.nothing.show_unfit)
        self.choice.follow()
