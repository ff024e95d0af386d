"""What became of the rows of an import, per category and in all."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from core.parts.opendb.load import Imported

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class ImportReport(QAbstractTableModel):
    """The last row is the sum."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[tuple[str, int, int, int, int, int]] = []

    def show_rows(self, report: list[Imported]) -> None:
        """Replaces the table."""
        self.beginResetModel()
        self._rows = [(row.category.label, row.rows, row.parts, row.merged, row.refused, row.doubted) for row in report]
        counts = [tuple(row[1:]) for row in self._rows]
        if counts:
            rows, taken, merged, refused, doubted = (sum(column) for column in zip(*counts, strict=True))
            self._rows.append((self.tr("All"), rows, taken, merged, refused, doubted))
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else 6

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Role.TextAlignmentRole:
            return _aligned(section)
        if role == Role.ToolTipRole:
            return self._meanings()[section]
        if role != Role.DisplayRole:
            return None
        return (
            self.tr("Category"),
            self.tr("Rows"),
            self.tr("Taken"),
            self.tr("Merged"),
            self.tr("Refused"),
            self.tr("Figures left out"),
        )[section]

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        value = self._rows[index.row()][index.column()]
        match role:
            case Role.DisplayRole:
                return f"{value:,}" if isinstance(value, int) else value
            case Role.TextAlignmentRole:
                return _aligned(index.column())
            case Role.FontRole if index.row() == len(self._rows) - 1:
                bold = QFont()
                bold.setBold(True)
                return bold
        return None

    def _meanings(self) -> tuple[str, ...]:
        return (
            "",
            self.tr("Rows of the data set"),
            self.tr("Parts that are in the catalogue now"),
            self.tr("Rows that describe the product of another row"),
            self.tr("Rows that are no part one could use"),
            self.tr("Figures that cannot be right, of rows that were taken"),
        )


def _aligned(column: int) -> Qt.AlignmentFlag:
    return Qt.AlignmentFlag.AlignVCenter | (Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft)
