"""The build as a table: one row per line, grouped by category, quantity and slots editable."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt, Slot
from PySide6.QtGui import QFont

from core.build.build import Line, is_card
from core.build.card_edits import PutOnRisers, SetPowerLimit
from core.build.edits import Edit, PlaceCards, SetQuantity, Several
from core.parts.specs import GpuSpec
from core.parts.summary import summary
from core.parts.vocabulary import Category
from core.predict.conditions import Load
from gui.planner.document import PlanDocument
from gui.planner.figures import middle, number, price, span
from gui.planner.parts.evidence import origin_words, unconfirmed_words
from gui.widgets.text import tip

Index = QModelIndex | QPersistentModelIndex
Role = Qt.ItemDataRole
CATEGORY, PART, QUANTITY, SLOTS, LIMIT, POWER, PRICE = range(7)
_ORDER = {category: place for place, category in enumerate(Category)}
_NUMERIC = (LIMIT, POWER, PRICE)
ON_RISER = "r"


class LinesModel(QAbstractTableModel):
    """Reads the document, which also takes what is typed into a cell."""

    def __init__(self, document: PlanDocument, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._document = document
        self._lines: list[Line] = []
        self._shown: dict[int, Callable[[Line], str]] = {
            CATEGORY: lambda line: line.part.category.label,
            PART: lambda line: line.part.title,
            QUANTITY: lambda line: str(line.quantity),
            SLOTS: slots_text,
            LIMIT: limit_text,
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

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else len(self._lines)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008 - Qt's signature
        return 0 if parent.isValid() else 7

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Role.DisplayRole) -> Any:
        if orientation is not Qt.Orientation.Horizontal or not 0 <= section < 7:
            return None
        if role == Role.DisplayRole:
            return (
                self.tr("Category"),
                self.tr("Part"),
                self.tr("Qty"),
                self.tr("Slots"),
                self.tr("Limit W"),
                self.tr("Power W"),
                self.tr("Price"),
            )[section]
        if role == Role.ToolTipRole and section == POWER:
            return self.tr("DC power in training, all parts of the line together")
        if role == Role.ToolTipRole and section == LIMIT:
            return self.tr("What one card may draw; bold where a limit of its own is set for this build")
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
                return self._typed(line, column)
            case Role.TextAlignmentRole:
                return self._alignment(column)
            case Role.FontRole:
                return self._font(line, column)
            case Role.ToolTipRole:
                return tip(self._tooltip(line, column))
            case Role.AccessibleTextRole:
                told = self._limit_words(line) if column == LIMIT else self._shown[column](line)
                return f"{self.headerData(column, Qt.Orientation.Horizontal)}: {told}"
        return None

    def setData(self, index: Index, value: Any, role: int = Role.EditRole) -> bool:
        if role != Role.EditRole or not index.isValid():
            return False
        line = self._lines[index.row()]
        if index.column() == QUANTITY:
            return self._document.try_edit(SetQuantity(line.part.id, int(value)))
        if index.column() == SLOTS:
            seats = parse_seats(str(value))
            if seats is None:
                self._document.refused.emit(
                    self.tr("Slots are numbers with commas between them, like 1, 3, 5r; r puts a card on a riser.")
                )
                return False
            return self._document.try_edit(seat(line, seats))
        if index.column() == LIMIT:
            return self._document.try_edit(SetPowerLimit(line.part.id, float(value) or None))
        return False

    def flags(self, index: Index) -> Qt.ItemFlag:
        flags = super().flags(index)
        if not index.isValid():
            return flags
        part, column = self._lines[index.row()].part, index.column()
        placed = column == SLOTS and is_card(part)
        limited = column == LIMIT and part.category is Category.GPU
        return flags | Qt.ItemFlag.ItemIsEditable if column == QUANTITY or placed or limited else flags

    def _starts_group(self, row: int) -> bool:
        return row == 0 or self._lines[row - 1].part.category is not self._lines[row].part.category

    @staticmethod
    def _typed(line: Line, column: int) -> Any:
        """What an editor begins with."""
        if column == QUANTITY:
            return line.quantity
        if column == LIMIT:
            return line.power_limit_w or 0.0
        return slots_text(line)

    @staticmethod
    def _font(line: Line, column: int) -> QFont | None:
        if column != LIMIT or line.power_limit_w is None:
            return None
        bold = QFont()
        bold.setWeight(QFont.Weight.DemiBold)
        return bold

    def _power(self, line: Line) -> str:
        band = self._band(line)
        return middle(band) if band and band.high > 0 else ""

    def _tooltip(self, line: Line, column: int) -> str:
        if column == POWER and (band := self._band(line)):
            return self.tr("{band} W in training").format(band=span(band))
        if column == SLOTS and is_card(line.part) and len(line.slots) < line.quantity:
            return self.tr("{count} not placed yet. Type slot positions, like 1, 3, 5r; r is a riser.").format(
                count=line.quantity - len(line.slots)
            )
        if column == LIMIT and line.part.category is Category.GPU:
            return self._limit_words(line)
        part = line.part
        told = (part.title, summary(part), unconfirmed_words(part), origin_words(part.origin))
        return "\n".join(filter(None, told))

    def _limit_words(self, line: Line) -> str:
        if line.part.category is not Category.GPU:
            return ""
        own = line.part.spec.power_limit_w if isinstance(line.part.spec, GpuSpec) else None
        if line.power_limit_w is None:
            return self.tr("{watts} W per card, the card's own limit").format(watts=number(own))
        return self.tr("{watts} W per card, set for this build; the card's own limit is {own} W").format(
            watts=number(line.power_limit_w), own=number(own)
        )

    def _band(self, line: Line) -> Any:
        components = self._document.assessment.prediction.components
        return next((item.dc_w[Load.TRAINING] for item in components if item.part_id == line.part.id), None)

    @staticmethod
    def _alignment(column: int) -> Qt.AlignmentFlag:
        side = Qt.AlignmentFlag.AlignRight if column in _NUMERIC else Qt.AlignmentFlag.AlignLeft
        side = Qt.AlignmentFlag.AlignHCenter if column == QUANTITY else side
        return side | Qt.AlignmentFlag.AlignVCenter


def limit_text(line: Line) -> str:
    """What one card of a GPU line may draw, W; empty for anything else."""
    return number(line.limit_w) if line.part.category is Category.GPU else ""


@dataclass(frozen=True, slots=True)
class Seats:
    """Slots in the order of the cards, and those of them whose card is on a riser."""

    slots: tuple[int, ...]
    risers: tuple[int, ...]


def slots_text(line: Line) -> str:
    """The slots of a line as they are typed; a question mark for each card that is not placed."""
    if not is_card(line.part):
        return ""
    placed = [f"{slot}{ON_RISER}" if slot in line.risers else str(slot) for slot in line.slots]
    return ",".join([*placed, *["?"] * (line.quantity - len(line.slots))])


def parse_seats(text: str) -> Seats | None:
    """The slots of "1,3 5r"; question marks are cards without a slot. None if it is something else."""
    words = [word for word in re.split(r"[\s,;]+", text.strip().lower()) if word not in ("", "?")]
    numbers = [word.removesuffix(ON_RISER) for word in words]
    if not all(word.isascii() and word.isdecimal() for word in numbers):
        return None
    slots = tuple(map(int, numbers))
    return Seats(slots, tuple(slot for slot, word in zip(slots, words, strict=True) if word.endswith(ON_RISER)))


def seat(line: Line, seats: Seats) -> Edit:
    """The change that seats the cards of a line so, as one step of undo."""
    place = PlaceCards(line.part.id, seats.slots)
    kept = {
        slot
        for number, slot in enumerate(seats.slots)
        if number < len(line.slots) and line.slots[number] in line.risers
    }
    if kept == set(seats.risers):
        return place
    risers = PutOnRisers(line.part.id, seats.risers)
    moved = seats.slots != line.slots
    return Several(place.called(line.part.title), (place, risers)) if moved else risers
