"""The rows of a structured figure (slots, connectors, cables, points) as a table of typed cells."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.errors import BadInput
from gui.parts.figure import Figure
from gui.parts.figure_text import shown, typed
from gui.theme import theme
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class RowsModel(QAbstractTableModel):
    """Cells hold what was typed, right or wrong; `plain()` says whether it is right."""

    def __init__(self, figure: Figure, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.figure = figure
        self.texts: list[list[str]] = []
        self._problems: dict[tuple[int, int], str] = {}

    def show_plain(self, rows: list[dict[str, Any]]) -> None:
        """Replaces all rows."""
        self.beginResetModel()
        self.texts = [[shown(column, row.get(column.name)) for column in self.figure.columns] for row in rows]
        self._judge()
        self.endResetModel()

    def plain(self) -> list[dict[str, Any]]:
        """The rows. Raises BadInput naming row and column of the first problem."""
        for (row, column), problem in sorted(self._problems.items()):
            name = self.figure.columns[column].label
            raise BadInput(self.tr("Row {row}, {name}: {problem}").format(row=row + 1, name=name, problem=problem))
        return [
            {column.name: typed(column, text) for column, text in zip(self.figure.columns, row, strict=True)}
            for row in self.texts
        ]

    def add_row(self, after: int) -> int:
        """A new row below another one, with what that one has except numbers that count up; its place."""
        place = min(max(after + 1, 0), len(self.texts))
        fresh = [shown(column, column.default) for column in self.figure.columns]
        row = list(self.texts[place - 1]) if place else fresh
        if place and self.figure.columns[0].name == "position" and row[0].isdecimal():
            row[0] = str(int(row[0]) + 1)
        self.beginInsertRows(QModelIndex(), place, place)
        self.texts.insert(place, row)
        self._judge()
        self.endInsertRows()
        return place

    def remove_row(self, row: int) -> None:
        """Takes a row out."""
        self.beginRemoveRows(QModelIndex(), row, row)
        del self.texts[row]
        self._judge()
        self.endRemoveRows()

    def move_row(self, row: int, by: int) -> int:
        """Moves a row up or down; its new place."""
        other = row + by
        if not 0 <= other < len(self.texts):
            return row
        root = QModelIndex()
        self.beginMoveRows(root, row, row, root, other + (by > 0))  # Qt names the row before which it will stand
        self.texts[row], self.texts[other] = self.texts[other], self.texts[row]
        self._judge()
        self.endMoveRows()
        return other

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.texts)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self.figure.columns)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if role != Role.DisplayRole:
            return None
        return section + 1 if orientation is Qt.Orientation.Vertical else self.figure.columns[section].heading

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        place = (index.row(), index.column())
        text = self.texts[place[0]][place[1]]
        match role:
            case Role.DisplayRole:
                column = self.figure.columns[place[1]]
                return text or (self.tr("unknown") if column.can_be_unknown else "")
            case Role.EditRole:
                return text
            case Role.ForegroundRole:
                return theme().color("fail" if place in self._problems else "text" if text else "muted")
            case Role.ToolTipRole:
                return tip(self._problems.get(place, "")) or None
            case Role.AccessibleDescriptionRole:
                return self._problems.get(place)
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.EditRole:
            return False
        self.texts[index.row()][index.column()] = str(value)
        self._judge()
        self.dataChanged.emit(self.index(index.row(), 0), self.index(index.row(), self.columnCount() - 1))
        return True

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsEditable if index.isValid() else flags

    def _judge(self) -> None:
        self._problems = {}
        for number, row in enumerate(self.texts):
            for place, (column, text) in enumerate(zip(self.figure.columns, row, strict=True)):
                try:
                    typed(column, text)
                except BadInput as error:
                    self._problems[number, place] = str(error)
