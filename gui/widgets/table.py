"""Tables whose columns are declared: what a column is called, shows of a row, sorts by, and takes from the user."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont, QIcon

from core.shown import visible
from gui.units import local
from gui.widgets.text import tip

R = TypeVar("R")
Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
Side = Qt.AlignmentFlag
SORT_ROLE = Role.UserRole + 30
"""What a cell sorts by; its text where nothing else is declared."""


@dataclass(frozen=True, slots=True)
class Entry(Generic[R]):
    """How the cells of a column are edited: `take` says whether what was typed was taken."""

    begins_with: Callable[[R], Any]
    take: Callable[[R, Any], bool]
    possible: Callable[[R], bool] = lambda _: True


@dataclass(frozen=True, slots=True)
class TableColumn(Generic[R]):
    """One column. What is not declared is the text of the cell, or nothing."""

    heading: str
    text: Callable[[R], str]
    meaning: str = ""
    """The tooltip of the heading."""
    sample: str = ""
    """A text about as wide as the widest."""
    side: Side = Side.AlignLeft
    tip: Callable[[R], str] | None = None
    spoken: Callable[[R], str] | None = None
    order: Callable[[R], Any] | None = None
    icon: Callable[[R], QIcon | None] | None = None
    font: Callable[[R], QFont | None] | None = None
    entry: Entry[R] | None = None


class TableModel(QAbstractTableModel, Generic[R]):
    """Rows that are replaced together; where `key` finds the same rows, a selection survives."""

    def __init__(
        self, columns: Sequence[TableColumn[R]], key: Callable[[R], Hashable], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self.rows: tuple[R, ...] = ()
        self._key = key

    def show_rows(self, rows: Sequence[R]) -> None:
        """Replaces the rows; where they stand for the same things, only what they show."""
        new = tuple(rows)
        if [self._key(row) for row in new] != [self._key(row) for row in self.rows]:
            self.beginResetModel()
            self.rows = new
            self.endResetModel()
        elif new:
            self.rows = new
            self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, len(self.columns) - 1))

    def row(self, index: Index) -> R | None:
        """What stands in a row."""
        return self.rows[index.row()] if index.isValid() else None

    def row_of(self, key: Hashable) -> int | None:
        """The row that stands for something."""
        return next((number for number, row in enumerate(self.rows) if self._key(row) == key), None)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < len(self.columns):
            return None
        column = self.columns[section]
        match role:
            case Role.DisplayRole:
                return column.heading
            case Role.ToolTipRole:
                return column.meaning or None
            case Role.TextAlignmentRole:
                return column.side | Side.AlignVCenter
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        column = self.columns[index.column()]
        match role:
            case Role.DisplayRole:
                return visible(local(column.text(row)))
            case Role.EditRole if column.entry:
                return column.entry.begins_with(row)
            case Role.ToolTipRole:
                return tip((column.tip or column.text)(row))
            case Role.AccessibleTextRole:
                return f"{column.heading}: {visible(local((column.spoken or column.text)(row)))}"
            case Role.TextAlignmentRole:
                return column.side | Side.AlignVCenter
            case Role.DecorationRole if column.icon:
                return column.icon(row)
            case Role.FontRole if column.font:
                return column.font(row)
            case _ if role == SORT_ROLE:
                return (column.order or column.text)(row)
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        row, entry = self.row(index), self._entry(index)
        return role == Role.EditRole and row is not None and entry is not None and entry.take(row, value)

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if self._entry(index) else flags

    def _entry(self, index: Index) -> Entry[R] | None:
        """How a cell is edited; None where it is not."""
        row = self.row(index)
        entry = None if row is None else self.columns[index.column()].entry
        return entry if row is not None and entry is not None and entry.possible(row) else None
