"""What a machine costs over years: its parts, energy and cooling, less what its GPUs may be sold for; what a million
samples of its work cost, and after how many hours it is cheaper than a rented card.

Every amount is in one currency: that of the total of the parts. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any

from pydantic import Field, PlainSerializer, ValidationError, computed_field, model_validator

from core.parts.price_guide import NO_GUIDE, PriceGuide
from core.parts.resale import KeptShare, resale
from core.parts.values import Value
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.platform.errors import BadInput
from core.platform.json_value import Hundredths, JsonValue, NotInJson
from core.predict.band import Band, Triple, exact, total
from core.predict.conditions import DEAREST_KWH, LoadCase
from core.predict.cost import COP, COP_ASSUMPTION
from core.predict.prediction import Prediction
from core.predict.price import price_of
from core.predict.work import Work
from core.words import joined, tr, trn
from core.words.refusal import first_refusal

DAYS_PER_YEAR = 365.25
SECONDS_PER_HOUR = 3600.0
MOST_YEARS = 20
IN_TRAINING = tr("At load the machine draws what it draws in training: when it only answers requests it draws less.")
SAME_SOFTWARE = tr("The software is taken to be as good on the rented card as on this machine.")
ALL_YEAR = tr("The room is cooled all year.")
AS_IT_IS = tr("Prices of energy and of the rented card stay as they are; no interest, no repairs.")


class CostTerms(Value):
    """What the user says of years, hours and prices, in the currency of the parts' total."""

    tariff_per_kwh: Annotated[float, Field(ge=0, le=DEAREST_KWH)]
    years: Annotated[float, Field(ge=0.1, le=MOST_YEARS)] = 3.0
    hours_per_day: Annotated[float, Field(ge=0.1, le=24)] = 12.0
    """At load."""
    idle_hours_per_day: Annotated[float, Field(ge=0, le=24)] | None = None
    """On and idle; None: whenever it is not at load."""
    cooled: bool = False
    """Whether an air conditioner carries the heat out of the room."""
    cop: Annotated[float, Field(ge=0.5, le=20)] | None = None
    """Heat that it moves per watt it draws; None: as is usual."""
    rented_per_hour: Annotated[float, Field(gt=0, le=DEAREST_KWH)] | None = None
    """Of a rented card; None: there is nothing to compare with."""

    @model_validator(mode="after")
    def _is_a_day(self) -> CostTerms:
        if self.hours_per_day + self.idle > 24:
            raise ValueError(
                tr(
                    "{load:g} hours at load and {idle:g} idle are more than a day",
                    load=self.hours_per_day,
                    idle=self.idle,
                )
            )
        return self

    @property
    def idle(self) -> float:
        """Hours a day on and idle."""
        return 24.0 - self.hours_per_day if self.idle_hours_per_day is None else self.idle_hours_per_day

    @property
    def busy_hours(self) -> float:
        """At load, over all years."""
        return self.hours_per_day * DAYS_PER_YEAR * self.years

    @property
    def idle_hours(self) -> float:
        """On and idle, over all years."""
        return self.idle * DAYS_PER_YEAR * self.years

    @property
    def cop_range(self) -> Triple | None:
        """Least, usual and most; None where the room is not cooled."""
        if self.cop is not None:
            return self.cop, self.cop, self.cop
        return COP if self.cooled else None


def cost_terms(values: Mapping[str, Any]) -> CostTerms:
    """Terms of the fields of `CostTerms`. Raises BadInput that names the field."""
    try:
        return CostTerms.model_validate(dict(values))
    except ValidationError as error:
        field, reason = first_refusal(error)
        if not field:
            raise BadInput(tr("The costs cannot be reckoned: {reason}.", reason=reason)) from error
        raise BadInput(tr("The costs cannot be reckoned: {field}: {reason}.", field=field, reason=reason)) from error


def _significant(band: Band | None) -> dict[str, Any] | None:
    if band is None:
        return None
    low, expected, high = (float(f"{end:.4g}") for end in band.triple)
    return {"low": low, "expected": expected, "high": high, "unit": band.unit}


