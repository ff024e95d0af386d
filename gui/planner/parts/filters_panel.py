"""What the list of parts is narrowed to, and the panel of all figures that it can be narrowed by."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from core.parts.facets import PRICE_FIGURES, Facet
from core.parts.query import BY_TITLE, Filter, Query
from core.parts.vocabulary import Category
from core.words import tr
from gui.planner.parts.figure_names import ordered
from gui.planner.parts.filters_section import FilterSection
from gui.widgets.form import column_of
from gui.widgets.text import paragraph

OPEN_AT_FIRST = 3


@dataclass(frozen=True, slots=True)
class CategoryFilters:
    """One category's limits and order, remembered while the window is open."""

    filters: tuple[Filter, ...] = ()
    sort: str = ""
    descending: bool = False


class FilterState(QObject):
    """`changed` when the list is to be asked for anew: another limit, order or category."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._views: dict[Category | None, CategoryFilters] = {}
        self._category: Category | None = None

    @property
    def category(self) -> Category | None:
        """The category that is listed; None for all."""
        return self._category

    @property
    def view(self) -> CategoryFilters:
        """Limits and order of the category that is listed."""
        return self._views.get(self._category, CategoryFilters())

    def query(self, text: str, limit: int) -> Query:
        """The whole question."""
        view = self.view
        return Query(text, self._category, view.filters, view.sort, view.descending, limit)

    def limit(self, field: str) -> Filter | None:
        """The limit on a figure, if there is one."""
        return next((row for row in self.view.filters if row.field == field), None)

    def show(self, category: Category | None) -> None:
        """Goes to another category, with what was set there before."""
        if category is not self._category:
            self._category = category
            self.changed.emit()

    def set_limit(self, limit: Filter) -> None:
        """Puts a limit on a figure, in the place of the one before; an empty one takes it away."""
        limits = {row.field: row for row in self.view.filters}
        if limit.values or limit.low is not None or limit.high is not None:
            limits[limit.field] = limit
        else:
            limits.pop(limit.field, None)
        self._set(replace(self.view, filters=tuple(limits.values())))

    def clear(self, field: str) -> None:
        """Takes the limit on a figure away."""
        self.set_limit(Filter(field))

    def clear_all(self) -> None:
        """Takes all limits of this category away; the order stays."""
        self._set(replace(self.view, filters=()))

    def sort_by(self, field: str) -> None:
        """Another order, in the direction that is mostly wanted: the cheapest first, of other figures the largest."""
        upwards = field in ("", BY_TITLE, *PRICE_FIGURES)
        self._set(replace(self.view, sort=field, descending=not upwards))

    def set_descending(self, descending: bool) -> None:
        """The same order the other way round."""
        self._set(replace(self.view, descending=descending))

    def _set(self, view: CategoryFilters) -> None:
        if view != self.view:
            self._views[self._category] = view
            self.changed.emit()


class FiltersPanel(QScrollArea):
    """Sections stay in place while counts change; what was open in a category is open again. Esc asks to close."""

    closed = Signal()

    def __init__(self, filter_state: FilterState, after: QWidget, parent: QWidget | None = None) -> None:
        """`after` comes before the figures in the order of the keyboard."""
        super().__init__(parent)
        self._after = after
        self._state = filter_state
        self._open: dict[Category | None, set[str]] = {}
        self._category: Category | None = None
        self._filling = False
        self._stops: list[QWidget] = []
        self.sections: dict[str, FilterSection] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Filters"))
        inside = QWidget(self)
        self.message = paragraph(inside, tr("Searching the parts …"), quiet=True)
        self.message.setMargin(8)
        self._column = column_of(self.message, 1, into=inside, spacing=0)
        self.setWidget(inside)

    def show_facets(self, facets: tuple[Facet, ...], category: Category | None, currency: str) -> None:
        """Brings the sections up to date; a figure with a limit stays even where no part differs in it any more."""
        limits = {limit.field: limit for limit in self._state.view.filters}
        there = {facet.field for facet in facets}
        lost = {field for field, limit in limits.items() if limit.values} - there
        rows = ordered((*facets, *(Facet(field, 0, (), None, None) for field in lost)), category)
        self._filling = True
        if category is not self._category:
            self._let_go(set(self.sections))
            self._category = category
        self._let_go(set(self.sections) - {facet.field for facet in rows})
        unfolded = self._open.setdefault(category, {facet.field for facet in rows[:OPEN_AT_FIRST]} | set(limits))
        for place, facet in enumerate(rows):
            section = self.sections.get(facet.field) or self._add(facet.field)
            if self._column.indexOf(section) != place:
                self._column.insertWidget(place, section)
            section.show_facet(facet, limits.get(facet.field), currency)
            section.unfold(facet.field in unfolded)
        self._filling = False
        self._order_tabs()
        self.message.setVisible(not rows)
        self.message.setText(tr("These parts do not differ in any known figure."))

    def show_problem(self, sentence: str) -> None:
        """Says why there is nothing to choose from."""
        self.message.setText(sentence)
        self.message.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.closed.emit()
        else:
            super().keyPressEvent(event)

    def _add(self, field: str) -> FilterSection:
        section = FilterSection(field, self.widget())
        section.limited.connect(self._state.set_limit)
        section.unfolded.connect(self._remember)
        self.sections[field] = section
        section.show()
        return section

    def _let_go(self, fields: set[str]) -> None:
        for field in fields:
            section = self.sections.pop(field)
            self._column.removeWidget(section)
            section.hide()
            section.deleteLater()

    @Slot(str, bool)
    def _remember(self, field: str, on: bool) -> None:
        if not self._filling:
            unfolded = self._open.setdefault(self._category, set())
            (unfolded.add if on else unfolded.discard)(field)
            self._order_tabs()

    def _order_tabs(self) -> None:
        """Widgets made later would come last in the window: here they follow the panel, from the top."""
        sections = sorted(self.sections.values(), key=self._column.indexOf)
        stops = [self._after, *(stop for section in sections for stop in section.tab_stops())]
        if stops != self._stops:
            self._stops = stops
            for one, next_one in pairwise(stops):
                QWidget.setTabOrder(one, next_one)
