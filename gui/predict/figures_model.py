"""A table of predicted figures, each with its band: rows of cells that say what they are, and no more."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.theme import theme
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
BELOW_ROLE = Role.UserRole + 20
"""The second, smaller line of a cell: the band of its figure."""
BAR_ROLE = Role.UserRole + 21
SORT_ROLE = Role.UserRole + 22


@dataclass(frozen=True, slots=True)
class Cell:
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
class Heading:
    """A column. Words stand at the left, figures at the right."""

    text: str
    tip: str = ""
    words: bool = False


@dataclass(frozen=True, slots=True)
class FigureRow:
    """`key` says what the row stands for; it keeps the choice when the figures change."""

    key: Hashable
    cells: tuple[Cell, ...]


class FiguresModel(QAbstractTableModel):
    """Read-only; all rows are replaced at once, or only their figures where the keys stay."""

    def __init__(self, headings: Sequence[Heading], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._headings = tuple(headings)
        self._rows: tuple[FigureRow, ...] = ()

    def show_rows(self, rows: Sequence[FigureRow]) -> None:
        """Figures that only differ leave choice and place of scrolling as they are."""
        new = tuple(rows)
        if [row.key for row in new] == [row.key for row in self._rows]:
            self._rows = new
            if new:
                self.dataChanged.emit(self.index(0, 0), self.index(len(new) - 1, len(self._headings) - 1))
            return
        self.beginResetModel()
        self._rows = new
        self.endResetModel()

    def set_headings(self, headings: Sequence[Heading]) -> None:
        """Other words for as many columns."""
        self._headings = tuple(headings)
        self.headerDataChanged.emit(Qt.Orientation.Horizontal, 0, len(self._headings) - 1)

    def key(self, index: Index) -> Hashable | None:
        """What a row stands for."""
        return self._rows[index.row()].key if index.isValid() else None

    def row_of(self, key: Hashable) -> int | None:
        """The row that stands for something."""
        return next((number for number, row in enumerate(self._rows) if row.key == key), None)

    def cell(self, row: int, column: int) -> Cell:
        """What stands in a place."""
        return self._rows[row].cells[column]

    def is_words(self, column: int) -> bool:
        """Whether a column holds words."""
        return self._headings[column].words

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._headings)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is Qt.Orientation.Vertical or not 0 <= section < len(self._headings):
            return None
        heading = self._headings[section]
        match role:
            case Role.DisplayRole:
                return heading.text
            case Role.AccessibleTextRole:
                return heading.text.replace("\n", " ")
            case Role.ToolTipRole:
                return tip(heading.tip) or None
            case Role.TextAlignmentRole:
                return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        cell = self._rows[index.row()].cells[index.column()]
        match role:
            case Role.DisplayRole:
                return cell.text
            case Role.ToolTipRole:
                return tip(cell.tip) or None
            case Role.AccessibleTextRole:
                return ", ".join(filter(None, (cell.text, cell.below)))
            case Role.AccessibleDescriptionRole:
                return cell.tip or None
            case Role.TextAlignmentRole:
                return self._alignment(index.column())
            case Role.ForegroundRole:
                return theme().color(cell.tone) if cell.tone else None
        return {BELOW_ROLE: cell.below, BAR_ROLE: cell.bar, SORT_ROLE: cell.order}.get(role)

    def _alignment(self, column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignLeft if self.is_words(column) else Qt.AlignmentFlag.AlignRight
        return side | Qt.AlignmentFlag.AlignVCenter
