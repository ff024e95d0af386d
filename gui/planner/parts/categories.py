"""The categories of the catalogue with how many parts each has; the first row means all."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.parts.vocabulary import Category

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
COUNT_ROLE = Role.UserRole


class CategoriesModel(QAbstractListModel):
    """Row 0 is "All", then the categories in their order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._counts: dict[Category | None, int] = {}
        self._rows: tuple[Category | None, ...] = (None, *Category)

    def show_counts(self, counts: dict[Category, int]) -> None:
        """Takes the catalogue's counts."""
        self._counts = {None: sum(counts.values()), **dict[Category | None, int](counts.items())}
        self.dataChanged.emit(self.index(0), self.index(len(self._rows) - 1))

    def category(self, row: int) -> Category | None:
        """The category of a row, None for all."""
        return self._rows[row]

    def row_of(self, category: Category | None) -> int:
        """Where a category stands."""
        return self._rows.index(category)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._rows)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        category = self._rows[index.row()]
        label = self.tr("All parts") if category is None else category.label
        count = self._counts.get(category)
        match role:
            case Role.DisplayRole:
                return label
            case Role.AccessibleTextRole:
                return label if count is None else f"{label}, {count}"
            case _ if role == COUNT_ROLE:
                return count
        return None
