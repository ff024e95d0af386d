"""Lists to read, with search, copying and a file: any rows of text, one's own parts, what an import left out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QAbstractItemView, QDialog, QHBoxLayout, QLineEdit, QPushButton, QTableView, QWidget

from core.language import tr
from core.os_reasons import reason_of
from core.parts.figures import field_words
from core.parts.own import Correction
from core.parts.part import Part
from core.parts.quarantined import Quarantined
from core.spreadsheet import csv_text
from core.whole_file import write_whole
from gui.figures import number
from gui.parts.controls import column_of
from gui.widgets import files
from gui.widgets.banner import NoticeBanner
from gui.widgets.text import Label, escaped
from gui.widgets.views import open_at, quiet_selection

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Row = tuple[str | int, ...]


class TextRows(QAbstractTableModel):
    """`shown` are the rows that have all words of the search, in the chosen order."""

    def __init__(self, headings: Sequence[str], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.headings = tuple(headings)
        self.shown: list[Row] = []
        self._all: list[tuple[str, Row]] = []
        self._words: list[str] = []
        self._order: tuple[int, bool] | None = None

    @property
    def total(self) -> int:
        """How many rows there are without a search."""
        return len(self._all)

    def show_rows(self, rows: Iterable[Row]) -> None:
        """Replaces all rows."""
        self._all = [(" ".join(map(str, row)).lower(), row) for row in rows]
        self._refresh()

    def replace(self, row: Row, other: Row) -> None:
        """Puts another row in the place of one."""
        self._all = [
            (" ".join(map(str, other)).lower(), other) if one == row else (told, one) for told, one in self._all
        ]
        self._refresh()

    def narrow(self, text: str) -> None:
        """Shows only rows with all these words."""
        self._words = text.lower().split()
        self._refresh()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sorts by a column; -1 is the order in which the rows came."""
        self._order = (column, order is Qt.SortOrder.DescendingOrder) if column >= 0 else None
        self._refresh()

    def as_text(self, rows: Iterable[int], delimiter: str = "\t") -> str:
        """Rows with their headings, for the clipboard or a file; no cell can be taken for a formula."""
        return csv_text([self.headings, *(self.shown[row] for row in rows)], delimiter=delimiter)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.shown)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.headings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.TextAlignmentRole:
            return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        return self.headings[section] if role == Role.DisplayRole else None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self.shown[index.row()][index.column()]
        match role:
            case Role.DisplayRole:
                return str(cell)
            case Role.ToolTipRole:
                return f"<p>{escaped(str(cell))}</p>" if cell else None
        return None

    def _refresh(self) -> None:
        self.beginResetModel()
        words = self._words
        shown = [row for told, row in self._all if all(word in told for word in words)]
        if self._order is not None:
            column, descending = self._order
            shown.sort(key=lambda row: _sort_key(row[column]), reverse=descending)
        self.shown = shown
        self.endResetModel()


def _sort_key(cell: str | int) -> tuple[bool, float, str]:
    return (True, 0, cell.casefold()) if isinstance(cell, str) else (False, cell, "")


WIDEST = 260


