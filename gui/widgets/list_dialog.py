"""A dialog that lists rows to be read, with search, copying and a file."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import Generic

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette
from PySide6.QtWidgets import QDialog, QWidget

from core.platform.errors import reason_of
from core.platform.whole_file import write_whole
from core.words import tr
from gui.widgets import files
from gui.widgets.banner import NoticeBanner
from gui.widgets.figures import number
from gui.widgets.form import column_of, line_edit, push_button, row_of
from gui.widgets.table import R, TableColumn, TableModel, TableView, text_columns
from gui.widgets.text import Label
from gui.widgets.views import open_at

Row = tuple[str | int, ...]
"""Of a table of plain cells."""


class ListDialog(QDialog, Generic[R]):
    """`activated` at Enter or a double click on a row. A sentence about all of it may stand above."""

    activated = Signal()

    def __init__(
        self,
        title: str,
        columns: Sequence[TableColumn[R]],
        file_name: str,
        parent: QWidget | None = None,
        key: Callable[[R], Hashable] = lambda row: row,
    ) -> None:
        """`file_name` is suggested for the file of the rows; `key` says what a row stands for."""
        super().__init__(parent)
        self._file_name = file_name
        self.model = TableModel[R](columns, key, self)
        self.table = TableView[R](self.model, title, self, several=True, sortable=True)
        self.search = line_edit(self, tr("Find in the list"), tr("Find …"))
        self.search.setClearButtonEnabled(True)
        self.count = Label(self)
        self.count.setForegroundRole(QPalette.ColorRole.PlaceholderText)
        self.sentence = Label(self)
        self.sentence.setWordWrap(True)
        self.sentence.hide()
        self.notice = NoticeBanner(self)
        self.copy = push_button(self, tr("&Copy"), self.table.copy)
        self.export = push_button(self, tr("&Export as CSV …"), self.export_rows)
        self.close_button = push_button(self, tr("Close"), self.reject)
        self.setWindowTitle(title)
        open_at(self, 1040, 600)
        self.bottom = row_of(self.copy, self.export, 1, self.close_button)
        top = row_of((self.search, 1), self.count)
        pieces = (self.notice, self.sentence, top, (self.table, 1), self.bottom)
        self.whole = column_of(*pieces, into=self, margins=16, spacing=8)
        self.search.textChanged.connect(self._narrow)
        self.table.activated.connect(self.activated)
        self.table.allow_copying()

    def show_rows(self, rows: Iterable[R], sentence: str = "") -> None:
        """Fills the table; the sentence stands above it."""
        self.model.show_rows(rows)
        self.say(sentence)
        self.table.fit_columns()
        if self.model.rows:
            self.table.setCurrentIndex(self.model.index(0, 0))
        self._tell_count()

    def say(self, sentence: str) -> None:
        """Another sentence above the table; an empty one hides it."""
        self.sentence.setText(sentence)
        self.sentence.setVisible(bool(sentence))

    @Slot()
    def export_rows(self) -> None:
        """Writes all rows that are shown to a file of the user's choice."""
        kinds = tr("CSV (*.csv)")
        path = files.file_to_save(self, tr("Export as CSV"), Path.home() / self._file_name, kinds)
        if path is None:
            return
        text = self.model.as_text(self.model.rows, delimiter=",")
        try:
            write_whole(path, b"\xef\xbb\xbf" + text.encode("utf-8", errors="replace"))
        except OSError as error:
            self.notice.say(tr("{path} cannot be written: {reason}.", path=path, reason=reason_of(error)))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Down in the search goes to the table. Enter must not press a button of the dialog that it has just opened."""
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if self.search.hasFocus() and (enter or event.key() == Qt.Key.Key_Down):
            self.table.setFocus()
        elif self.search.hasFocus() and event.key() == Qt.Key.Key_Escape and self.search.text():
            self.search.clear()
        elif not enter:
            super().keyPressEvent(event)

    @Slot(str)
    def _narrow(self, text: str) -> None:
        self.model.narrow(text)
        self._tell_count()

    def _tell_count(self) -> None:
        shown, total = len(self.model.rows), len(self.model.all_rows)
        text = number(total) if shown == total else tr("{shown} of {total}", shown=number(shown), total=total)
        self.count.setText(text)
        self.copy.setEnabled(shown > 0)
        self.export.setEnabled(shown > 0)


class TextDialog(ListDialog[Row]):
    """A list of plain cells under headings."""

    def __init__(self, title: str, headings: Sequence[str], file_name: str, parent: QWidget | None = None) -> None:
        super().__init__(title, text_columns(headings), file_name, parent)
