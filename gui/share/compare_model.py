"""The rows of a comparison: a figure or a kind of part each, with a column for each build."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from core.language import tr
from core.report.formatting import band_text
from core.share.comparison import ComparedParts, Comparison, line_words
from core.shown import visible
from gui.theme import theme
from gui.units import local
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
DIFFERS = "≠"


@dataclass(frozen=True, slots=True)
class _Row:
    """What stands in a row, in words; `parts` where lines can be taken over."""

    label: str
    cells: tuple[str, ...]
    differs: bool
    best: tuple[int, ...] = ()
    parts: ComparedParts | None = None


class CompareModel(QAbstractTableModel):
    """Column 0 names the row and says whether it differs, the others are the builds."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: tuple[str, ...] = ()
        self._rows: tuple[_Row, ...] = ()

    def show_comparison(self, found: Comparison, *, only_differences: bool) -> None:
        """Replaces everything."""
        self.beginResetModel()
        self._names = found.names
        self._rows = tuple(row for row in _rows(found) if row.differs or not only_differences)
        self.endResetModel()

    def parts_row(self, index: Index) -> ComparedParts | None:
        """The lines of a row; None where it shows a figure."""
        return self._rows[index.row()].parts if index.isValid() else None

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._names) + 1

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or role != Role.DisplayRole or not section:
            return None
        return visible(self._names[section - 1])

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = self._rows[index.row()], index.column()
        text = self._head(row) if not column else row.cells[column - 1]
        match role:
            case Role.DisplayRole:
                return visible(local(text))
            case Role.ToolTipRole:
                return tip(text)
            case Role.AccessibleTextRole:
                return visible(self._spoken(row, column))
            case Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
            case Role.FontRole if column and column - 1 in row.best:
                bold = QFont()
                bold.setBold(True)
                return bold
            case Role.ForegroundRole if not row.differs:
                return theme().color("muted")
        return None

    def _head(self, row: _Row) -> str:
        return f"{row.label} {DIFFERS}" if row.differs else row.label

    def _spoken(self, row: _Row, column: int) -> str:
        if not column:
            return f"{row.label}, {tr('differs') if row.differs else tr('alike')}"
        best = f", {tr('best')}" if column - 1 in row.best else ""
        return f"{self._names[column - 1]}, {row.label}: {row.cells[column - 1]}{best}"


def _rows(found: Comparison) -> Iterator[_Row]:
    for figure in found.figures:
        cells = tuple("–" if value is None else band_text(value) for value in figure.values)
        yield _Row(figure.label, cells, figure.differs, figure.best)
    prices = tuple(price.dated_words for price in found.prices)
    yield _Row(tr("Price"), prices, len(set(prices)) > 1)
    if any(found.budgets):
        budgets = tuple(words or "–" for words in found.budgets)
        yield _Row(tr("Budget"), budgets, len(set(budgets)) > 1)
    for parts in found.parts:
        cells = tuple("–" if line is None else line_words(line) for line in parts.lines)
        yield _Row(parts.category.label, cells, parts.differs, parts=parts)
