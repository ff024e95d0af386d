"""How the placed GPUs reach each other, as the table that nvidia-smi topo -m prints."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from core.assessment import Assessment
from core.language import tr
from core.parts.vocabulary import Category
from core.placement.links import CardLink
from core.placement.risers import CardKey, key_of
from core.placement.topology import Pair, Path, matrix
from gui.figures import number
from gui.planner.board.links import link_text
from gui.theme import theme
from gui.widgets.text import tip
from gui.widgets.views import mixed, small_table

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole


class PathsModel(QAbstractTableModel):
    """Rows and columns are the GPUs from the top of the board, called by their slots."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._cards: list[CardLink] = []
        self._words: list[list[str]] = []
        self._pairs: dict[frozenset[CardKey], Pair] = {}

    def show_paths(self, assessment: Assessment) -> None:
        """Follows another state of the build."""
        cards = [link for link in assessment.links.values() if link.card.part.category is Category.GPU]
        words = matrix(cards, assessment.pairs)
        self.beginResetModel()
        self._cards, self._words = cards, words
        self._pairs = {
            frozenset((key_of(pair.first.card), key_of(pair.second.card))): pair for pair in assessment.pairs
        }
        self.endResetModel()

    def known(self) -> bool:
        """Whether the way between any two cards is known."""
        return any(word not in ("X", "?") for row in self._words for word in row)

    def sentence(self, index: Index) -> str:
        """What lies between two cards, and how fast it is."""
        if not index.isValid():
            return ""
        one, other = self._cards[index.row()], self._cards[index.column()]
        if index.row() == index.column():
            return tr(
                "Slot {slot}: {title}, {link}", slot=one.slot.position, title=one.card.part.title, link=link_text(one)
            )
        pair = self._pairs.get(frozenset((key_of(one.card), key_of(other.card))))
        if pair is None:
            return ""
        way = self._way(pair)
        where = tr("Slots {one} and {other}: {way}", one=one.slot.position, other=other.slot.position, way=way)
        return tr("{where}, at most {speed} GB/s each way", where=where, speed=number(pair.gbps))

    def legend(self) -> str:
        """The words of the table that occur in it."""
        found = {word for row in self._words for word in row}
        lines = [f"{path.value}: {path.label}" for path in Path if path.value in found]
        lines += [tr("NV: NVLink")] if "NV" in found else []
        return "\n".join([*lines, *([tr("?: unknown, the board's data does not say")] if "?" in found else [])])

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._cards)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._cards)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if not 0 <= section < len(self._cards):
            return None
        link = self._cards[section]
        if role == Role.DisplayRole:
            slot = link.slot.position
            return str(slot) if orientation is Qt.Orientation.Horizontal else tr("slot {slot}", slot=slot)
        if role in (Role.ToolTipRole, Role.AccessibleTextRole):
            return tip(tr("Slot {slot}: {title}", slot=link.slot.position, title=link.card.part.title))
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        word = self._words[index.row()][index.column()]
        match role:
            case Role.DisplayRole:
                return "·" if word == "X" else word
            case Role.TextAlignmentRole:
                return Qt.AlignmentFlag.AlignCenter
            case Role.ToolTipRole | Role.AccessibleTextRole:
                return tip(self.sentence(index))
            case Role.BackgroundRole if word == "NV":
                return mixed(theme().color("surface"), theme().color("pass"), 0.24)
            case Role.ForegroundRole if word in ("X", "?"):
                return theme().color("muted")
        return None

    def _way(self, pair: Pair) -> str:
        if pair.nvlink is not None:
            return tr("NVLink over {bridge}", bridge=pair.nvlink.bridge.title)
        if pair.path is None:
            return tr("unknown, the board's data does not say")
        return f"{pair.path.value}, {pair.path.label}"


class PathsView(QTableView):
    """Cells of one width, as wide as there is room, never narrower than their words."""

    def __init__(self, model: PathsModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setAccessibleName(tr("Paths between the GPUs"))
        self.setAccessibleDescription(tr("The classes of nvidia-smi topo -m"))
        small_table(self)
        across, down = self.horizontalHeader(), self.verticalHeader()
        across.setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        for header in (across, down):
            header.setHighlightSections(True)
            header.setSectionsClickable(False)
        model.modelReset.connect(self._fit)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    @Slot()
    def _fit(self) -> None:
        wide = self.fontMetrics().horizontalAdvance
        model = self.model()
        words = {model.index(0, column).data() for column in range(model.columnCount())} | {"PHB"}
        self.horizontalHeader().setMinimumSectionSize(max(wide(word) for word in words) + 8)

    def whole_height(self) -> int:
        """What shows all rows."""
        bar = self.horizontalScrollBar()
        below = bar.sizeHint().height() if bar.isVisible() else 0
        return self.horizontalHeader().sizeHint().height() + self.verticalHeader().length() + below + 4
