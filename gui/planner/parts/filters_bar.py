"""What stands between the categories and the list: only what fits, filters, order, chips and how many were found."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QCheckBox, QFrame, QHBoxLayout, QScrollArea, QToolButton, QVBoxLayout, QWidget

from gui.planner.parts.filters_chips import FilterChips
from gui.planner.parts.filters_sort import SortBar
from gui.planner.parts.filters_state import Narrowing
from gui.theme import theme
from gui.widgets.text import Label

CHIPS_HEIGHT = 92


class FilterBar(QWidget):
    """`opened(on)` when the panel of filters is to be shown or hidden."""

    opened = Signal(bool)

    def __init__(self, narrowing: Narrowing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._narrowing = narrowing
        self.only_fitting = QCheckBox(self.tr("Only what fits my build"), self)
        self.only_fitting.setToolTip(
            self.tr("Hides parts that would make a rule fail in this build; otherwise they are grey, with the reason")
        )
        self.toggle = QToolButton(self)
        self.toggle.setCheckable(True)
        self.toggle.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.toggle.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.toggle.setToolTip(self.tr("Narrow the list by figures, maker, year and price"))
        self.toggle.toggled.connect(self.opened)
        self.sort = SortBar(narrowing, self)
        self.chips = FilterChips(self.sort.direction, self)
        self.chips.removed.connect(narrowing.clear)
        self.chips.grown.connect(self._fit_chips)
        self._chip_area = QScrollArea(self)
        self._chip_area.setWidget(self.chips)
        self._chip_area.setWidgetResizable(True)
        self._chip_area.setFrameShape(QFrame.Shape.NoFrame)
        self._chip_area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._chip_area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._chip_area.hide()
        self.found = Label(self)
        self.found.setWordWrap(True)
        self.found.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.clear_all = QToolButton(self)
        self.clear_all.setText(self.tr("Clear all"))
        self.clear_all.setToolTip(self.tr("Takes all filters of this category away"))
        self.clear_all.setAutoRaise(True)
        self.clear_all.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.clear_all.clicked.connect(narrowing.clear_all)
        self._lay_out()
        narrowing.changed.connect(self.follow)
        theme().changed.connect(self.follow)
        self._currency = ""
        self.follow()

    def set_currency(self, currency: str) -> None:
        """What prices are in; empty if it is not one."""
        self._currency = currency
        self.chips.show_limits(self._narrowing.view.filters, currency)

    def set_found(self, words: str) -> None:
        """How many parts there are."""
        self.found.setText(words)
        self.found.setAccessibleName(self.tr("Found: {words}").format(words=words))

    @Slot()
    def follow(self) -> None:
        """Shows the limits that are set."""
        limits = self._narrowing.view.filters
        self._chip_area.setVisible(bool(limits))
        self.chips.show_limits(limits, self._currency)
        self.clear_all.setVisible(bool(limits))
        words = self.tr("F&ilters ({count})").format(count=len(limits)) if limits else self.tr("F&ilters")
        self.toggle.setText(words)
        self.toggle.setAccessibleName(words.replace("&", ""))
        self.toggle.setIcon(theme().icon("filter", "accent" if limits else "text"))

    @Slot(int)
    def _fit_chips(self, height: int) -> None:
        """Some rows are shown at once; more are scrolled to."""
        self._chip_area.setFixedHeight(min(height, CHIPS_HEIGHT))

    def _lay_out(self) -> None:
        first, last = QHBoxLayout(), QHBoxLayout()
        first.addWidget(self.only_fitting, 1)
        first.addWidget(self.toggle)
        last.addWidget(self.found, 1)
        last.addWidget(self.clear_all)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 4, 8, 4)
        column.setSpacing(4)
        column.addLayout(first)
        column.addWidget(self.sort)
        column.addWidget(self._chip_area)
        column.addLayout(last)
