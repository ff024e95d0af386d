"""What a search of the catalogue found, as a list."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractListModel, QMimeData, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot

from gui.planner.figures import price

if TYPE_CHECKING:
    from core.parts.catalogue import Hit

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
HIT_ROLE = Role.UserRole
OBSTACLES_ROLE = Role.UserRole + 1
PART_MIME = "application/x-rigwright-part"


class PartsModel(QAbstractListModel):
    """Hits in the order of the catalogue."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._hits: list[Hit] = []
        self._obstacles: dict[str, tuple[str, ...]] = {}

    def show_hits(self, hits: list[Hit]) -> None:
        """Replaces the list."""
        self.beginResetModel()
        self._hits = hits
        self._obstacles = {}
        self.endResetModel()

    @Slot(str, tuple)
    def set_obstacles(self, part_id: str, sentences: tuple[str, ...]) -> None:
        """Why a part would not do in the build; empty if it would."""
        if self._obstacles.get(part_id, ()) == sentences:
            return
        self._obstacles[part_id] = sentences
        for row, hit in enumerate(self._hits):
            if hit.id == part_id:
                self.dataChanged.emit(self.index(row), self.index(row))

    def fits(self, row: int) -> bool:
        """Whether nothing is known that would fail with the part."""
        return not self._obstacles.get(self._hits[row].id)

    def ids(self) -> list[str]:
        """All part ids, in order."""
        return [hit.id for hit in self._hits]

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
                return "\n".join(filter(None, (hit.title, hit.summary, price(hit.price), *self._why_not(hit))))
            case Role.AccessibleTextRole:
                spoken = (hit.title, hit.category.label, hit.summary, price(hit.price), *self._why_not(hit))
                return ", ".join(filter(None, spoken))
            case _ if role == HIT_ROLE:
                return hit
            case _ if role == OBSTACLES_ROLE:
                return self._obstacles.get(hit.id, ())
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags

    def _why_not(self, hit: Hit) -> tuple[str, ...]:
        sentences = self._obstacles.get(hit.id, ())
        return (self.tr("Would not do in this build:"), *sentences) if sentences else ()

    def mimeTypes(self) -> list[str]:
        return [PART_MIME]

    def mimeData(self, indexes: Any) -> QMimeData:
        """The id of the first part, and its title for other programs."""
        data = QMimeData()
        hit = self._hits[indexes[0].row()]
        data.setData(PART_MIME, hit.id.encode())
        data.setText(hit.title)
        return data
