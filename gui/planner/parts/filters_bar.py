"""What is between the categories and the list: only what fits, filters, order, chips and how many were found."""

from __future__ import annotations

from itertools import pairwise

from PySide6.QtCore import QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QCheckBox, QComboBox, QFrame, QScrollArea, QSizePolicy, QToolButton, QWidget

from core.parts.facets import PRICE_FIGURES, Facet
from core.parts.query import BY_TITLE, Filter
from core.parts.vocabulary import Category
from core.predict.budget import LeftForOne
from core.words import tr
from gui.planner.parts.figure_names import figure_name, limit_words, ordered
from gui.planner.parts.filters_panel import FilterState
from gui.widgets.actions import without_mnemonic
from gui.widgets.figures import money
from gui.widgets.form import column_of, row_of, tool_button
from gui.widgets.text import Label, paragraph, tip
from gui.widgets.theme import theme

GAP = 4
ICON = 14
MIN_WIDTH = 160
CHIPS_HEIGHT = 92


class FilterChips(QWidget):
    """`removed(field)` when a chip was pressed; `grown(height)` when there are more or fewer rows."""

    removed = Signal(str)
    grown = Signal(int)

    def __init__(self, after: QWidget, parent: QWidget | None = None) -> None:
        """`after` comes before the chips in the order of the keyboard."""
        super().__init__(parent)
        self._after = after
        self.chips: list[_Chip] = []
        self._limits: tuple[Filter, ...] = ()
        self._currency = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Active filters"))
        theme().changed.connect(self._recolour)
        self.hide()

    def show_limits(self, limits: tuple[Filter, ...], currency: str) -> None:
        """One chip per limit."""
        if (limits, currency) == (self._limits, self._currency):
            return
        self._limits, self._currency = limits, currency
        for old in self.chips:
            old.hide()
            old.deleteLater()
        self.chips = [self._chip(limit) for limit in limits]
        for one, next_one in pairwise([self._after, *self.chips]):
            QWidget.setTabOrder(one, next_one)
        self._place()
        self.setVisible(bool(limits))

    def sizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, self.height())

    def minimumSizeHint(self) -> QSize:
        return QSize(MIN_WIDTH, 0)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def _chip(self, limit: Filter) -> _Chip:
        chip = _Chip(limit.field, limit_words(limit, self._currency), self)
        chip.pressed_away.connect(self.removed)
        chip.show()
        return chip

    def _place(self) -> None:
        left = top = bottom = 0
        for chip in self.chips:
            room = self.width() - ICON - 24
            words = self.fontMetrics().elidedText(chip.words, Qt.TextElideMode.ElideRight, room)
            chip.setText(words.replace("&", "&&"))
            size = chip.sizeHint()
            if left and left + size.width() > self.width():
                left, top = 0, bottom + GAP
            chip.setGeometry(left, top, min(size.width(), self.width()), size.height())
            left += size.width() + GAP
            bottom = top + size.height()
        if bottom != self.height():
            self.setFixedHeight(bottom)
            self.grown.emit(bottom)

    @Slot()
    def _recolour(self) -> None:
        for chip in self.chips:
            chip.recolour()


