"""All figures that the parts of a category can be narrowed by, each a section that opens on choices and a range."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QCheckBox, QFrame, QScrollArea, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from core.language import tr
from core.parts.facets import PRICE_FIGURES, Facet, FacetChoice
from core.parts.query import Filter
from core.parts.vocabulary import Category
from gui.figures import number
from gui.planner.parts.figure_names import figure_name, figure_unit, heading, ordered, value_words
from gui.planner.parts.filters_range import RangeRow
from gui.planner.parts.filters_state import FilterState
from gui.widgets.columns import Columns
from gui.widgets.text import Label, tip

FEW = 10
"""So many choices are shown at once; the rest on demand."""
MAX_NUMBERS = 24
"""More different numbers than this are only a range."""
COUNTABLE = 6
"""So few different numbers need no range."""
MAX_TEXT = 30
OPEN_AT_FIRST = 3


class FilterSection(QWidget):
    """`limited(Filter)` when the user chose; `unfolded(field, on)` when it was opened or closed."""

    limited = Signal(object)
    unfolded = Signal(str, bool)

    def __init__(self, field: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.field = field
        self._facet: Facet | None = None
        self._limit: Filter | None = None
        self._currency = ""
        self._all = False
        self._shown: tuple[str | float, ...] = ()
        self.boxes: dict[str | float, QCheckBox] = {}
        self.heading = self._heading()
        self.range = RangeRow(field, self)
        self._choices = _Choices(self)
        self.more = QToolButton(self)
        self.more.setAutoRaise(True)
        self.more.clicked.connect(self._show_all)
        self.range.changed.connect(self._choose)
        self._body = QWidget(self)
        body = QVBoxLayout(self._body)
        body.setContentsMargins(20, 0, 8, 8)
        body.setSpacing(4)
        for widget in (self.range, self._choices, self.more):
            body.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addWidget(self._body)
        self._body.hide()

    def show_facet(self, facet: Facet, limit: Filter | None, currency: str) -> None:
        """What there is now and what is set. A closed section is filled when it is opened."""
        self._facet, self._limit, self._currency = facet, limit, currency
        self.heading.setText(self._title())
        self._name_heading()
        self.heading.setToolTip(
            tr("Known for {count} parts; a limit leaves out those without this figure", count=number(facet.parts))
        )
        if self.is_open:
            self._fill()

    @property
    def is_open(self) -> bool:
        """Whether its choices are shown."""
        return not self._body.isHidden()

    def unfold(self, on: bool) -> None:
        """Opens or closes it."""
        if on == self.is_open:
            return
        self.heading.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self._body.setVisible(on)
        self._name_heading()
        if on:
            self._fill()
        self.unfolded.emit(self.field, on)

    def tab_stops(self) -> list[QWidget]:
        """What the keyboard goes through, from the top."""
        if not self.is_open:
            return [self.heading]
        return [self.heading, self.range.low, self.range.high, *self.boxes.values(), self.more]

    def _heading(self) -> QToolButton:
        heading = QToolButton(self)
        heading.setAutoRaise(True)
        heading.setArrowType(Qt.ArrowType.RightArrow)
        heading.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        heading.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        heading.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        heading.clicked.connect(self._toggle)
        return heading

    def _title(self) -> str:
        title = heading(self.field, self._currency)
        return f"{title} •" if self._limit is not None else title

    def _name_heading(self) -> None:
        state = tr("open") if self.is_open else tr("closed")
        self.heading.setAccessibleName(f"{self._title()}, {state}")

    @Slot()
    def _toggle(self) -> None:
        self.unfold(not self.is_open)

    @Slot()
    def _show_all(self) -> None:
        self._all = True
        self._fill()
        if self.boxes:
            next(iter(self.boxes.values())).setFocus()

    @Slot()
    def _choose(self) -> None:
        values = tuple(value for value, box in self.boxes.items() if box.isChecked())
        low, high = self.range.ends() if not self.range.isHidden() else (None, None)
        self.limited.emit(Filter(self.field, values, low, high))

    def _fill(self) -> None:
        facet, limit = self._facet, self._limit
        if facet is None:
            return
        ranged = limit is not None and (limit.low is not None or limit.high is not None)
        countable = 0 < len(facet.choices) <= COUNTABLE and self.field not in PRICE_FIGURES
        has_range = facet.low is not None and (ranged or not countable)
        self.range.setVisible(has_range)
        if has_range:
            self.range.show_range(facet, limit, figure_unit(self.field, self._currency))
        offered = self._offered(facet)
        self._choices.setVisible(bool(offered))
        self._show_choices(offered)
        hidden = len(self._possible(facet)) - len(offered)
        self.more.setVisible(hidden > 0)
        self.more.setText(tr("Show {count} more", count=hidden))

    def _possible(self, facet: Facet) -> list[FacetChoice]:
        """What can be offered one by one, with what is chosen though no part has it now."""
        many = facet.low is not None and (self.field in PRICE_FIGURES or len(facet.choices) > MAX_NUMBERS)
        there = [] if many else list(facet.choices)
        chosen = self._limit.values if self._limit else ()
        known = {choice.value: choice for choice in facet.choices}
        listed = {choice.value for choice in there}
        return there + [known.get(value, FacetChoice(value, 0)) for value in chosen if value not in listed]

    def _offered(self, facet: Facet) -> list[FacetChoice]:
        possible = self._possible(facet)
        if self._all or len(possible) <= FEW + 2 or facet.low is not None:
            return possible
        chosen = self._limit.values if self._limit else ()
        common = sorted(possible, key=lambda choice: (choice.value not in chosen, -choice.count))[:FEW]
        return [choice for choice in possible if choice in common]

    def _show_choices(self, offered: list[FacetChoice]) -> None:
        values = tuple(choice.value for choice in offered)
        fresh = values != self._shown
        if fresh:
            self._shown = values
            self.boxes = {value: self._box() for value in values}
        chosen = self._limit.values if self._limit else ()
        for choice in offered:
            box, words = self.boxes[choice.value], value_words(self.field, choice.value)
            short = words if len(words) <= MAX_TEXT else f"{words[: MAX_TEXT - 1]}…"
            box.setText(f"{short} ({number(choice.count)})".replace("&", "&&"))
            box.setToolTip("" if short == words else tip(words))
            box.setAccessibleName(
                tr("{figure} {value}, {count} parts", figure=figure_name(self.field), value=words, count=choice.count)
            )
            box.setChecked(choice.value in chosen)
        if fresh:
            self._choices.set_cells(list(self.boxes.values()))

    def _box(self) -> QCheckBox:
        box = QCheckBox(self)
        box.clicked.connect(self._choose)
        return box


class _Choices(Columns):
    """Places its cells anew when a count has become wider."""

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)


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
        self._column = QVBoxLayout(inside)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        self.message = Label(tr("Searching the parts …"), inside)
        self.message.setWordWrap(True)
        self.message.setMargin(8)
        self.message.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self._column.addWidget(self.message)
        self._column.addStretch(1)
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
        self._state.set_limit(limit)

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
