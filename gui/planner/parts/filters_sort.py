"""In which order the parts are listed."""

from __future__ import annotations

from PySide6.QtCore import Slot
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QSizePolicy, QToolButton, QWidget

from core.parts.facets import Facet
from core.parts.figures import PRICE_FIGURES
from core.parts.query import BY_TITLE
from core.parts.vocabulary import Category
from gui.planner.parts.figure_names import figure_name, ordered
from gui.planner.parts.filters_state import Narrowing
from gui.theme import theme
from gui.widgets.text import Label


class SortBar(QWidget):
    """Best match, name, prices, then every number that parts of the category differ in; and the direction."""

    def __init__(self, narrowing: Narrowing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._narrowing = narrowing
        self.order = QComboBox(self)
        self.order.setAccessibleName(self.tr("Sort by"))
        self.order.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.order.setMinimumContentsLength(10)
        self.order.setMaxVisibleItems(24)
        self.order.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.order.activated.connect(self._choose)
        caption = Label(self.tr("&Sort by"), self)
        caption.setBuddy(self.order)
        self.direction = QToolButton(self)
        self.direction.setCheckable(True)
        self.direction.clicked.connect(self._turn)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(caption)
        row.addWidget(self.order, 1)
        row.addWidget(self.direction)
        narrowing.changed.connect(self.follow)
        theme().changed.connect(self.follow)
        self._fields: tuple[str, ...] = ()
        self.offer((), None)

    def offer(self, facets: tuple[Facet, ...], category: Category | None) -> None:
        """Offers the numbers among these figures; an order that is set stays on the list."""
        numbers = [facet.field for facet in ordered(facets, category) if facet.low is not None]
        prices = [field for field in PRICE_FIGURES if field in numbers]
        fields = tuple(dict.fromkeys(("", BY_TITLE, *prices, *numbers, self._narrowing.view.sort)))
        if fields != self._fields:
            self._fields = fields
            self.order.clear()
            for field in fields:
                self.order.addItem(figure_name(field) if field else self.tr("Best match"), field)
        self.follow()

    @Slot()
    def follow(self) -> None:
        """Shows the order that is set."""
        view = self._narrowing.view
        if view.sort not in self._fields:
            self._fields = (*self._fields, view.sort)
            self.order.addItem(figure_name(view.sort), view.sort)
        self.order.setCurrentIndex(self.order.findData(view.sort))
        down = view.descending
        self.direction.setEnabled(bool(view.sort))
        self.direction.setChecked(down)
        self.direction.setIcon(theme().icon("mdi6.sort-descending" if down else "mdi6.sort-ascending"))
        words = self.tr("Largest or last first") if down else self.tr("Smallest or first first")
        self.direction.setToolTip(words)
        self.direction.setAccessibleName(self.tr("Direction: {words}").format(words=words))

    @Slot(int)
    def _choose(self, row: int) -> None:
        self._narrowing.sort_by(self.order.itemData(row))

    @Slot(bool)
    def _turn(self, descending: bool) -> None:
        self._narrowing.set_descending(descending)
