"""The build as a table: one row per line, grouped by category, quantity and slots editable."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Signal, Slot

from core.build.build import Line, is_card
from core.build.edits import Edit, PlaceCards, RemovePart, SetQuantity
from core.errors import BadInput
from core.parts.summary import summary
from core.parts.vocabulary import Category
from core.predict.load import Load
from gui.planner.document import PlanDocument
from gui.planner.figures import middle, price, span
from gui.planner.part_evidence import origin_words, plain, unconfirmed_words

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole

CATEGORY, PART, QUANTITY, SLOTS, POWER, PRICE = range(6)
_ORDER = {category: number for number, category in enumerate(Category)}
_NUMERIC = (POWER, PRICE)


class LinesModel(QAbstractTableModel):
    """Reads the document; edits go through its undo stack. `refused` carries the sentence when one does not apply."""

    refused = Signal(str)

    def __init__(self, document: PlanDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._lines: list[Line] = []
        self._shown: dict[int, Callable[[Line], str]] = {
            CATEGORY: lambda line: line.part.category.label,
            PART: lambda line: line.part.title,
            QUANTITY: lambda line: str(line.quantity),
            SLOTS: slots_text,
            POWER: self._power,
            PRICE: lambda line: price(line.part.price, line.quantity),
        }
        document.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Follows the document; keeps rows, and so the selection, where the same parts stay."""
        lines = sorted(self._document.build.lines, key=lambda line: _ORDER[line.part.category])
        if [line.part.id for line in lines] == [line.part.id for line in self._lines]:
            self._lines = lines
            if lines:
                self.dataChanged.emit(self.index(0, 0), self.index(len(lines) - 1, PRICE))
            return
        self.beginResetModel()
        self._lines = lines
        self.endResetModel()

    def line(self, row: int) -> Line:
        """The line of a row."""
        return self._lines[row]

    def row_of(self, part_id: str) -> int | None:
        """The row of a part."""
        return next((row for row, line in enumerate(self._lines) if line.part.id == part_id), None)

    def edit(self, edit: Edit) -> bool:
        """Makes one change; whether it applied."""
        try:
            self._document.edit(edit)
        except BadInput as error:
            self.refused.emit(str(error))
            return False
        return True

    def remove(self, part_ids: list[str]) -> None:
        """Takes lines out."""
        for part_id in part_ids:
            self.edit(RemovePart(part_id))

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else 6

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < 6:
            return None
        if role == Role.DisplayRole:
            return (
                self.tr("Category"),
                self.tr("Part"),
                self.tr("Qty"),
                self.tr("Slots"),
                self.tr("Power W"),
                self.tr("Price"),
            )[section]
        if role == Role.ToolTipRole and section == POWER:
            return self.tr("Direct current drawn in training, all parts of the line together")
        if role == Role.TextAlignmentRole:
            return self._alignment(section)
        return None

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        line, column = self._lines[index.row()], index.column()
        match role:
            case Role.DisplayRole:
                repeated = column == CATEGORY and not self._starts_group(index.row())
                return "" if repeated else self._shown[column](line)
            case Role.EditRole:
                return line.quantity if column == QUANTITY else self._shown[column](line)
            case Role.TextAlignmentRole:
                return self._alignment(column)
            case Role.ToolTipRole:
                return self._tooltip(line, column)
            case Role.AccessibleTextRole:
                return f"{self.headerData(column, Qt.Orientation.Horizontal)}: {self._shown[column](line)}"
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.EditRole or not index.isValid():
            return False
        line = self._lines[index.row()]
        if index.column() == QUANTITY:
            return self.edit(SetQuantity(line.part.id, int(value)))
        if index.column() == SLOTS:
            slots = parse_slots(str(value))
            if slots is None:
                self.refused.emit(self.tr("Slots are numbers with commas between them, like 1, 3, 5."))
                return False
            return self.edit(PlaceCards(line.part.id, slots))
        return False

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if not index.isValid():
            return flags
        placed = index.column() == SLOTS and is_card(self._lines[index.row()].part)
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == QUANTITY or placed else flags

    def _starts_group(self, row: int) -> bool:
        return row == 0 or self._lines[row - 1].part.category is not self._lines[row].part.category

    def _power(self, line: Line) -> str:
        band = self._band(line)
        return middle(band) if band and band.high > 0 else ""

    def _tooltip(self, line: Line, column: int) -> str:
        if column == POWER and (band := self._band(line)):
            return self.tr("{band} W in training").format(band=span(band))
        if column == SLOTS and is_card(line.part) and len(line.slots) < line.quantity:
            return self.tr("{count} not placed yet. Type slot positions, like 1, 3, 5.").format(
                count=line.quantity - len(line.slots)
            )
        part = line.part
        told = (part.title, summary(part), unconfirmed_words(part), origin_words(part.origin))
        return plain("\n".join(filter(None, told)))

    def _band(self, line: Line) -> Any:
        components = self._document.assessment.prediction.components
        return next((item.dc_w[Load.TRAINING] for item in components if item.part_id == line.part.id), None)

    @staticmethod
    def _alignment(column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in _NUMERIC else Qt.AlignmentFlag.AlignLeft
        side = Qt.AlignmentFlag.AlignHCenter if column == QUANTITY else side
        return side | Qt.AlignmentFlag.AlignVCenter


def slots_text(line: Line) -> str:
    """The slots of a line as they are typed; a question mark for each card that is not placed."""
    if not is_card(line.part):
        return ""
    return ",".join([*map(str, line.slots), *["?"] * (line.quantity - len(line.slots))])


def parse_slots(text: str) -> tuple[int, ...] | None:
    """The slots of "1,3 5"; question marks are cards without a slot. None if it is something else."""
    words = [word for word in re.split(r"[\s,;]+", text.strip()) if word not in ("", "?")]
    return tuple(map(int, words)) if all(word.isascii() and word.isdecimal() for word in words) else None
