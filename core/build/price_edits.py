"""Edits of what parts of this build cost: prices of the user's own, and whether they are new, used or owned."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.build.build import Build
from core.build.edits import Edit, LineEdit, LinesEdit, require_line, with_line
from core.build.line import Line
from core.language import tr
from core.parts.condition import Condition
from core.parts.own import Correction, corrected
from core.parts.part import Price


@dataclass(frozen=True, slots=True)
class SetPrices(LinesEdit):
    """Gives parts of the build prices of the user's own, for one of each; None takes a price away."""

    prices: tuple[tuple[str, Price | None], ...]
    """By part id."""

    @property
    def title(self) -> str:
        if len(self.prices) == 1:
            return tr("Set the price of {part_id}", part_id=self.prices[0][0])
        return tr("Set {number} prices", number=len(self.prices))

    def apply(self, build: Build) -> Build:
        for part_id, price in self.prices:
            build = with_line(build, _priced(require_line(build, part_id), price))
        return build


@dataclass(frozen=True, slots=True)
class SetCondition(LineEdit):
    """Says whether the parts of a line are bought new or used, or owned; None leaves it to the build."""

    part_id: str
    condition: Condition | None

    def called(self, name: str) -> str:
        match self.condition:
            case Condition.NEW:
                return tr("Buy {name} new", name=name)
            case Condition.USED:
                return tr("Buy {name} used", name=name)
            case Condition.OWNED:
                return tr("Mark {name} as owned", name=name)
        return tr("Buy {name} like the rest of the build", name=name)

    def apply(self, build: Build) -> Build:
        return with_line(build, replace(require_line(build, self.part_id), condition=self.condition))


@dataclass(frozen=True, slots=True)
class SetBuildCondition:
    """Says whether the parts of the build are new, used or owned, where their lines do not."""

    condition: Condition

    @property
    def title(self) -> str:
        match self.condition:
            case Condition.USED:
                return tr("Buy parts used")
            case Condition.OWNED:
                return tr("Mark all parts as owned")
        return tr("Buy parts new")

    def apply(self, build: Build) -> Build:
        return replace(build, condition=self.condition)

    def inverse(self, before: Build) -> Edit:
        return SetBuildCondition(before.condition)


def _priced(line: Line, price: Price | None) -> Line:
    if price == line.part.price:
        return line
    if price is None:
        return replace(line, part=line.part.model_copy(update={"price": None}))
    return replace(line, part=corrected(line.part, Correction(price=price)))