class TextTable(QDialog):
    """`activated(row of the table)` at Enter or a double click."""

    activated = Signal(int)

    def __init__(self, title: str, headings: Sequence[str], file_name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._file_name = file_name
        self.rows = TextRows(headings, self)
        self.search = QLineEdit(self)
        self.table = QTableView(self)
        self.count = Label(self)
        self.said = Label(self)
        self.notice = NoticeBanner(self)
        self.copy = QPushButton(tr("&Copy"), self)
        self.export = QPushButton(tr("&Export as CSV …"), self)
        self.close_button = QPushButton(tr("Close"), self)
        self.setWindowTitle(title)
        open_at(self, 1040, 600)
        self._arrange(title)
        self._connect()

    def show_rows(self, rows: Sequence[Row], said: str = "") -> None:
        """Fills the table; `said` stands above it."""
        self.rows.show_rows(rows)
        self.said.setText(said)
        self.said.setVisible(bool(said))
        self.table.resizeColumnsToContents()
        for column in range(len(self.rows.headings) - 1):
            self.table.setColumnWidth(column, min(self.table.columnWidth(column) + 12, WIDEST))
        if rows:
            self.table.setCurrentIndex(self.rows.index(0, 0))
        self._tell_count()

    def replace_row(self, row: Row, other: Row) -> None:
        """Puts another row in the place of one; it stays the chosen one."""
        self.rows.replace(row, other)
        if other in self.rows.shown:
            self.table.selectRow(self.rows.shown.index(other))

    def chosen_rows(self) -> list[int]:
        """The selected rows from the top."""
        return sorted({index.row() for index in self.table.selectionModel().selectedRows()})

    @Slot()
    def copy_rows(self) -> None:
        """Puts the selected rows, or all that are shown, on the clipboard."""
        rows = self.chosen_rows() or list(range(self.rows.rowCount()))
        QGuiApplication.clipboard().setText(self.rows.as_text(rows))

    @Slot()
    def export_rows(self) -> None:
        """Writes all rows that are shown to a file of the user's choice."""
        kinds = tr("CSV (*.csv)")
        path = files.file_to_save(self, tr("Export as CSV"), Path.home() / self._file_name, kinds)
        if path is None:
            return
        text = self.rows.as_text(range(self.rows.rowCount()), delimiter=",")
        try:
            write_whole(path, b"\xef\xbb\xbf" + text.encode("utf-8", errors="replace"))
        except OSError as error:
            self.notice.say(tr("{path} cannot be written: {reason}.", path=path, reason=reason_of(error)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Down in the search goes to the table. Enter must not press a button of the dialog that it has just opened."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.search.hasFocus() and event.key() in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.table.setFocus()
        elif self.search.hasFocus() and event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        elif not enter:
            super().keyPressEvent(event)

    @Slot(str)
    def _narrow(self, text: str) -> None:
        self.rows.narrow(text)
        self._tell_count()

    def _tell_count(self) -> None:
        shown, total = self.rows.rowCount(), self.rows.total
        text = number(total) if shown == total else tr("{shown} of {total}", shown=number(shown), total=total)
        self.count.setText(text)
        self.copy.setEnabled(shown > 0)
        self.export.setEnabled(shown > 0)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._narrow)
        self.copy.clicked.connect(self.copy_rows)
        self.export.clicked.connect(self.export_rows)
        self.close_button.clicked.connect(self.reject)
        self.table.activated.connect(self._activate)
        copy = QAction(tr("Copy"), self.table)
        copy.setShortcut(QKeySequence.StandardKey.Copy)
        copy.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        copy.triggered.connect(self.copy_rows)
        self.table.addAction(copy)
        self.table.setContextMenuPolicy(Qt.ContextMenuPolicy.ActionsContextMenu)

    @Slot()
    def _activate(self) -> None:
        self.activated.emit(self.table.currentIndex().row())

    def _arrange(self, title: str) -> None:
        self.said.setWordWrap(True)
        self.said.hide()
        self.search.setPlaceholderText(tr("Find …"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(tr("Find in the list"))
        self.count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.table.setModel(self.rows)
        self.table.setAccessibleName(title)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.setWordWrap(False)
        self.table.setTabKeyNavigation(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(self.fontMetrics().height() + 10)
        header = self.table.horizontalHeader()
        header.setStretchLastSection(True)
        header.setHighlightSections(False)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        header.setSortIndicatorClearable(True)
        self.table.setSortingEnabled(True)
        quiet_selection(self.table)
        top = QHBoxLayout()
        top.addWidget(self.search, 1)
        top.addWidget(self.count)
        self.bottom = QHBoxLayout()
        for button in (self.copy, self.export):
            button.setAutoDefault(False)
            self.bottom.addWidget(button)
        self.bottom.addStretch(1)
        self.bottom.addWidget(self.close_button)
        self.close_button.setAutoDefault(False)
        column = column_of([self.notice, self.said], self)
        column.addLayout(top)
        column.addWidget(self.table, 1)
        column.addLayout(self.bottom)


class OwnPartsView(TextTable):
    """`edit_wanted` and `removal_wanted` carry part ids."""

    edit_wanted = Signal(str)
    removal_wanted = Signal(list)
    refill = Signal(object)
    """Carries this view: the catalogue has changed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        headings = (tr("Part"), tr("Category"), tr("Yours"), tr("Id"))
        super().__init__(tr("My parts and corrections"), headings, "my-parts.csv", parent)
        self.edit = QPushButton(tr("E&dit …"), self)
        self.remove = QPushButton(tr("&Remove"), self)
        for button in (self.remove, self.edit):
            button.setAutoDefault(False)
            self.bottom.insertWidget(0, button)
        self.edit.clicked.connect(self._edit)
        self.remove.clicked.connect(self._remove)
        self.activated.connect(self._edit)
        gone = QAction(tr("Remove"), self.table)
        gone.setShortcut("Del")
        gone.setShortcutContext(Qt.ShortcutContext.WidgetShortcut)
        gone.triggered.connect(self._remove)
        self.table.addAction(gone)

    def show_parts(self, parts: list[Part], corrections: dict[str, Correction]) -> None:
        """Fills the list."""
        rows = [
            (part.title, part.category.label, self._words(corrections.get(part.id)), part.id)
            for part in sorted(parts, key=lambda part: part.title.casefold())
        ]
        empty = tr("You have no parts of your own. Parts, New part … makes one; Correct part … changes one.")
        self.show_rows(rows, "" if rows else empty)
        for button in (self.edit, self.remove):
            button.setEnabled(bool(rows))

    @Slot()
    def refill_wanted(self) -> None:
        """Asks for the list anew."""
        self.refill.emit(self)

    def chosen_ids(self) -> list[str]:
        """The ids of the selected rows."""
        return [str(self.rows.shown[row][-1]) for row in self.chosen_rows()]

    def _words(self, change: Correction | None) -> str:
        if change is None:
            return tr("the whole part")
        figures = [field_words(name) for name in change.spec]
        more = [tr("price")] * (change.price is not None) + [tr("note")] * (change.note is not None)
        return ", ".join([*figures, *more])

    @Slot()
    def _edit(self) -> None:
        ids = self.chosen_ids()
        if ids:
            self.edit_wanted.emit(ids[0])

    @Slot()
    def _remove(self) -> None:
        if ids := self.chosen_ids():
            self.removal_wanted.emit(ids)


WIDTHS = (290, 130, 150, 340)
"""Of all columns but the last."""


class QuarantineView(TextTable):
    """One row per figure or row of the data set."""

    def __init__(self, parent: QWidget | None = None) -> None:
        headings = (tr("Part"), tr("Figure"), tr("Value"), tr("Reason"), tr("File"))
        super().__init__(tr("What was left out of the import"), headings, "left-out.csv", parent)

    def show_left_out(self, left_out: list[Quarantined]) -> None:
        """Fills the list."""
        whole = tr("whole row")
        rows = [
            (row.title, field_words(row.field) if row.field else whole, row.value, row.reason, row.source)
            for row in left_out
        ]
        said = (
            tr("Nothing was left out, or nothing has been imported.")
            if not rows
            else tr("A figure that was left out is unknown; correct the part to enter the right one.")
        )
        self.show_rows(rows, said)
        for column, width in enumerate(WIDTHS):
            self.table.setColumnWidth(column, width)
