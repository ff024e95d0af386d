"""The categories of the catalogue with how many parts each has; the first row means all."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from core.parts.vocabulary import Category

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class CategoriesModel(QAbstractListModel):
    """Row 0 is "All", then the categories in their order."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._counts: dict[Category, int] = {}
        self._rows: tuple[Category | None, ...] = (None, *Category)

    def show_counts(self, counts: dict[Category, int]) -> None:
        """Takes the catalogue's counts."""
        self._counts = counts
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
        if not index.isValid() or role not in (Role.DisplayRole, Role.AccessibleTextRole):
            return None
        category = self._rows[index.row()]
        label = self.tr("All parts") if category is None else category.label
        count = sum(self._counts.values()) if category is None else self._counts.get(category)
        return label if count is None else f"{label}  {count}"