SmallAmount = Annotated[Band | None, PlainSerializer(_significant)]
"""Of which hundredths would leave nothing."""


@dataclass(frozen=True, slots=True)
class Sold(JsonValue):
    """What the GPUs of the build may be sold for after the years: `amount` of those of which there is evidence."""

    amount: Band
    cards: int
    unknown: int
    """GPUs without: they count as worth nothing."""


@dataclass(frozen=True, slots=True)
class BreakEven(JsonValue):
    """Hours at load until the machine has cost less than the rented card for the same work; None: never."""

    low: Hundredths | None
    expected: Hundredths | None
    high: Hundredths | None
    hours_per_month: Annotated[float, NotInJson]

    @computed_field
    @property
    def months(self) -> tuple[float | None, float | None, float | None]:
        """The same in months of this use."""
        low, expected, high = (
            None if hours is None else round(hours / self.hours_per_month, 2)
            for hours in (self.low, self.expected, self.high)
        )
        return low, expected, high


@dataclass(frozen=True, slots=True)
class Rented(JsonValue):
    """The same work on a rented card over the years."""

    per_hour: float
    hours: Band
    """Rented hours for one hour of this machine at load: one where nobody says which card it is."""
    amount: Band
    break_even: BreakEven | None
    """None where no price of the machine is known."""
    per_million: SmallAmount


@dataclass(frozen=True, slots=True)
class CostOverYears(JsonValue):
    """All amounts in `currency`; None where it cannot be told."""

    terms: CostTerms
    currency: str
    purchase: Band | None
    """None: nothing of it has a price."""
    unpriced: int
    """Parts that have none, and are not in `purchase`."""
    energy_kwh: Band
    energy: Band
    cooling: Band | None
    """None: the room is not cooled."""
    sold: Sold
    work: Work | None
    rented: Rented | None
    assumptions: tuple[str, ...]

    @computed_field
    @property
    def running(self) -> Band:
        """Energy and cooling."""
        return total([self.energy, *([self.cooling] if self.cooling else [])], self.currency)

    @computed_field
    @property
    def amount(self) -> Band | None:
        """All of it, less what the GPUs may be sold for: at the high end for as little as they may bring."""
        if self.purchase is None:
            return None
        spent, back = self.purchase + self.running, self.sold.amount
        return Band(spent.low - back.high, spent.expected - back.expected, spent.high - back.low, self.currency)

    @computed_field
    @property
    def per_million(self) -> SmallAmount:
        """Of a million samples of the work; None where the rate or the whole is unknown."""
        return self._per_million(self.amount)

    @computed_field
    @property
    def running_per_million(self) -> SmallAmount:
        """Energy and cooling of a million samples alone."""
        return self._per_million(self.running)

    def _per_million(self, amount: Band | None) -> Band | None:
        rate = self.work.rate if self.work else None
        if amount is None or rate is None or rate.low <= 0:
            return None
        millions = [one * SECONDS_PER_HOUR * self.terms.busy_hours / 1e6 for one in rate.triple]
        return _over(amount, (millions[0], millions[1], millions[2]))


def cost_over_years(
    prediction: Prediction,
    terms: CostTerms,
    work: Work | None = None,
    guide: PriceGuide = NO_GUIDE,
    shares: Sequence[KeptShare] = (),
) -> CostOverYears:
    """What the build of a prediction costs. Pure.

    `shares` is the evidence for what its GPUs may be sold for: without any they count as worth nothing.
    """
    build, price = prediction.build, price_of(prediction.build, guide)
    main = price.totals[0] if price.totals else None
    currency = main.currency if main else guide.terms.common
    purchase = None if price.unpriced else exact(0.0, currency)
    if main:
        low, high = main.range
        purchase = Band(low, (low + high) / 2, high, currency)
    at_load = prediction.wall_w[LoadCase.TRAINING].times(terms.busy_hours / 1000)
    idle = prediction.wall_w[LoadCase.IDLE].times(terms.idle_hours / 1000)
    kwh = (at_load + idle).measured_in("kWh")
    energy = kwh.times(terms.tariff_per_kwh).measured_in(currency)
    cooling, assumptions = None, [AS_IT_IS]
    if work is not None and not work.trains:
        assumptions.append(IN_TRAINING)
    if terms.cop_range:
        least, usual, most = terms.cop_range
        cooling = energy.times(1 / most, 1 / usual, 1 / least)
        assumptions += [ALL_YEAR] if terms.cop else [ALL_YEAR, COP_ASSUMPTION]
    apart = sum(row.parts + row.estimated for row in price.totals[1:])
    sold = _sold(build, terms.years, shares, guide, currency)
    cost = CostOverYears(
        terms, currency, purchase, price.unpriced + apart, kwh, energy, cooling, sold, work, None, tuple(assumptions)
    )
    return cost if terms.rented_per_hour is None else _beside(cost, terms.rented_per_hour)


