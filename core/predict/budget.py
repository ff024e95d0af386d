"""What a build costs beside its budget: within it, over it, or open; and what is left for one more part."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated

from pydantic import Field, computed_field

from core.parts.money import MoneyTerms
from core.parts.price_guide import PriceGuide
from core.plan.budget import Budget
from core.plan.build import Build
from core.platform.json_value import Hundredths, JsonValue
from core.predict.price import PriceTotal, price_of_lines
from core.words import joined, tr, trn
from core.words.units import number


class BudgetState(StrEnum):
    """What is known of a total beside its budget."""

    WITHIN = "within"
    OPEN = "open"
    """Within it as far as prices are known: some parts have none, or one in a currency without a rate."""
    DOUBT = "doubt"
    """Over it only at the high end of the estimates."""
    OVER = "over"


@dataclass(frozen=True, slots=True)
class BudgetUse(JsonValue):
    """A total and its budget, in one currency."""

    low: Hundredths
    high: Hundredths
    budget: Annotated[float, Field(serialization_alias="amount"), Hundredths]
    currency: str
    unpriced: int
    """Parts that are in no total of this currency."""

    @property
    def expected(self) -> float:
        """The middle of the band."""
        return (self.low + self.high) / 2

    @computed_field
    @property
    def left(self) -> Hundredths:
        """What the expected total leaves; below zero where it is over."""
        return self.budget - self.expected

    @computed_field
    @property
    def state(self) -> BudgetState:
        """Cents do not count."""
        if round(self.left) < 0:
            return BudgetState.OVER
        if round(self.budget - self.high) < 0:
            return BudgetState.DOUBT
        return BudgetState.OPEN if self.unpriced else BudgetState.WITHIN

    @property
    def words(self) -> str:
        """ "9400 of 10 000 EUR: 600 left", with what is not known of it."""
        expected, budget, left = number(self.expected, 0), number(self.budget, 0), number(abs(self.left), 0)
        match self.state:
            case BudgetState.OVER:
                fields = {"expected": expected, "budget": budget, "currency": self.currency, "left": left}
                sentence = tr("{expected} of {budget} {currency}: {left} over the budget", **fields)
            case BudgetState.DOUBT:
                sentence = tr(
                    "{expected} of {budget} {currency}: over it if estimates go to {high}",
                    expected=expected,
                    budget=budget,
                    currency=self.currency,
                    high=number(self.high, 0),
                )
            case _:
                fields = {"expected": expected, "budget": budget, "currency": self.currency, "left": left}
                sentence = tr("{expected} of {budget} {currency}: {left} left", **fields)
        if not self.unpriced:
            return sentence
        more = trn(
            "{count} part without a price not counted", "{count} parts without a price not counted", count=self.unpriced
        )
        return joined((sentence, more), "; ")


def budget_use(budget: Budget | None, total: PriceTotal, terms: MoneyTerms) -> BudgetUse | None:
    """None without a budget, or without a rate between its currency and that of the total. Pure."""
    if budget is None:
        return None
    main = total.totals[0] if total.totals else None
    currency = main.currency if main else terms.currency or budget.currency
    factor = terms.factor(budget.currency, currency)
    if factor is None:
        return None
    low, high = main.range if main else (0.0, 0.0)
    apart = sum(row.parts + row.estimated for row in total.totals[1:])
    return BudgetUse(low, high, factor * budget.amount, currency, total.unpriced + apart)


def deciding_prices(build: Build, total: PriceTotal, use: BudgetUse | None, terms: MoneyTerms) -> tuple[str, ...]:
    """The parts on whose prices it depends whether the build keeps to its budget: those without a price, then those of
    the widest ranges that hold half of the doubt. None without a budget, nor where the answer is the same anyway."""
    if use is None or use.low > use.budget:
        return ()
    if use.high <= use.budget:
        return total.unpriced_ids
    lines = {line.part.id: line.quantity for line in build.lines}
    widths = {
        part_id: lines[part_id] * (estimate.high - estimate.low) * (terms.factor(estimate.currency, use.currency) or 0)
        for part_id, estimate in total.estimates
    }
    ids, rest = list(total.unpriced_ids), sum(widths.values())
    enough = max(rest / 2, min(use.budget - use.low, use.high - use.budget))
    for part_id in sorted(widths, key=lambda one: (-widths[one], one)):
        if rest <= enough:
            break
        ids.append(part_id)
        rest -= widths[part_id]
    return tuple(ids)


def budget_words(use: BudgetUse | None, budget: Budget | None) -> str:
    """The total beside the budget; without a rate only the budget, empty where there is none."""
    if use is not None:
        return use.words
    return tr("{budget}; no rate is set for its currency", budget=budget.words) if budget else ""


@dataclass(frozen=True, slots=True)
class LeftForOne:
    """What the budget leaves for a part, in the currency in which lists are limited."""

    amount: float
    currency: str
    unpriced: int
    """Other parts of the build of which no price is known: what they cost is not taken off."""


def left_for_one(build: Build, guide: PriceGuide, replaced: str | None, quantity: int = 1) -> LeftForOne | None:
    """For each of so many more parts or, if one is `replaced`, for each that comes in the place of that line.

    None without a budget or a rate. Pure.
    """
    if build.budget is None:
        return None
    line = build.line(replaced) if replaced else None
    rest = tuple(other for other in build.lines if other is not line)
    terms = guide.terms.compared
    use = budget_use(build.budget, price_of_lines(build, rest, guide, terms.currency), terms)
    if use is None or use.currency != terms.currency:
        return None
    return LeftForOne(use.left / (line.quantity if line else quantity), use.currency, use.unpriced)
