"""All figures that the parts of a category can be narrowed by, the most useful first."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from core.parts.facets import Facet
from core.parts.query import Filter
from core.parts.vocabulary import Category
from gui.planner.parts.figure_names import ordered
from gui.planner.parts.filters_section import FilterSection
from gui.planner.parts.filters_state import Narrowing
from gui.widgets.text import Label

OPEN_AT_FIRST = 3


class FiltersPanel(QScrollArea):
    """Sections stay in place while counts change; what was open in a category is open again. Esc asks to close."""

    closed = Signal()

    def __init__(self, narrowing: Narrowing, after: QWidget, parent: QWidget | None = None) -> None:
        """`after` stands before the figures in the order of the keyboard."""
        super().__init__(parent)
        self._after = after
        self._narrowing = narrowing
        self._open: dict[Category | None, set[str]] = {}
        self._category: Category | None = None
        self._filling = False
        self._stops: list[QWidget] = []
        self.sections: dict[str, FilterSection] = {}
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(self.tr("Filters"))
        inside = QWidget(self)
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.message = Label(self.tr("Looking through the parts …"), inside)
        self.message.setWordWrap(True)
        self.message.setMargin(8)
        self.message.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._column.addWidget(self.message)
        self._column.addStretch(1)
        self.setWidget(inside)

    def show_facets(self, facets: tuple[Facet, ...], category: Category | None, currency: str) -> None:
        """Brings the sections up to date; a figure with a limit stays even where no part differs in it any more."""
        limits = {limit.field: limit for limit in self._narrowing.view.filters}
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
        self.message.setText(self.tr("These parts differ in no figure that is known."))

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
        section.limited.connect(self._limit)
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

    @Slot(object)
    def _limit(self, limit: Filter) -> None:
        self._narrowing.set_limit(limit)

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
