"""Find a part by words and category, and put it into the build."""

from __future__ import annotations

import logging

from PySide6.QtCore import QCoreApplication, QModelIndex, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QListView,
    QMenu,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from core.errors import RigwrightError
from core.parts.vocabulary import Category
from gui.planner.categories_model import CategoriesModel
from gui.planner.category_view import CategoryView
from gui.planner.fitting import Fitting
from gui.planner.part_delegate import PartDelegate
from gui.planner.parts_model import PartsModel
from gui.planner.search_field import SearchField
from gui.planner.shelf import Shelf
from gui.theme import theme

LIMIT = 300
log = logging.getLogger(__name__)


class PartsPanel(QWidget):
    """`added`, `swapped` and `explained` carry a part id; what that does to the build is decided elsewhere."""

    added = Signal(str)
    swapped = Signal(str)
    explained = Signal(str)

    def __init__(self, shelf: Shelf, fitting: Fitting, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shelf = shelf
        self._fitting = fitting
        self._swappable: Category | None = None
        self.search = SearchField(self)
        self.categories = CategoriesModel(self)
        self.category_view = CategoryView(self.categories, self)
        self.parts = PartsModel(self)
        self.results = _results_view(self.parts, self)
        self.only_fitting = QCheckBox(self.tr("Only what fits"), self)
        self.only_fitting.setToolTip(self.tr("Hides parts that would make a rule fail in this build; they are grey"))
        self.add_button = QPushButton(theme().icon("add"), self.tr("Add"), self)
        self.swap_button = QPushButton(theme().icon("swap"), self.tr("Swap in"), self)
        self._message = QLabel(self.tr("Reading the catalogue …"), self)
        self._message.setWordWrap(True)
        self._message.setMargin(8)
        self._message.setForegroundRole(self._message.palette().ColorRole.PlaceholderText)
        self._lay_out()
        self._connect()
        self._follow_selection()

    def focus_search(self) -> None:
        """Puts the cursor into the search field with its text selected."""
        self.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.search.selectAll()

    def allow_swap(self, category: Category | None) -> None:
        """Parts of this category may take the place of the selected line."""
        self._swappable = category
        self._follow_selection()

    def show_category(self, category: Category | None) -> None:
        """Lists one category."""
        self.category_view.setCurrentIndex(self.categories.index(self.categories.row_of(category)))

    @property
    def selected_id(self) -> str | None:
        """The id of the part chosen in the results."""
        index = self.results.currentIndex()
        return self.parts.hit(index.row()).id if index.isValid() else None

    @Slot()
    def refresh(self) -> None:
        """Asks the catalogue again. Says in place why, when it cannot be used."""
        if not self._shelf.open:
            return
        try:
            catalogue = self._shelf.catalogue()
            self.categories.show_counts(catalogue.counts())
            hits = catalogue.search(self.search.text(), self._category(), limit=LIMIT)
        except RigwrightError as error:
            self.show_problem(error)
            return
        self.parts.show_hits(hits)
        self._fitting.judge(self.parts.ids())
        self._message.setText(self._nothing_found())
        self._message.setVisible(not hits)
        self.results.setVisible(bool(hits))
        if hits:
            self.results.setCurrentIndex(self.parts.index(0))
        self._follow_selection()

    @Slot(object)
    def show_problem(self, error: Exception) -> None:
        """Says why there are no parts."""
        if not isinstance(error, RigwrightError):
            log.error("the catalogue could not be read", exc_info=error)
        self._message.setText(str(error))
        self._message.show()
        self.results.hide()

    def _lay_out(self) -> None:
        self.results.hide()
        buttons = QHBoxLayout()
        buttons.setContentsMargins(8, 8, 8, 8)
        buttons.setSpacing(8)
        buttons.addWidget(self.add_button, 1)
        buttons.addWidget(self.swap_button, 1)
        top = QVBoxLayout()
        top.setContentsMargins(8, 8, 8, 8)
        top.setSpacing(8)
        top.addWidget(self.search)
        filters = QHBoxLayout()
        filters.setContentsMargins(8, 4, 8, 4)
        filters.addWidget(self.only_fitting)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(top)
        column.addWidget(self.category_view)
        column.addLayout(filters)
        column.addWidget(self._message, 1, Qt.AlignmentFlag.AlignTop)
        column.addWidget(self.results, 1)
        column.addLayout(buttons)

    def _connect(self) -> None:
        self._shelf.ready.connect(self.refresh)
        self._shelf.failed.connect(self.show_problem)
        self._fitting.judged.connect(self.parts.set_obstacles)
        self.parts.dataChanged.connect(self._hide_some)
        self.parts.modelReset.connect(self._hide_all_unfit)
        self.only_fitting.toggled.connect(self._hide_all_unfit)
        self.search.textChanged.connect(self.refresh)
        self.search.moved.connect(self._move_choice)
        self.search.returnPressed.connect(self._add)
        self.category_view.selectionModel().currentChanged.connect(self.refresh)
        self.results.selectionModel().currentChanged.connect(self._follow_selection)
        self.results.activated.connect(self._add)
        self.results.customContextMenuRequested.connect(self._menu)
        self.add_button.clicked.connect(self._add)
        self.swap_button.clicked.connect(self._swap)
        theme().changed.connect(self._recolour)

    def _category(self) -> Category | None:
        index = self.category_view.currentIndex()
        return self.categories.category(index.row()) if index.isValid() else None

    def _nothing_found(self) -> str:
        if not self.search.text():
            return self.tr("The catalogue has no parts of this category.")
        category = self._category()
        if category is None:
            return self.tr("No part has all these words.")
        return self.tr("No part of the category {category} has all these words.").format(category=category.label)

    @Slot()
    def _add(self) -> None:
        if self.selected_id is not None:
            self.added.emit(self.selected_id)

    @Slot()
    def _swap(self) -> None:
        if self.selected_id is not None and self.swap_button.isEnabled():
            self.swapped.emit(self.selected_id)

    @Slot()
    def _explain(self) -> None:
        if self.selected_id is not None:
            self.explained.emit(self.selected_id)

    @Slot(QPoint)
    def _menu(self, point: QPoint) -> None:
        if self.selected_id is None:
            return
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for text, slot, enabled in (
            (self.tr("Add to the build"), self._add, True),
            (self.tr("Swap in for the selected line"), self._swap, self.swap_button.isEnabled()),
            (self.tr("Figures and sources …"), self._explain, True),
        ):
            action = QAction(text, menu)
            action.setEnabled(enabled)
            action.triggered.connect(slot)
            menu.addAction(action)
        menu.popup(self.results.viewport().mapToGlobal(point))

    @Slot(int)
    def _move_choice(self, by: int) -> None:
        shown = [row for row in range(self.parts.rowCount()) if not self.results.isRowHidden(row)]
        if not shown:
            return
        here = self.results.currentIndex().row()
        place = shown.index(here) if here in shown else 0
        row = shown[min(max(place + by, 0), len(shown) - 1)]
        self.results.setCurrentIndex(self.parts.index(row))

    @Slot(QModelIndex, QModelIndex)
    def _hide_some(self, first: QModelIndex, last: QModelIndex) -> None:
        for row in range(first.row(), last.row() + 1):
            self.results.setRowHidden(row, self.only_fitting.isChecked() and not self.parts.fits(row))

    @Slot()
    def _hide_all_unfit(self) -> None:
        if self.parts.rowCount():
            self._hide_some(self.parts.index(0), self.parts.index(self.parts.rowCount() - 1))

    @Slot()
    def _follow_selection(self) -> None:
        index: QModelIndex = self.results.currentIndex()
        category = self.parts.hit(index.row()).category if index.isValid() else None
        self.add_button.setEnabled(category is not None)
        fits = category is not None and category is self._swappable
        self.swap_button.setEnabled(fits)
        self.swap_button.setToolTip(
            self.tr("Puts this part in the place of the selected line; quantity and slots stay")
            if fits
            else self.tr("Select a line of the same category in the build first")
        )

    @Slot()
    def _recolour(self) -> None:
        self.add_button.setIcon(theme().icon("add"))
        self.swap_button.setIcon(theme().icon("swap"))
        self.results.viewport().update()


def _results_view(model: PartsModel, parent: QWidget) -> QListView:
    view = QListView(parent)
    view.setModel(model)
    view.setItemDelegate(PartDelegate(view))
    view.setUniformItemSizes(True)
    view.setFrameShape(QFrame.Shape.NoFrame)
    view.setDragEnabled(True)
    view.setDragDropMode(QListView.DragDropMode.DragOnly)
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.setAccessibleName(QCoreApplication.translate("PartsPanel", "Parts found"))
    return view
