"""What a search of the catalogue found, as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt

from gui.planner.figures import price

if TYPE_CHECKING:
    from core.parts.catalogue import Hit

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
HIT_ROLE = Role.UserRole
PART_MIME = "application/x-rigwright-part"


class PartsModel(QAbstractListModel):
    """Hits in the order of the catalogue."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: list[Hit] = []

    def show_hits(self, hits: list[Hit]) -> None:
        """Replaces the list."""
        self.beginResetModel()
        self._hits = hits
        self.endResetModel()

    def hit(self, row: int) -> Hit:
        """The hit of a row."""
        return self._hits[row]

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._hits)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        hit = self._hits[index.row()]
        match role:
            case Role.DisplayRole:
                return hit.title
            case Role.ToolTipRole:
                return "\n".join(filter(None, (hit.title, hit.summary, price(hit.price))))
            case Role.AccessibleTextRole:
                return ", ".join(filter(None, (hit.title, hit.category.label, hit.summary, price(hit.price))))
            case _ if role == HIT_ROLE:
                return hit
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags

    def mimeTypes(self) -> list[str]:
        return [PART_MIME]

    def mimeData(self, indexes: Any) -> QMimeData:
        """The id of the first part, and its title for other programs."""
        data = QMimeData()
        hit = self._hits[indexes[0].row()]
        data.setData(PART_MIME, hit.id.encode())
        data.setText(hit.title)
        return data
