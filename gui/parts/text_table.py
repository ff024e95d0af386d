"""A table of text with a search, copying and a file: for everything that is a list to read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QLineEdit,
    QPushButton,
    QTableView,
    QWidget,
)

from core.whole_file import write_whole
from gui.parts.controls import column_of
from gui.parts.text_rows import Row, TextRows
from gui.widgets import files
from gui.widgets.banner import Notice
from gui.widgets.text import Label
from gui.widgets.views import open_at, quiet_selection

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
        self.notice = Notice(self)
        self.copy = QPushButton(self.tr("&Copy"), self)
        self.export = QPushButton(self.tr("&Export as CSV …"), self)
        self.close_button = QPushButton(self.tr("Close"), self)
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
        kinds = self.tr("CSV (*.csv)")
        path = files.file_to_save(self, self.tr("Export as CSV"), Path.home() / self._file_name, kinds)
        if path is None:
            return
        text = self.rows.as_text(range(self.rows.rowCount()), delimiter=",")
        try:
            write_whole(path, b"\xef\xbb\xbf" + text.encode("utf-8", errors="replace"))
        except OSError as error:
            self.notice.say(
                self.tr("{path} cannot be written: {reason}.").format(path=path, reason=error.strerror or error)
            )

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
        text = f"{total:,}" if shown == total else self.tr("{shown} of {total}").format(shown=f"{shown:,}", total=total)
        self.count.setText(text)
        self.copy.setEnabled(shown > 0)
        self.export.setEnabled(shown > 0)

    def _connect(self) -> None:
        self.search.textChanged.connect(self._narrow)
        self.copy.clicked.connect(self.copy_rows)
        self.export.clicked.connect(self.export_rows)
        self.close_button.clicked.connect(self.reject)
        self.table.activated.connect(self._activate)
        copy = QAction(self.tr("Copy"), self.table)
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
        self.search.setPlaceholderText(self.tr("Find …"))
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self.tr("Find in the list"))
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
