"""What a change costs in money: a band, of known and estimated prices together, in one currency."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from math import fsum
from typing import Annotated

from pydantic import Field, PlainSerializer, computed_field

from core.build.build import Build
from core.build.line import Line
from core.json_value import Hundredths, JsonValue
from core.language import joined, plain, tr, trn
from core.parts.condition import Condition
from core.parts.part import Part, Price
from core.parts.price_guide import PriceGuide
from core.parts.price_today import month_of
from core.units import number


@dataclass(frozen=True, slots=True)
class PriceChange(JsonValue):
    """What the machine costs more (or less, below zero) with a change: at least and at most."""

    low: Hundredths
    high: Hundredths
    currency: str
    month: Annotated[str, Field(serialization_alias="oldest"), PlainSerializer(lambda month: month or None)] = ""
    """ "2022-11": of the oldest price in it, where that is over three months old."""
    unpriced: int = 0
    """Parts that are bought or saved and of which no price is known: not in the amounts."""

    @computed_field
    @property
    def amount(self) -> Hundredths:
        """The middle of the band."""
        return (self.low + self.high) / 2

    @computed_field
    @property
    def estimated(self) -> bool:
        """Whether an estimate is in it."""
        return self.low < self.high

    @property
    def words(self) -> str:
        """ "+1200 USD (2022-11)", of estimates "+900 to +1400 USD"; and how many parts are left out of it."""
        ends = list(dict.fromkeys(map(_signed, (self.low, self.high))))
        if len(ends) == 1:
            amount = plain("{amount} {currency}", amount=ends[0], currency=self.currency)
        else:
            amount = tr("{low} to {high} {currency}", low=ends[0], high=ends[1], currency=self.currency)
        aged = f"{amount} ({self.month})" if self.month else amount
        if not self.unpriced:
            return aged
        apart = trn("{count} part without a price", "{count} parts without a price", count=self.unpriced)
        return joined((aged, apart), ", ")


def price_change(before: Build, changes: Iterable[tuple[Part, int]], guide: PriceGuide) -> PriceChange | None:
    """The difference in price; None where no price is known of what is bought or saved, or there is no such thing.

    Parts count new or used as their line does, or would; to take out what is owned saves nothing.
    """
    priced = []
    for part, count in changes:
        condition = before.condition_of(before.line(part.id) or Line(part), guide.today)
        if condition is Condition.OWNED and count < 0:
            continue
        priced.append((guide.price(part, Condition.NEW if condition is Condition.OWNED else condition), count))
    codes = Counter(price.currency for price, _ in priced if price)
    currency = guide.terms.currency or max(sorted(codes), key=lambda code: codes[code], default="")
    lows, highs, days, unpriced = [], [], [], 0
    for price, count in priced:
        factor = guide.terms.factor(price.currency, currency) if price else None
        if price is None or factor is None:
            unpriced += abs(count)
            continue
        days.append(price.as_of if isinstance(price, Price) else price.since)
        both = (price.amount, price.amount) if isinstance(price, Price) else (price.low, price.high)
        low, high = sorted(count * factor * end for end in both)
        lows.append(low)
        highs.append(high)
    if not days:
        return None
    return PriceChange(fsum(lows), fsum(highs), currency, month_of(min(days), guide.today), unpriced)


def _signed(amount: float) -> str:
    """ "+1200", "-300"."""
    sign = "-" if round(amount) < 0 else "+"
    return f"{sign}{number(abs(amount), 0)}"
