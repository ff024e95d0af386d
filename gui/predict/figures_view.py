"""Shows a table of figures: as high as its rows, or scrolling; its names give way before its figures do."""

from __future__ import annotations

from collections.abc import Hashable

from PySide6.QtCore import QEvent, QModelIndex, QRect, QRectF, QSize, QSortFilterProxyModel, Qt, Signal, Slot
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.plan.build import Build
from core.present.report.document import Table
from gui.predict.figures_model import BAR_ROLE, BELOW_ROLE, MARK_ROLE, FiguresModel
from gui.widgets.table import Index
from gui.widgets.text import scaled
from gui.widgets.theme import theme
from gui.widgets.views import quiet_selection

LEAST_WORDS, MOST_WORDS = 18, 48
"""Letters that the first column keeps, and takes at most: figures stay near what they are of in a wide window."""


class FiguresView(QTableView):
    """`chosen(key)` when another row is current. `whole`: all rows are shown, and nothing scrolls up and down."""

    chosen = Signal(object)

    def __init__(
        self,
        name: str,
        parent: QWidget | None = None,
        *,
        proxy: QSortFilterProxyModel | None = None,
        whole: bool = True,
    ) -> None:
        super().__init__(parent)
        self._whole = whole
        self.figures = FiguresModel(self)
        if proxy is not None:
            proxy.setSourceModel(self.figures)
        self.setModel(proxy or self.figures)
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

    def show_table(self, table: Table, build: Build) -> None:
        """The rows of a topic; `build` has the names of the parts that figures are unknown of."""
        self.figures.show_table(table, build)

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
        letter = self.fontMetrics().averageCharWidth()
        for pad in (PAD, NARROW_PAD):
            self._set_pad(pad)
            left = self.viewport().width() - sum(map(self._fit_column, columns))
            least, most = (letter * letters + 2 * pad for letters in (LEAST_WORDS, MOST_WORDS))
            if left >= least:
                break
        self.setColumnWidth(0, max(least, min(left, most) if columns else left))
        self.resizeRowsToContents()
        if self._whole:
            self.setFixedHeight(self._whole_height())

    def _fit_column(self, column: int) -> int:
        """Gives a column the width of its figures and heading, and returns it."""
        width = max(self.sizeHintForColumn(column), self.horizontalHeader().sectionSizeHint(column))
        self.setColumnWidth(column, width)
        return width

    def _set_pad(self, pad: int) -> None:
        if pad != self._delegate.pad:
            self._delegate.pad = pad
            self._recolour()

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
            f" border-bottom: 1px solid {line}; padding: 4px {self._delegate.pad}px; }}"
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


PAD, NARROW_PAD, LINE_PAD, MARK_GAP = 8, 4, 4, 4
"""At the sides of a cell, there where all columns would not fit otherwise, above and below, beside a mark."""
BAR, BAR_WIDTH = 6, 96
SMALLER = 0.88
WRAP = Qt.TextFlag.TextWordWrap


class FiguresDelegate(QStyledItemDelegate):
    """Words of the first column wrap within its width; everything else stands in a line each."""

    def __init__(self, view: QTableView) -> None:
        super().__init__(view)
        self._view = view
        self.pad = PAD

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Of the words at the column's present width, or of the figures."""
        metrics, small = option.fontMetrics, QFontMetrics(smaller(option.font))
        below = index.data(BELOW_ROLE) or ""
        if index.column() == 0:
            room = QRect(0, 0, max(self._view.columnWidth(0) - 2 * self.pad, 40), 10_000)
            height = metrics.boundingRect(room, WRAP, index.data()).height()
            height += small.boundingRect(room, WRAP, below).height() if below else 0
            return QSize(self.words_width(option, index), height + 2 * LINE_PAD)
        width = max(metrics.horizontalAdvance(index.data() or ""), small.horizontalAdvance(below))
        if index.data(BAR_ROLE) is not None:
            width = max(width, BAR_WIDTH)
        if index.data(MARK_ROLE):
            width = max(width, metrics.horizontalAdvance(index.data() or "") + metrics.height() + MARK_GAP)
        height = metrics.height() + (small.height() if below else 0)
        return QSize(width + 2 * self.pad, height + 2 * LINE_PAD)

    def words_width(self, option: QStyleOptionViewItem, index: Index) -> int:
        """What the first column needs to show a row in one line."""
        return option.fontMetrics.horizontalAdvance(index.data() or "") + 2 * self.pad

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """The view's own ground, then the words."""
        own = QStyleOptionViewItem(option)
        self.initStyleOption(own, index)
        own.text = ""
        style = self._view.style() or QApplication.style()
        style.drawControl(QStyle.ControlElement.CE_ItemViewItem, own, painter, self._view)
        painter.save()
        area = option.rect.adjusted(self.pad, LINE_PAD, -self.pad, -LINE_PAD)
        bar = index.data(BAR_ROLE)
        if bar is not None:
            _paint_bar(painter, QRectF(area), bar)
        else:
            self._paint_words(painter, area, own, index)
        painter.restore()

    def _paint_words(self, painter: QPainter, area: QRect, option: QStyleOptionViewItem, index: Index) -> None:
        text, below = index.data() or "", index.data(BELOW_ROLE) or ""
        side = option.displayAlignment & Qt.AlignmentFlag.AlignHorizontal_Mask
        flags = side | Qt.AlignmentFlag.AlignTop | (WRAP if index.column() == 0 else Qt.TextFlag.TextSingleLine)
        small = smaller(option.font)
        upper = QFontMetrics(option.font).boundingRect(area, flags, text).height() if text else 0
        lower = QFontMetrics(small).boundingRect(area, flags, below).height() if below else 0
        top = area.top() + max(0, (area.height() - upper - lower) // 2)
        painter.setFont(option.font)
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(QRect(area.left(), top, area.width(), upper), flags, text)
        if mark := index.data(MARK_ROLE):
            icon = option.fontMetrics.height()
            left = area.right() - option.fontMetrics.horizontalAdvance(text) - MARK_GAP - icon
            theme().status_icon(mark).paint(painter, QRect(left, top, icon, icon))
        if below:
            painter.setFont(small)
            painter.setPen(theme().color("muted"))
            painter.drawText(QRect(area.left(), top + upper, area.width(), lower), flags, below)


def _paint_bar(painter: QPainter, area: QRectF, bar: tuple[float, float, float]) -> None:
    """As the instruments have it: full to the expected figure, a lighter band around it."""
    low, expected, high = (min(max(share, 0.0), 1.0) for share in bar)
    top = area.center().y() - BAR / 2
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(theme().color("grid"))
    painter.drawRoundedRect(QRectF(area.left(), top, area.width(), BAR), 2, 2)
    tone = theme().color("accent")
    painter.setBrush(tone)
    painter.drawRoundedRect(QRectF(area.left(), top, max(1.0, area.width() * expected), BAR), 2, 2)
    tone.setAlphaF(0.35)
    painter.setBrush(tone)
    left = area.left() + area.width() * low
    painter.drawRect(QRectF(left, top - 2, max(1.0, area.width() * (high - low)), BAR + 4))


def smaller(font: QFont) -> QFont:
    """For the second line."""
    return scaled(font, SMALLER)