def _sold(build: Build, years: float, shares: Sequence[KeptShare], guide: PriceGuide, currency: str) -> Sold:
    amount, cards, unknown = exact(0.0, currency), 0, 0
    for line in build.of(Category.GPU):
        one = resale(line.part, years, shares, guide.today)
        factor = guide.terms.factor(one.currency, currency) if one else None
        if one is None or factor is None:
            unknown += line.quantity
            continue
        cards += line.quantity
        each = Band(one.low * factor, one.middle * factor, one.high * factor, currency)
        amount = amount + each.times(line.quantity)
    return Sold(amount, cards, unknown)


def _beside(cost: CostOverYears, per_hour: float) -> CostOverYears:
    """With the rented card, for as much work: slow software is slow on both, so like ends of both rates go together."""
    work, assumptions = cost.work, cost.assumptions
    hours, per_million = exact(1.0), None
    if work is not None and work.rented is not None and work.rented.low > 0:
        per_million = _over(exact(per_hour * 1e6 / SECONDS_PER_HOUR, cost.currency), work.rented.triple)
        if work.rate is not None:
            ratios = [own / other for own, other in zip(work.rate.triple, work.rented.triple, strict=True)]
            hours = Band(min(ratios), ratios[1], max(ratios), "")
            assumptions = (*assumptions, SAME_SOFTWARE)
    an_hour = hours.times(per_hour).measured_in(cost.currency)
    amount = an_hour.times(cost.terms.busy_hours)
    rented = Rented(per_hour, hours, amount, _break_even(cost, an_hour), per_million)
    return replace(cost, rented=rented, assumptions=assumptions)


def _break_even(cost: CostOverYears, an_hour: Band) -> BreakEven | None:
    """Without what the GPUs may be sold for: nobody knows when that will be."""
    if cost.purchase is None:
        return None
    running = cost.running.times(1 / cost.terms.busy_hours)
    low, expected, high = (
        bought / (rented - own) if rented > own else None
        for bought, rented, own in (
            (cost.purchase.low, an_hour.high, running.low),
            (cost.purchase.expected, an_hour.expected, running.expected),
            (cost.purchase.high, an_hour.low, running.high),
        )
    )
    return BreakEven(low, expected, high, cost.terms.hours_per_day * DAYS_PER_YEAR / 12)


def _over(amount: Band, divisor: Triple) -> Band:
    """An amount over a divisor > 0 that errs by itself: its ends are the furthest that any pair makes."""
    least, usual, most = divisor
    low = amount.low / (most if amount.low >= 0 else least)
    high = amount.high / (least if amount.high >= 0 else most)
    return Band(low, amount.expected / usual, high, amount.unit, amount.assumptions, amount.missing)


def sold_words(sold: Sold, years: float) -> str:
    """What that rests on, in a sentence; empty without a GPU."""
    sentence = trn(
        "{count} GPU sold after {years:g} years: as GPUs of that age are sold for today, of what their makers asked.",
        "{count} GPUs sold after {years:g} years: as GPUs of that age are sold for today, of what their makers asked.",
        count=sold.cards,
        years=years,
    )
    rest = trn(
        "What {count} GPU may be sold for then is unknown, and counts as nothing.",
        "What {count} GPUs may be sold for then is unknown, and counts as nothing.",
        count=sold.unknown,
    )
    return joined((sentence if sold.cards else "", rest if sold.unknown else ""), "\n")
