"""Shows a table of figures: as high as its rows, or scrolling; its names give way before its figures do."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QEvent, QModelIndex, QSize, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from gui.predict.figures_delegate import PAD, FiguresDelegate
from gui.predict.figures_model import FiguresModel
from gui.theme import theme
from gui.widgets.views import quiet_selection

LEAST_WORDS = 18
"""Letters that the first column keeps."""


class FiguresView(QTableView):
    """`chosen(key)` when another row is current. `whole`: all rows are shown, and nothing scrolls up and down."""

    chosen = Signal(object)

    def __init__(
        self,
        model: FiguresModel,
        name: str,
        parent: QWidget | None = None,
        *,
        proxy: QSortFilterProxyModel | None = None,
        whole: bool = True,
    ) -> None:
        super().__init__(parent)
        self._whole = whole
        self.figures = model
        self.setModel(proxy or model)
        self._delegate = FiguresDelegate(self)
        self.setItemDelegate(self._delegate)
        self.setAccessibleName(name)
        self._look()
        shown = self.model()
        for signal in (shown.modelReset, shown.dataChanged, shown.layoutChanged, shown.rowsInserted, shown.rowsRemoved):
            signal.connect(self.fit)
        self.selectionModel().currentRowChanged.connect(self._choose)
        theme().changed.connect(self._recolour)
        self._recolour()

    @property
    def key(self) -> Hashable | None:
        """What the current row stands for."""
        return self._key_of(self.currentIndex())

    def choose(self, key: Hashable) -> None:
        """Makes the row of something current."""
        for row in range(self.model().rowCount()):
            index = self.model().index(row, 0)
            if self._key_of(index) == key:
                self.setCurrentIndex(index)
                return

    def _key_of(self, index: QModelIndex) -> Hashable | None:
        """Asked of the model itself: a word of an enumeration that goes through Qt comes out as plain text."""
        proxy = self.model()
        source = proxy.mapToSource(index) if isinstance(proxy, QSortFilterProxyModel) else index
        return self.figures.key(source)

    @Slot()
    def fit(self) -> None:
        """Figures get the room they need, names what is left, and rows the height of their names."""
        columns = range(1, self.model().columnCount())
        header = self.horizontalHeader()
        for column in columns:
            self.setColumnWidth(column, max(self.sizeHintForColumn(column), header.sectionSizeHint(column)))
        left = self.viewport().width() - sum(self.columnWidth(column) for column in columns)
        least = self.fontMetrics().averageCharWidth() * LEAST_WORDS + 16
        self.setColumnWidth(0, max(least, left))
        self.resizeRowsToContents()
        if self._whole:
            self.setFixedHeight(self._whole_height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Another width gives the names another room."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def changeEvent(self, event: QEvent) -> None:
        """Another font needs other room."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and hasattr(self, "_delegate"):
            self.fit()

    def minimumSizeHint(self) -> QSize:
        """Narrow: what has no room can be scrolled to."""
        return QSize(160, 3 * self.fontMetrics().height())

    def _whole_height(self) -> int:
        needed = sum(self.columnWidth(column) for column in range(self.model().columnCount()))
        bar = self.horizontalScrollBar().sizeHint().height() if needed > self.viewport().width() else 0
        rows = sum(self.rowHeight(row) for row in range(self.model().rowCount()))
        return self.horizontalHeader().sizeHint().height() + rows + bar + 2 * self.frameWidth() + 1

    @Slot(QModelIndex, QModelIndex)
    def _choose(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.chosen.emit(self._key_of(current))

    @Slot()
    def _recolour(self) -> None:
        """Headings stand above their figures, flat and quiet."""
        colours = theme()
        surface, line, words = (colours.color(name).name() for name in ("surface", "border", "muted"))
        self.horizontalHeader().setStyleSheet(
            f"QHeaderView {{ background: {surface}; border: none; }}"
            f"QHeaderView::section {{ background: {surface}; color: {words}; border: none;"
            f" border-bottom: 1px solid {line}; padding: 4px {PAD}px; }}"
        )
        self.viewport().update()

    def _look(self) -> None:
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(True)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        if self._whole:
            self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setHighlightSections(False)
        header.setSectionsClickable(False)
        header.setMinimumSectionSize(40)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(self.fontMetrics().height() + 8)
        quiet_selection(self)