class _Chip(QToolButton):
    """`pressed_away(field)`."""

    pressed_away = Signal(str)

    def __init__(self, field: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._field = field
        self.words = words
        self.setIconSize(QSize(ICON, ICON))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Remove the filter {filter}", filter=words))
        self.setToolTip(tip(self.accessibleName()))
        self.clicked.connect(self._remove)
        self.recolour()

    def recolour(self) -> None:
        """Follows the theme."""
        self.setIcon(theme().icon("mdi6.close", "muted"))

    @Slot()
    def _remove(self) -> None:
        self.pressed_away.emit(self._field)


class SortBar(QWidget):
    """Best match, name, prices, then every number that parts of the category differ in; and the direction."""

    def __init__(self, filter_state: FilterState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = filter_state
        self.order = QComboBox(self)
        self.order.setAccessibleName(tr("Sort by"))
        self.order.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.order.setMinimumContentsLength(10)
        self.order.setMaxVisibleItems(24)
        self.order.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.order.activated.connect(self._choose)
        caption = Label(tr("&Sort by"), self)
        caption.setBuddy(self.order)
        self.direction = QToolButton(self)
        self.direction.setCheckable(True)
        self.direction.clicked.connect(filter_state.set_descending)
        row_of(caption, (self.order, 1), self.direction, into=self, spacing=8)
        filter_state.changed.connect(self.follow)
        theme().changed.connect(self.follow)
        self._fields: tuple[str, ...] = ()
        self.offer((), None)

    def offer(self, facets: tuple[Facet, ...], category: Category | None) -> None:
        """Offers the numbers among these figures; an order that is set stays on the list."""
        numbers = [facet.field for facet in ordered(facets, category) if facet.low is not None]
        prices = [field for field in PRICE_FIGURES if field in numbers]
        fields = tuple(dict.fromkeys(("", BY_TITLE, *prices, *numbers, self._state.view.sort)))
        if fields != self._fields:
            self._fields = fields
            self.order.clear()
            for field in fields:
                self.order.addItem(figure_name(field) if field else tr("Best match"), field)
        self.follow()

    @Slot()
    def follow(self) -> None:
        """Shows the order that is set."""
        view = self._state.view
        if view.sort not in self._fields:
            self._fields = (*self._fields, view.sort)
            self.order.addItem(figure_name(view.sort), view.sort)
        self.order.setCurrentIndex(self.order.findData(view.sort))
        down = view.descending
        self.direction.setEnabled(bool(view.sort))
        self.direction.setChecked(down)
        self.direction.setIcon(theme().icon("mdi6.sort-descending" if down else "mdi6.sort-ascending"))
        words = tr("Descending") if down else tr("Ascending")
        self.direction.setToolTip(words)
        self.direction.setAccessibleName(tr("Direction: {words}", words=words))

    @Slot(int)
    def _choose(self, row: int) -> None:
        self._state.sort_by(self.order.itemData(row))


class FilterBar(QWidget):
    """`opened(on)` when the panel of filters is to be shown or hidden."""

    opened = Signal(bool)

    def __init__(self, filter_state: FilterState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._state = filter_state
        self.only_fitting = QCheckBox(tr("Only what fits my build"), self)
        words = tr("Hides parts that would fail a rule in this build; otherwise they are grey, with the reason")
        self.only_fitting.setToolTip(words)
        self.only_fitting.setChecked(True)
        self.in_budget = QCheckBox(tr("Fits my budget"), self)
        words = tr("Hides parts that cost more than the budget of the build leaves, and those without a price of today")
        self.in_budget.setToolTip(words)
        self.in_budget.hide()
        self.toggle = QToolButton(self)
        self.toggle.setCheckable(True)
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.toggle.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.toggle.setToolTip(tr("Narrow the list by figures, maker, year and price"))
        self.toggle.toggled.connect(self.opened)
        self.sort = SortBar(filter_state, self)
        self.chips = FilterChips(self.sort.direction, self)
        self.chips.removed.connect(filter_state.clear)
        self.chips.grown.connect(self._fit_chips)
        self._chip_area = QScrollArea(self)
        self._chip_area.setWidget(self.chips)
        self._chip_area.setWidgetResizable(True)
        self._chip_area.setFrameShape(QFrame.Shape.NoFrame)
        self._chip_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._chip_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._chip_area.hide()
        self.found_label = paragraph(self, quiet=True)
        meaning = tr("Removes all filters of this category")
        self.clear_all = tool_button(self, tr("Clear all"), filter_state.clear_all, meaning=meaning)
        self.clear_all.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._lay_out()
        filter_state.changed.connect(self.follow)
        theme().changed.connect(self.follow)
        self._currency = ""
        self.follow()

    def set_currency(self, currency: str) -> None:
        """What prices are in; empty if it is not one."""
        self._currency = currency
        self.chips.show_limits(self._state.view.filters, currency)

    def show_left(self, left: LeftForOne | None) -> None:
        """What the budget leaves; nothing of it for a build without one."""
        self.in_budget.setVisible(left is not None)
        if left is None:
            self.in_budget.setChecked(False)
            return
        amount = money(left.amount, left.currency)
        up_to, nothing = tr("Fits my budget: up to {amount}", amount=amount), tr("Fits my budget: nothing is left")
        self.in_budget.setText(up_to if left.amount > 0 else nothing)

    def set_found(self, words: str) -> None:
        """How many parts there are."""
        self.found_label.setText(words)
        self.found_label.setAccessibleName(tr("Found: {words}", words=words))

    @Slot()
    def follow(self) -> None:
        """Shows the limits that are set."""
        limits = self._state.view.filters
        self._chip_area.setVisible(bool(limits))
        self.chips.show_limits(limits, self._currency)
        self.clear_all.setVisible(bool(limits))
        words = tr("F&ilters ({count})", count=len(limits)) if limits else tr("F&ilters")
        self.toggle.setText(words)
        self.toggle.setAccessibleName(without_mnemonic(words))
        self.toggle.setIcon(theme().icon("filter", "accent" if limits else "text"))

    @Slot(int)
    def _fit_chips(self, height: int) -> None:
        """Some rows are shown at once; more are scrolled to."""
        self._chip_area.setFixedHeight(min(height, CHIPS_HEIGHT))

    def _lay_out(self) -> None:
        first = row_of((self.only_fitting, 1), self.toggle)
        last = row_of((self.found_label, 1), self.clear_all)
        column_of(first, self.in_budget, self.sort, self._chip_area, last, into=self, margins=(8, 4, 8, 4), spacing=4)
