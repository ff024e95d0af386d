"""Rows of text and numbers that can be searched and sorted within a frame, however many there are."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.widgets.text import escaped

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Row = tuple[str | int, ...]
_FORMULA = ("=", "+", "-", "@", "\t")


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
        text = io.StringIO()
        writer = csv.writer(text, delimiter=delimiter, lineterminator="\n")
        writer.writerow(self.headings)
        writer.writerows([_harmless(cell) for cell in self.shown[row]] for row in rows)
        return text.getvalue()

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


def _harmless(cell: str | int) -> str:
    """A cell that a spreadsheet does not take for a formula."""
    text = str(cell)
    return f"'{text}" if text.startswith(_FORMULA) else text
