"""The build as a table: one row per line, grouped by category, quantity, slots and power limit editable."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QObject, Qt, Slot
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QWidget

from core.parts.figures import summary
from core.parts.part import Condition
from core.parts.price_estimate import Estimate
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category
from core.plan.card_edits import PlugCarriers, PutOnRisers, SetPowerLimit
from core.plan.edits import Edit, PlaceCards, SetQuantity, Several
from core.plan.hosts import hosts_text, parse_hosts
from core.plan.line import Line, is_card, is_module
from core.plan.line import Role as CardRole
from core.plan.line_words import condition_words, role_words
from core.plan.missing import seatless_words
from core.plan.seats import SlotNumber, is_slot_number
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.words import joined, tr
from gui.planner.document import PlanDocument
from gui.planner.lines.prices import enter_price, price_entry, price_text, price_words
from gui.planner.parts.evidence import origin_words, unconfirmed_words
from gui.widgets.figures import middle, number, span
from gui.widgets.form import line_edit, spin_box
from gui.widgets.table import Entry, Index, Role, TableColumn, TableModel
from gui.widgets.text import bold

CATEGORY, PART, QUANTITY, SLOTS, LIMIT, POWER, PRICE = range(7)
_ORDER = {category: place for place, category in enumerate(Category)}
ON_RISER = "r"
TYPED_MOST = 99_999
"""What a field takes: a number that a build refuses is refused in a sentence, not cut to its first figures."""


class LinesModel(TableModel[Line]):
    """Reads the document, which also takes what is typed into a cell."""

    def __init__(self, document: PlanDocument, parent: QObject | None = None) -> None:
        self._document = document
        super().__init__((), lambda line: line.part.id, parent)
        self.columns = self._declared()
        document.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Follows the document; keeps rows, and so the selection, where the same parts stay."""
        self.show_rows(sorted(self._document.build.lines, key=lambda line: _ORDER[line.part.category]))

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        """Says a category once, in the first of its rows."""
        if role == Role.DisplayRole and index.isValid() and index.column() == CATEGORY and index.row():
            before, line = self.rows[index.row() - 1], self.rows[index.row()]
            if before.part.category is line.part.category:
                return ""
        return super().data(index, role)

    def _declared(self) -> tuple[TableColumn[Line], ...]:
        document = self._document
        right, middle_of = Qt.AlignmentFlag.AlignRight, Qt.AlignmentFlag.AlignHCenter
        return (
            TableColumn(tr("Category"), lambda line: line.part.category.label, sample=tr("Category"), tip=_part_words),
            TableColumn(tr("Part"), self._title, tip=self._title_words),
            TableColumn(
                tr("Qty"),
                lambda line: str(line.quantity),
                sample=tr("Qty"),
                side=middle_of,
                tip=_part_words,
                entry=Entry(lambda line: line.quantity, self._take_quantity, editor=_quantity_field),
            ),
            TableColumn(
                tr("Slots"),
                slots_text,
                sample=tr("Slots"),
                tip=self._slots_words,
                entry=Entry(slots_text, self._take_slots, lambda line: is_card(line.part) or is_module(line.part)),
            ),
            TableColumn(
                tr("Limit W"),
                limit_text,
                tr("Power limit of one card; bold where it was set for this build"),
                sample=tr("Limit W"),
                side=right,
                tip=lambda line: self._limit_words(line) or _part_words(line),
                spoken=self._limit_words,
                font=lambda line: bold() if line.power_limit_w is not None else None,
                entry=Entry(
                    lambda line: line.power_limit_w or 0.0,
                    self._take_limit,
                    lambda line: line.part.category is Category.GPU,
                    _limit_field,
                ),
            ),
            TableColumn(
                tr("Power W"),
                self._power,
                tr("DC power in training, total for the line"),
                sample=tr("Power W"),
                side=right,
                tip=self._power_words,
            ),
            TableColumn(
                tr("Price"),
                lambda line: price_text(document.build, line, document.assessment.guide),
                tr("Total for the line; type the price of one"),
                sample="0 000 USD",
                side=right,
                tip=lambda line: price_words(document.build, line, document.assessment.guide),
                font=self._price_font,
                entry=Entry(
                    lambda line: price_entry(line, document.assessment.guide), self._take_price, editor=_price_field
                ),
            ),
        )

    def _title(self, line: Line) -> str:
        """A GPU that does no work says what it is for, and what is not bought new whether it is used or owned."""
        build = self._document.build
        role = role_words(build, line) if build.role(line.part.id) is not CardRole.WORKER else ""
        condition = self._condition(line)
        return joined((line.part.title, role, condition.label if condition is not Condition.NEW else ""), ", ")

    def _title_words(self, line: Line) -> str:
        build = self._document.build
        role = role_words(build, line)
        condition = condition_words(build, line, self._document.assessment.guide)
        words = (
            _part_words(line),
            role and tr("Role: {role}", role=role),
            condition and tr("Condition: {condition}", condition=condition),
        )
        return joined(filter(None, words), "\n")

    def _condition(self, line: Line) -> Condition:
        return self._document.build.condition_of(line, self._document.assessment.guide.today)

    def _take_quantity(self, line: Line, value: Any) -> bool:
        return self._document.try_edit(SetQuantity(line.part.id, int(value)))

    def _take_slots(self, line: Line, value: Any) -> bool:
        if line.part.category is Category.CARRIER:
            return self._document.try_edit(PlugCarriers(line.part.id, parse_hosts(str(value))))
        typed = parse_slots(str(value))
        if typed is None:
            words = tr("Slots are numbers separated by commas, like 1, 3, 5r, C1/2; r is a riser, C1 a carrier.")
            self._document.refused.emit(words)
            return False
        return self._document.try_edit(slots_edit(line, typed))

    def _take_limit(self, line: Line, value: Any) -> bool:
        return self._document.try_edit(SetPowerLimit(line.part.id, float(value) or None))

    def _take_price(self, line: Line, value: Any) -> bool:
        return enter_price(self._document, line, str(value))

    def _price_font(self, line: Line) -> QFont | None:
        """An estimate is set in italics."""
        if not isinstance(self._document.assessment.guide.price(line.part, self._condition(line)), Estimate):
            return None
        slanted = QFont()
        slanted.setItalic(True)
        return slanted

    def _slots_words(self, line: Line) -> str:
        seatless = line.quantity - len(line.slots) if is_card(line.part) else 0
        if seatless and not self._document.build.of(Category.MOTHERBOARD):
            return tr("{waiting}: it places them.", waiting=seatless_words(self._document.build, seatless))
        if seatless:
            return tr(
                "{count} not placed yet. Type slot positions, like 1, 3, 5r, C1/2; r is a riser, C1 a carrier.",
                count=seatless,
            )
        return _part_words(line)

    def _limit_words(self, line: Line) -> str:
        if line.part.category is not Category.GPU:
            return ""
        own = number(line.part.spec.power_limit_w if isinstance(line.part.spec, GpuSpec) else None)
        if line.power_limit_w is None:
            return tr("{watts} W per card, the card's default", watts=own)
        watts = number(line.power_limit_w)
        return tr("{watts} W per card, set for this build; the card's default is {own} W", watts=watts, own=own)

    def _power(self, line: Line) -> str:
        band = self._band(line)
        return middle(band) if band and band.high > 0 else ""

    def _power_words(self, line: Line) -> str:
        band = self._band(line)
        return tr("{band} W in training", band=span(band)) if band else _part_words(line)

    def _band(self, line: Line) -> Band | None:
        components = self._document.assessment.prediction.components
        return next((item.dc_w[LoadCase.TRAINING] for item in components if item.part_id == line.part.id), None)


