"""How much of the catalogue's deciding figures is known and confirmed, with what is lacking."""

from __future__ import annotations

from contextlib import closing
from enum import IntEnum
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QListWidget,
    QPushButton,
    QSplitter,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from core.language import joined, plain, tr
from core.parts.catalogue import Catalogue
from core.parts.contribution import FieldCoverage, coverage
from core.parts.figures import field_words
from core.parts.part import Origin
from core.units import number
from gui.background import run_in_background
from gui.parts.controls import StillBox, column_of
from gui.theme import theme
from gui.widgets.text import Label
from gui.widgets.views import open_at, quiet_selection

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
SHARES_ROLE = Role.UserRole


class CoverageColumn(IntEnum):
    """Columns of the table."""

    CATEGORY = 0
    FIGURE = 1
    PARTS = 2
    SHARE = 3
    LACKING = 4


class CoverageModel(QAbstractTableModel):
    """In the order of the catalogue, or sorted; the bar's shares under `SHARES_ROLE`."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._came: list[FieldCoverage] = []
        self.rows: list[FieldCoverage] = []
        self._order: tuple[int, bool] | None = None

    def show_coverage(self, rows: list[FieldCoverage]) -> None:
        """Replaces the table."""
        self._came = rows
        self._refresh()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by a column; -1 is the order of the catalogue."""
        self._order = (column, order is Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._refresh()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(CoverageColumn)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role != Role.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        return (tr("Category"), tr("Figure"), tr("Parts"), tr("Confirmed, known"), tr("Unknown"))[section]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case Role.DisplayRole:
                return self._text(row, index.column())
            case Role.TextAlignmentRole if index.column() in (CoverageColumn.PARTS, CoverageColumn.LACKING):
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _ if role == SHARES_ROLE and index.column() == CoverageColumn.SHARE:
                return row.confirmed_share, row.known_share
        return None

    def _text(self, row: FieldCoverage, column: int) -> str:
        match column:
            case CoverageColumn.CATEGORY:
                return row.category.label
            case CoverageColumn.FIGURE:
                return field_words(row.field)
            case CoverageColumn.PARTS:
                return number(row.parts)
            case CoverageColumn.LACKING:
                return number(row.parts - row.known)
        return tr(
            "{confirmed} confirmed, {known} known",
            confirmed=_percent(row.confirmed_share),
            known=_percent(row.known_share),
        )

    def _refresh(self) -> None:
        self.beginResetModel()
        self.rows = list(self._came)
        if self._order is not None:
            column, descending = self._order
            self.rows.sort(key=lambda row: _key(row, column), reverse=descending)
        self.endResetModel()


def _percent(share: float) -> str:
    return plain("{percent:.0f} %", percent=100 * share)


def _key(row: FieldCoverage, column: int) -> tuple[float, str]:
    match column:
        case CoverageColumn.CATEGORY:
            return (0, row.category.label)
        case CoverageColumn.FIGURE:
            return (0, field_words(row.field))
        case CoverageColumn.PARTS:
            return (row.parts, "")
        case CoverageColumn.LACKING:
            return (row.parts - row.known, "")
    return (row.known_share, f"{row.confirmed_share:.6f}")


MAX_LISTED = 500
WIDTH_OF_BARS = 210


class CoverageView(QDialog):
    """`correction_wanted(part id)`: the user wants to fill a gap."""

    correction_wanted = Signal(str)

    def __init__(self, data_dir: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._data_dir = data_dir
        self._asked: Origin | None = None
        self.model = CoverageModel(self)
        self.table = QTableView(self)
        self.whose = StillBox(self)
        self.said = Label(self)
        self.heading = Label(self)
        self.lacking = QListWidget(self)
        self.correct = QPushButton(tr("Correct &part …"), self)
        self.close_button = QPushButton(tr("Close"), self)
        self.setWindowTitle(tr("Catalogue coverage"))
        open_at(self, 1040, 640)
        self._arrange()
        self._connect()
        self.refresh()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter on a part opens its editor and must not reach a button of it."""
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            super().keyPressEvent(event)

    @Slot()
    def refresh(self) -> None:
        """Counts anew, beside the window."""
        stored = self.whose.currentData()
        self._asked = asked = Origin(stored) if stored else None
        folder = self._data_dir
        self.said.setText(tr("Counting …"))
        run_in_background(self, lambda: (asked, _counted(folder, asked)), self._show)

    def _show(self, answer: tuple[Origin | None, list[FieldCoverage]]) -> None:
        asked, rows = answer
        if asked is not self._asked:  # another question has been asked since
            return
        self.model.show_coverage(rows)
        self.table.resizeColumnToContents(CoverageColumn.FIGURE)
        total = sum(row.parts for row in rows)
        known, confirmed = (sum(counts) for counts in ((row.known for row in rows), (row.confirmed for row in rows)))
        self.said.setText(
            tr(
                "{known} of the deciding figures are known, {confirmed} confirmed.",
                known=_percent(known / total),
                confirmed=_percent(confirmed / total),
            )
            if total
            else tr("There are no such parts.")
        )
        if rows:
            gap = next((number for number, row in enumerate(self.model.rows) if row.lacking), 0)
            self.table.setCurrentIndex(self.model.index(gap, 0))
        self._show_lacking()

    @Slot()
    def _show_lacking(self) -> None:
        here = self.table.currentIndex()
        row = self.model.rows[here.row()] if here.isValid() else None
        self.lacking.clear()
        self.lacking.addItems(list(row.lacking[:MAX_LISTED]) if row else [])
        count = len(row.lacking) if row else 0
        text = tr("Parts with this figure unknown: {count}", count=f"{count:,}")
        if count > MAX_LISTED:
            text = tr("{text}, the first {listed} are:", text=text, listed=MAX_LISTED)
        self.heading.setText(text)
        self.correct.setEnabled(count > 0)
        if count:
            self.lacking.setCurrentRow(0)

    @Slot()
    def _correct(self) -> None:
        if self.lacking.currentItem() is not None:
            self.correction_wanted.emit(self.lacking.currentItem().text())

    def _connect(self) -> None:
        self.whose.activated.connect(self.refresh)
        self.table.selectionModel().currentRowChanged.connect(self._show_lacking)
        self.lacking.itemActivated.connect(self._correct)
        self.correct.clicked.connect(self._correct)
        self.close_button.clicked.connect(self.reject)

    def _arrange(self) -> None:
        choices = (
            (tr("Shipped parts"), Origin.SHIPPED),
            (tr("Imported parts"), Origin.IMPORTED),
            (tr("My parts and corrections"), Origin.USER),
            (tr("All parts"), None),
        )
        for text, origin in choices:
            self.whose.addItem(text, origin.value if origin else "")
        self.whose.setAccessibleName(tr("Which parts are counted"))
        self.whose.setMinimumContentsLength(24)
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(CoverageColumn.SHARE, BarDelegate(self.table))
        self.table.setAccessibleName(tr("Coverage by category and figure"))
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.table.setShowGrid(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        wide = self.fontMetrics().horizontalAdvance
        header = self.table.horizontalHeader()
        header.setHighlightSections(False)
        header.setStretchLastSection(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.table.setSortingEnabled(True)
        widths = (wide("Cable or adapter") + 16, wide("maximum cooler height") + 24, wide("Parts 000") + 24)
        for column, width in enumerate((*widths, WIDTH_OF_BARS)):
            self.table.setColumnWidth(column, max(width, header.sectionSizeHint(column)))
        quiet_selection(self.table)
        self.heading.setWordWrap(True)
        self.heading.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.lacking.setAccessibleName(tr("Parts that lack the figure"))
        quiet_selection(self.lacking)
        side = QWidget(self)
        column_of([self.heading, self.lacking, self.correct], side).setContentsMargins(8, 0, 0, 0)
        split = QSplitter(Qt.Orientation.Horizontal, self)
        split.setChildrenCollapsible(False)
        split.addWidget(self.table)
        split.addWidget(side)
        split.setStretchFactor(0, 1)
        split.setSizes([760, 250])
        top = QHBoxLayout()
        top.addWidget(self.whose)
        top.addWidget(self.said, 1)
        bottom = QHBoxLayout()
        bottom.addStretch(1)
        bottom.addWidget(self.close_button)
        for button in (self.correct, self.close_button):
            button.setAutoDefault(False)
        whole = column_of([], self)
        whole.addLayout(top)
        whole.addWidget(split, 1)
        whole.addLayout(bottom)


class BarDelegate(QStyledItemDelegate):
    """Confirmed share in full colour, known share behind it in a lighter one; both also as figures."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, _without_text(option), QModelIndex())
        shares = index.data(SHARES_ROLE)
        if shares is None:
            return
        confirmed, known = shares
        numbers = joined([_percent(confirmed), _percent(known)], ", ")
        taken = option.fontMetrics.horizontalAdvance("100 %, 100 %") + 8
        area = option.rect.adjusted(6, 6, -6 - taken, -6)
        painter.save()
        painter.fillRect(area, theme().color("grid"))
        for share, alpha in ((known, 0.35), (confirmed, 1.0)):
            colour = theme().color("pass")
            colour.setAlphaF(alpha)
            painter.fillRect(QRect(area.left(), area.top(), round(area.width() * share), area.height()), colour)
        painter.setPen(theme().color("text"))
        words = option.rect.adjusted(0, 0, -6, 0)
        painter.drawText(words, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, numbers)
        painter.restore()


def _without_text(option: QStyleOptionViewItem) -> QStyleOptionViewItem:
    bare = QStyleOptionViewItem(option)
    bare.text = ""
    return bare


def _counted(folder: Path, origin: Origin | None) -> list[FieldCoverage]:
    with closing(Catalogue(folder)) as catalogue:
        return coverage(catalogue.parts(origin=origin))
