"""Which PSU feeds each card, riser and the board: what is set, and what was chosen where nothing is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QMimeData, QObject, Qt, QTimer, Signal
from PySide6.QtWidgets import QAbstractItemView, QComboBox, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPsu
from core.plan.wiring.wiring import PowerSocket, Wiring
from core.words import tr
from gui.planner.parts.model import dragged_text
from gui.widgets.table import Entry, Index, TableColumn, TableModel, TableView
from gui.widgets.views import small_table

WHAT, PSU = range(2)
POWERED_MIME = "application/x-rigwright-fed"
"""What is dragged onto a PSU: part id and number, a line each."""


@dataclass(frozen=True, slots=True)
class PoweredPart:
    """A card, a riser or the board."""

    part_id: str
    number: int
    title: str
    where: str
    place: int | None
    """The PSU that is set; None: chosen automatically."""
    actual: int | None
    """The PSU that feeds it; None: none does."""


class PsusModel(TableModel[PoweredPart]):
    """A row for each thing with power sockets, the board first, then from the top of the board."""

    chosen = Signal(object)
    """The edit that the user asks for."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__((), lambda row: (row.part_id, row.number), parent)
        self.psus: list[str] = []
        """The titles of the PSUs, by their numbers from 1."""
        self.columns = (
            TableColumn(tr("Card, riser, board"), lambda row: row.where, tip=self._words),
            TableColumn(
                tr("Powered by"), self._psu, tip=self._words, entry=Entry(lambda row: row.place or 0, self._take)
            ),
        )

    def show_wiring(self, build: Build, wiring: Wiring) -> None:
        """Follows another state of the build."""
        several = len(wiring.psus) > 1 and not wiring.by_chassis
        lines = [build.line(psu.part_id) for psu in wiring.psus]
        self.psus = [line.part.title if line else "" for line in lines]
        self.show_rows(self._powered_parts(build, wiring) if several or any(line.psus for line in build.lines) else [])

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        return flags | Qt.ItemFlag.ItemIsDragEnabled if index.isValid() else flags

    def mimeTypes(self) -> list[str]:
        return [POWERED_MIME]

    def mimeData(self, indexes: Any) -> QMimeData:
        return powered_mime([(row.part_id, row.number) for index in indexes if (row := self.row(index)) is not None])

    def _take(self, row: PoweredPart, value: Any) -> bool:
        self.chosen.emit(SetPsu(row.part_id, int(value) or None, (row.number,)))
        return True

    def _words(self, row: PoweredPart) -> str:
        return tr("{where}, {title}: {psu}", where=row.where, title=row.title, psu=self._psu(row))

    def _psu(self, row: PoweredPart) -> str:
        if row.place is not None:
            fed = "" if row.actual == row.place else tr(", unpowered")
            return tr("PSU {place}", place=row.place) + fed
        if row.actual is None:
            return tr("automatic: unpowered")
        return tr("automatic: PSU {place}", place=row.actual)

    def _powered_parts(self, build: Build, wiring: Wiring) -> list[PoweredPart]:
        actual: dict[tuple[str, int], int | None] = {}
        first: dict[tuple[str, int], PowerSocket] = {}
        for socket, place in (*((f.socket, f.psu) for f in wiring.feeds), *((s, None) for s in wiring.unfed)):
            key = (socket.part_id, socket.number)
            first.setdefault(key, socket)
            actual.setdefault(key, place)
        ordered = sorted(first.values(), key=_from_the_top)
        return [self._fed(build, socket, actual[socket.part_id, socket.number]) for socket in ordered]

    def _fed(self, build: Build, socket: PowerSocket, actual: int | None) -> PoweredPart:
        line = build.line(socket.part_id)
        place = line.psu(socket.number) if line else None
        title = line.part.title if line else socket.part_id
        return PoweredPart(socket.part_id, socket.number, title, self._where(socket, title), place, actual)

    def _where(self, socket: PowerSocket, title: str) -> str:
        if socket.category is Category.MOTHERBOARD:
            return tr("board")
        if socket.slot is None:
            return tr("{title} number {number}", title=title, number=socket.number)
        if socket.category is Category.RISER:
            return tr("riser in slot {slot}", slot=socket.slot)
        return tr("slot {slot}: {title}", slot=socket.slot, title=title)


def _from_the_top(socket: PowerSocket) -> tuple[bool, int, bool, str, int]:
    riser = socket.category is Category.RISER
    return socket.category is not Category.MOTHERBOARD, socket.slot or 99, riser, socket.part_id, socket.number


def powered_mime(keys: list[tuple[str, int]]) -> QMimeData:
    """What is dragged: the first of these."""
    data = QMimeData()
    if keys:
        data.setData(POWERED_MIME, f"{keys[0][0]}\n{keys[0][1]}".encode())
    return data


def powered_in(data: QMimeData) -> tuple[str, int] | None:
    """Part id and number of what is dragged; None if it is nothing of the kind."""
    part_id, _, number = (dragged_text(data, POWERED_MIME) or "").partition("\n")
    return (part_id, int(number)) if re.fullmatch(r"[1-9][0-9]?", number) else None


class PsusView(TableView[PoweredPart]):
    """Rows are dragged onto a PSU of the tree of cables, or their choice is opened with a click or F2."""

    def __init__(self, model: PsusModel, parent: QWidget | None = None) -> None:
        super().__init__(model, tr("Which PSU powers what"), parent)
        self.setToolTip(tr("Choose a PSU, or drag a row onto one below"))
        small_table(self)
        self.setDragEnabled(True)
        self.setDragDropMode(QAbstractItemView.DragDropMode.DragOnly)
        triggers = QAbstractItemView.EditTrigger
        self.setEditTriggers(triggers.DoubleClicked | triggers.SelectedClicked | triggers.EditKeyPressed)
        self.setItemDelegateForColumn(PSU, PsuDelegate(self))
        self.fit_to_contents(stretched=WHAT)


class PsuDelegate(QStyledItemDelegate):
    """A box of all PSUs, "automatic" first."""

    def createEditor(self, parent: QWidget, _option: QStyleOptionViewItem, index: Index) -> QWidget:
        box = QComboBox(parent)
        box.setAccessibleName(Category.PSU.label)
        box.addItem(tr("automatic"), 0)
        model = index.model()
        assert isinstance(model, PsusModel)
        for place, title in enumerate(model.psus, 1):
            box.addItem(tr("PSU {place}", place=place), place)
            box.setItemData(place, title, Qt.ItemDataRole.ToolTipRole)
        box.activated.connect(self._take)
        QTimer.singleShot(0, box, box.showPopup)
        return box

    def setEditorData(self, editor: QWidget, index: Index) -> None:
        assert isinstance(editor, QComboBox)
        editor.setCurrentIndex(max(editor.findData(index.data(Qt.ItemDataRole.EditRole)), 0))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        assert isinstance(editor, QComboBox)
        if editor.currentData() != index.data(Qt.ItemDataRole.EditRole):
            model.setData(index, editor.currentData())

    def _take(self) -> None:
        """A choice counts at once, without Enter."""
        box = self.sender()
        if isinstance(box, QComboBox):
            self.commitData.emit(box)
            self.closeEditor.emit(box)