def _quantity_field(parent: QWidget) -> QWidget:
    box = spin_box(parent, tr("Quantity"), (1, TYPED_MOST))
    box.setFrame(False)
    return box


def _price_field(parent: QWidget) -> QWidget:
    """Amount and currency in any notation."""
    edit = line_edit(parent, tr("Price of one"))
    edit.setFrame(False)
    edit.setAlignment(Qt.AlignmentFlag.AlignRight)
    return edit


def _limit_field(parent: QWidget) -> QWidget:
    """Its lowest value gives the card its own limit back."""
    box = spin_box(parent, tr("Power limit of one card, W"), (0, TYPED_MOST), step=10)
    box.setFrame(False)
    box.setSpecialValueText(tr("default"))
    return box


def _part_words(line: Line) -> str:
    part = line.part
    return "\n".join(filter(None, (part.title, summary(part), unconfirmed_words(part), origin_words(part.origin))))


def limit_text(line: Line) -> str:
    """What one card of a GPU line may draw, W; empty for anything else."""
    return number(line.limit_w) if line.part.category is Category.GPU else ""


@dataclass(frozen=True, slots=True)
class TypedSlots:
    """Slots in the order of the cards, and those of them whose card is on a riser."""

    slots: tuple[int, ...]
    risers: tuple[int, ...]


def slots_text(line: Line) -> str:
    """The slots of a line as they are typed; a question mark for each card that is not placed."""
    if line.part.category is Category.CARRIER:
        return hosts_text(line)
    if not is_card(line.part) and not line.slots:
        return ""
    placed = [f"{slot}{ON_RISER}" if slot in line.risers else str(slot) for slot in line.slots]
    return ",".join([*placed, *["?"] * (line.quantity - len(line.slots))])


def parse_slots(text: str) -> TypedSlots | None:
    """The slots of "1,3 5r"; question marks are cards without a slot. None if it is something else."""
    words = [word for word in re.split(r"[\s,;]+", text.strip().lower()) if word not in ("", "?")]
    numbers = [word.removesuffix(ON_RISER) for word in words]
    if not all(word.isascii() and (word.isdecimal() or is_slot_number(word)) for word in numbers):
        return None
    slots = tuple(map(SlotNumber.parse, numbers))
    return TypedSlots(slots, tuple(slot for slot, word in zip(slots, words, strict=True) if word.endswith(ON_RISER)))


def slots_edit(line: Line, typed: TypedSlots) -> Edit:
    """The change that puts the cards of a line into these slots, as one step of undo."""
    place = PlaceCards(line.part.id, typed.slots)
    staying_on_risers = {slot for slot, old in zip(typed.slots, line.slots, strict=False) if old in line.risers}
    if staying_on_risers == set(typed.risers):
        return place
    risers = PutOnRisers(line.part.id, typed.risers)
    moved = typed.slots != line.slots
    return Several(place.called(line.part.title), (place, risers)) if moved else risers
