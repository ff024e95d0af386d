"""How many parts have each deciding figure, as a table for Qt."""

from __future__ import annotations

from enum import IntEnum
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.parts.coverage import FieldCoverage
from core.parts.figures import field_words

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
SHARES_ROLE = Role.UserRole


class Column(IntEnum):
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
        return 0 if parent.isValid() else len(Column)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role != Role.DisplayRole or orientation is not Qt.Orientation.Horizontal:
            return None
        return (
            self.tr("Category"),
            self.tr("Figure"),
            self.tr("Parts"),
            self.tr("Confirmed, known"),
            self.tr("Unknown"),
        )[section]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        match role:
            case Role.DisplayRole:
                return self._text(row, index.column())
            case Role.TextAlignmentRole if index.column() in (Column.PARTS, Column.LACKING):
                return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            case _ if role == SHARES_ROLE and index.column() == Column.SHARE:
                return row.confirmed_share, row.known_share
        return None

    def _text(self, row: FieldCoverage, column: int) -> str:
        match column:
            case Column.CATEGORY:
                return row.category.label
            case Column.FIGURE:
                return field_words(row.field)
            case Column.PARTS:
                return f"{row.parts:,}"
            case Column.LACKING:
                return f"{row.parts - row.known:,}"
        return self.tr("{confirmed} confirmed, {known} known").format(
            confirmed=f"{row.confirmed_share:.0%}", known=f"{row.known_share:.0%}"
        )

    def _refresh(self) -> None:
        self.beginResetModel()
        self.rows = list(self._came)
        if self._order is not None:
            column, descending = self._order
            self.rows.sort(key=lambda row: _key(row, column), reverse=descending)
        self.endResetModel()


def _key(row: FieldCoverage, column: int) -> tuple[float, str]:
    match column:
        case Column.CATEGORY:
            return (0, row.category.label)
        case Column.FIGURE:
            return (0, field_words(row.field))
        case Column.PARTS:
            return (row.parts, "")
        case Column.LACKING:
            return (row.parts - row.known, "")
    return (row.known_share, f"{row.confirmed_share:.6f}")
