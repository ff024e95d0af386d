"""What the list of parts is narrowed to and sorted by, remembered for each category while the window is open."""

from __future__ import annotations

from dataclasses import dataclass, replace

from PySide6.QtCore import QObject, Signal

from core.parts.facets import PRICE_FIGURES
from core.parts.query import BY_TITLE, Filter, Query
from core.parts.vocabulary import Category


@dataclass(frozen=True, slots=True)
class CategoryFilters:
    """One category's limits and order."""

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
        others = tuple(row for row in self.view.filters if row.field != limit.field)
        empty = not limit.values and limit.low is None and limit.high is None
        if empty:
            self._set(replace(self.view, filters=others))
        elif self.limit(limit.field) is None:
            self._set(replace(self.view, filters=(*others, limit)))
        else:
            kept = tuple(limit if row.field == limit.field else row for row in self.view.filters)
            self._set(replace(self.view, filters=kept))

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
