"""Two to four builds side by side: their figures, their parts, and where they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, computed_field

from core.assessment import Assessment
from core.parts.vocabulary import Category
from core.plan.card_edits import PlugCarriers, PutOnRisers, SetPowerLimit, SetRole
from core.plan.edits import AddPart, Edit, PlaceCards, RemovePart, SetQuantity, Several, SwapPart
from core.plan.line import Line
from core.plan.placement.best import SeatCards, has_other_slots
from core.plan.price_edits import SetCondition
from core.platform.errors import BadInput
from core.platform.json_value import JsonValue, in_json
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.price import PriceTotal, price_of
from core.predict.speed.networks import Network
from core.present.report.formatting import DASH, band_text, commas
from core.rules.engine import summary
from core.rules.finding import Status
from core.words import slots_listed, tr
from core.words.units import quantity

FEWEST = 2
MOST = 4


class Better(StrEnum):
    """Which end of a figure is the good one."""

    LOW = "low"
    HIGH = "high"


@dataclass(frozen=True, slots=True)
class ComparedFigure(JsonValue):
    """One figure of all builds, in their order; None where a build has none, such as a temperature without a GPU."""

    label: str
    values: tuple[Band | None, ...]
    better: Better

    @computed_field
    @property
    def differs(self) -> bool:
        """Whether the builds differ by more than rounding."""
        shown = {None if value is None else round(value.expected, 1) for value in self.values}
        return len(shown) > 1

    @computed_field
    @property
    def best(self) -> tuple[int, ...]:
        """The builds with the best value; none where all are alike or only one has a value."""
        expected = [value.expected for value in self.values if value is not None]
        if not self.differs or len(expected) < FEWEST:
            return ()
        goal = min(expected) if self.better is Better.LOW else max(expected)
        return tuple(
            number
            for number, value in enumerate(self.values)
            if value is not None and round(value.expected, 1) == round(goal, 1)
        )


@dataclass(frozen=True, slots=True)
class ComparedParts(JsonValue):
    """The lines of one row: the same part in all builds that have it, else what else they have of the category."""

    category: Category
    lines: Annotated[
        tuple[Line | None, ...], PlainSerializer(lambda lines: [line and _line_dict(line) for line in lines])
    ]

    @computed_field
    @property
    def differs(self) -> bool:
        """Whether part, quantity, power limit, slots or condition are not the same in all builds."""
        return len({None if line is None else _what_counts(line) for line in self.lines}) > 1


@dataclass(frozen=True, slots=True)
class Comparison(JsonValue):
    """The builds in the order given. Columns are told apart by number, since two builds may have one name."""

    names: Annotated[tuple[str, ...], Field(serialization_alias="builds")]
    figures: tuple[ComparedFigure, ...]
    prices: Annotated[tuple[PriceTotal, ...], PlainSerializer(in_json)]
    budgets: tuple[str, ...]
    """What each total is beside its budget, in words; empty for a build without one."""
    parts: tuple[ComparedParts, ...]

    def rows(self) -> Iterator[ComparedRow]:
        """All of it in words: figures first, then money, then parts."""
        for figure in self.figures:
            cells = tuple(DASH if value is None else band_text(value) for value in figure.values)
            yield ComparedRow(figure.label, cells, figure.differs, figure.best)
        budgets = ((tr("Budget"), tuple(words or DASH for words in self.budgets)),) if any(self.budgets) else ()
        for label, cells in ((tr("Price"), tuple(price.dated_words for price in self.prices)), *budgets):
            yield ComparedRow(label, cells, len(set(cells)) > 1)
        for parts in self.parts:
            cells = tuple(DASH if line is None else line_words(line) for line in parts.lines)
            yield ComparedRow(parts.category.label, cells, parts.differs, parts=parts)


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """What stands in a row, in words; `parts` where lines can be taken over."""

    label: str
    cells: tuple[str, ...]
    differs: bool
    best: tuple[int, ...] = ()
    parts: ComparedParts | None = None


def line_words(line: Line) -> str:
    """Quantity, part, power limit, slots and condition of a line: what the rows of a comparison tell apart."""
    words = [f"{line.quantity}x {line.part.title}" if line.quantity > 1 else line.part.title]
    if line.power_limit_w is not None:
        words.append(tr("limited to {limit}", limit=quantity(line.power_limit_w, "W")))
    if line.role is not None:
        words.append(line.role.label)
    if line.condition is not None:
        words.append(line.condition.label)
    if line.slots:
        words.append(slots_listed(line.slots))
    return commas(words)


def compare(assessments: Sequence[Assessment]) -> Comparison:
    """Raises BadInput unless there are two to four builds."""
    if not FEWEST <= len(assessments) <= MOST:
        fields = {"fewest": FEWEST, "most": MOST, "number": len(assessments)}
        raise BadInput(tr("{fewest} to {most} builds can be compared, not {number}.", **fields))
    return Comparison(
        tuple(assessment.build.name for assessment in assessments),
        tuple(_figures(assessments)),
        _prices(assessments),
        tuple(assessment.budget_words for assessment in assessments),
        tuple(_parts(assessments)),
    )


Value = Callable[[Assessment], Band | None]


def _count(status: Status) -> Value:
    def value(assessment: Assessment) -> Band:
        count = float(summary(assessment.findings)[status])
        return Band(count, count, count, "")

    return value


def _rate(assessment: Assessment) -> Band | None:
    return assessment.speed.of(Network.CNN).rate if any(assessment.build.workers()) else None


def _hottest(assessment: Assessment) -> Band | None:
    hottest = assessment.prediction.heat.hottest
    return None if hottest is None else hottest.temperature_c


FIGURES: tuple[tuple[str, Better, Value], ...] = (
    (tr("Findings that fail"), Better.LOW, _count(Status.FAIL)),
    (tr("Findings that warn"), Better.LOW, _count(Status.WARN)),
    (tr("Findings without an answer"), Better.LOW, _count(Status.UNKNOWN)),
    (tr("At the wall, idle"), Better.LOW, lambda assessment: assessment.prediction.wall_w[LoadCase.IDLE]),
    (tr("At the wall, training"), Better.LOW, lambda assessment: assessment.prediction.wall_w[LoadCase.TRAINING]),
    (tr("Electrical worst case"), Better.LOW, lambda assessment: assessment.prediction.worst_case.wall_w),
    (tr("Hottest GPU"), Better.LOW, _hottest),
    (tr("Noise, idle"), Better.LOW, lambda assessment: assessment.prediction.noise_idle),
    (tr("Noise, training"), Better.LOW, lambda assessment: assessment.prediction.noise_load),
    (tr("Speed, {network}", network=Network.CNN.reference), Better.HIGH, _rate),
    (tr("Inference, Llama 3.1 8B in 4 bit"), Better.HIGH, lambda assessment: assessment.usual_models[0].decode),
    (tr("Inference, Llama 3.1 70B in 4 bit"), Better.HIGH, lambda assessment: assessment.usual_models[2].decode),
)


def _figures(assessments: Sequence[Assessment]) -> Iterator[ComparedFigure]:
    for label, better, value in FIGURES:
        yield ComparedFigure(label, tuple(value(assessment) for assessment in assessments), better)


def _prices(assessments: Sequence[Assessment]) -> tuple[PriceTotal, ...]:
    """All in the currency of the first that has one: sums in several are not compared."""
    into = next((assessment.price.totals[0].currency for assessment in assessments if assessment.price.totals), None)
    return tuple(price_of(assessment.build, assessment.guide, into) for assessment in assessments)


def _parts(assessments: Sequence[Assessment]) -> Iterator[ComparedParts]:
    """By category: first the parts that several builds share, beside what the others have instead, then the rest."""
    for category in Category:
        own = [[line for line in one.build.lines if line.part.category is category] for one in assessments]
        held = [line.part.id for lines in own for line in lines]
        shared = [part_id for part_id in dict.fromkeys(held) if held.count(part_id) > 1]
        for part_id in shared:
            same = [next((line for line in lines if line.part.id == part_id), None) for lines in own]
            row = tuple(line or _of_its_own(lines, shared) for line, lines in zip(same, own, strict=True))
            own = [[line for line in lines if line not in row] for lines in own]
            yield ComparedParts(category, row)
        while any(own):
            yield ComparedParts(category, tuple(lines.pop(0) if lines else None for lines in own))


def _of_its_own(lines: Sequence[Line], shared: Sequence[str]) -> Line | None:
    """The first line that no other build has."""
    return next((line for line in lines if line.part.id not in shared), None)


def _what_counts(line: Line) -> tuple[object, ...]:
    places = (line.slots, line.risers, line.hosts)
    return (line.part.id, line.quantity, line.power_limit_w, *places, line.role, line.condition)


def take(row: ComparedParts, here: int, there: int) -> Edit | None:
    """The edit that gives the build `here` the line that the build `there` has; None where both have the same.

    A shared card takes over the slots too; another card goes where its predecessor sat.
    """
    mine, theirs = row.lines[here], row.lines[there]
    if mine is not None and theirs is not None and _what_counts(mine) == _what_counts(theirs):
        return None
    if theirs is None:
        return None if mine is None else RemovePart(mine.part.id)
    return Several(tr("Use {part}", part=theirs.part.title), tuple(_taking(mine, theirs)))


def _taking(mine: Line | None, theirs: Line) -> Iterator[Edit]:
    part_id = theirs.part.id
    if mine is None:
        yield AddPart(theirs.part, theirs.quantity)
        if theirs.part.category is Category.MOTHERBOARD:
            yield SeatCards()
    elif mine.part.id != part_id:
        yield SwapPart(mine.part.id, theirs.part)
        yield SetQuantity(part_id, theirs.quantity)
        if theirs.part.category is Category.MOTHERBOARD and has_other_slots(mine.part, theirs.part):
            yield SeatCards(anew=True)
    else:
        yield SetQuantity(part_id, theirs.quantity)
        if theirs.slots:
            yield PlaceCards(part_id, theirs.slots)
            yield PutOnRisers(part_id, theirs.risers)
    if theirs.hosts:
        yield PlugCarriers(part_id, theirs.hosts)
    if theirs.part.category is Category.GPU:
        yield SetPowerLimit(part_id, theirs.power_limit_w)
        if theirs.role is not None or (mine is not None and mine.role is not None):
            yield SetRole(part_id, theirs.role)
    if (None if mine is None else mine.condition) is not theirs.condition:
        yield SetCondition(part_id, theirs.condition)


def _line_dict(line: Line) -> dict[str, Any]:
    return {
        "part": line.part.id,
        "title": line.part.title,
        "quantity": line.quantity,
        "slots": list(line.slots),
        "power_limit_w": line.power_limit_w,
        "condition": line.condition,
    }
