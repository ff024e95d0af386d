"""Edits of money: what the user pays for parts of this build, new, used or owned, and what all of it may cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from core.parts.money import typed_price
from core.parts.own import Correction, corrected
from core.parts.part import Condition, Price
from core.plan.budget import Budget
from core.plan.build import Build
from core.plan.edits import Edit, LineEdit, LinesEdit, require_line, with_line
from core.plan.line import Line
from core.platform.errors import BadInput
from core.words import shown, tr


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


@dataclass(frozen=True, slots=True)
class SetBudget:
    """Sets what all parts may cost together; None takes the budget away."""

    budget: Budget | None

    @property
    def title(self) -> str:
        return tr("Set the budget to {amount}", amount=self.budget.words) if self.budget else tr("Remove the budget")

    def apply(self, build: Build) -> Build:
        return replace(build, budget=self.budget)

    def inverse(self, before: Build) -> Edit:
        return SetBudget(before.budget)


def typed_budget(text: str, currency: str) -> Budget | None:
    """A budget as typed: "10000 EUR", "€ 10.000"; in `currency` where none is typed. None of nothing.

    Raises BadInput.
    """
    if not text.strip():
        return None
    try:
        typed = typed_price(text, date.today(), currency)
    except BadInput as error:
        raise BadInput(
            tr("{text} is not a budget. Write amount and currency, such as: 10000 EUR", text=shown(text))
        ) from error
    return Budget(typed.amount, typed.currency)
