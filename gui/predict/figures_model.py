"""A table of predicted figures, each with its band: columns that say how a cell is made, and rows that hold no more."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.language import tr
from gui.theme import theme
from gui.units import local
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Item = TypeVar("Item")
Role = Qt.ItemDataRole
BELOW_ROLE = Role.UserRole + 20
"""The second, smaller line of a cell: the band of its figure."""
BAR_ROLE = Role.UserRole + 21
SORT_ROLE = Role.UserRole + 22
MARK_ROLE = Role.UserRole + 23
"""Name of the icon that stands before a figure in a warning colour: colour alone is not seen by all."""
MARKED = ("warn", "fail")


@dataclass(frozen=True, slots=True)
class FigureCell:
    """`tone` names a colour of the theme. `bar` is low, expected and high as shares of the column's width.

    `order` is what the cell sorts by; None for unknown figures, which stand last.
    """

    text: str
    below: str = ""
    tip: str = ""
    tone: str = ""
    bar: tuple[float, float, float] | None = None
    order: float | str | None = None


@dataclass(frozen=True, slots=True)
class FigureColumn(Generic[Item]):
    """A heading, and the cell of an item below it. Words are aligned left, figures right."""

    title: str
    cell: Callable[[Item], FigureCell]
    tip: str = ""
    words: bool = False


class FiguresModel(QAbstractTableModel):
    """Read-only; all rows are replaced at once, or only their figures where the keys stay.

    `key` says what the row of an item stands for; it keeps the choice when the figures change.
    """

    def __init__(
        self, columns: Sequence[FigureColumn[Any]], key: Callable[[Any], Hashable], parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._columns = tuple(columns)
        self._key_of = key
        self._keys: list[Hashable] = []
        self._rows: list[tuple[FigureCell, ...]] = []

    def show_items(self, items: Iterable[Any]) -> None:
        """A row for each. Figures that only differ leave choice and place of scrolling as they are."""
        shown = list(items)
        keys = [self._key_of(item) for item in shown]
        rows = [tuple(column.cell(item) for column in self._columns) for item in shown]
        if keys == self._keys:
            self._rows = rows
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(self._columns) - 1))
            return
        self.beginResetModel()
        self._keys, self._rows = keys, rows
        self.endResetModel()

    def set_columns(self, columns: Sequence[FigureColumn[Any]]) -> None:
        """Other words for as many columns."""
        self._columns = tuple(columns)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._columns) - 1)

    def key(self, index: Index) -> Hashable | None:
        """What a row stands for."""
        return self._keys[index.row()] if index.isValid() else None

    def row_of(self, key: Hashable) -> int | None:
        """The row that stands for something."""
        return self._keys.index(key) if key in self._keys else None

    def cell(self, row: int, column: int) -> FigureCell:
        """What a place holds."""
        return self._rows[row][column]

    def is_words(self, column: int) -> bool:
        """Whether a column holds words."""
        return self._columns[column].words

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical or not 0 <= section < len(self._columns):
            return None
        heading = self._columns[section]
        match role:
            case Role.DisplayRole:
                return local(heading.title)
            case Role.AccessibleTextRole:
                return local(heading.title).replace("\n", " ")
            case Role.ToolTipRole:
                return tip(heading.tip) or None
            case Role.TextAlignmentRole:
                return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self._rows[index.row()][index.column()]
        match role:
            case Role.DisplayRole:
                return local(cell.text)
            case Role.ToolTipRole:
                return tip(cell.tip) or None
            case Role.AccessibleTextRole:
                return ", ".join(filter(None, (local(cell.text), local(cell.below), self._mark_words(index))))
            case Role.AccessibleDescriptionRole:
                return local(cell.tip) or None
            case Role.TextAlignmentRole:
                return self._alignment(index.column())
            case Role.ForegroundRole:
                return theme().color(cell.tone) if cell.tone else None
        beside = {
            BELOW_ROLE: local(cell.below),
            BAR_ROLE: cell.bar,
            SORT_ROLE: cell.order,
            MARK_ROLE: self._mark(index),
        }
        return beside.get(role)

    def _mark(self, index: Index) -> str:
        """None for words, which say by themselves what their colour says."""
        tone = self._rows[index.row()][index.column()].tone
        return tone if tone in MARKED and not self.is_words(index.column()) else ""

    def _mark_words(self, index: Index) -> str:
        return {"warn": tr("warning"), "fail": tr("over the limit")}.get(self._mark(index), "")

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignLeft if self.is_words(column) else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter
