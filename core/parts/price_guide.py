"""The prices that the catalogue knows, and what it takes for an unknown one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from core.parts.money import AS_THEY_ARE, MoneyTerms
from core.parts.part import Part, Price
from core.parts.price_ageing import amount_today
from core.parts.price_estimate import Estimate, estimated
from core.parts.price_today import age_words, brought_words, dated_words
from core.parts.vocabulary import Category

Priced = tuple[tuple[Part, Price], ...]


@dataclass(frozen=True, slots=True)
class PriceGuide:
    """Known prices by category, brought to today. Without any, none is estimated from those of similar parts."""

    priced: Mapping[Category, Priced] = field(default_factory=dict)
    in_machines: frozenset[str] = frozenset()
    """Ids of parts that makers sell within a complete system: what they would cost alone means nothing."""

    terms: MoneyTerms = AS_THEY_ARE
    today: date = field(default_factory=date.today)
    """Prices are that old or new as seen from this day."""

    def price(self, part: Part) -> Price | Estimate | None:
        """Its price of today as it is shown, else a range; None where neither can be told."""
        if own := amount_today(part, self.today):
            return _shown(own, self.terms)
        if part.id in self.in_machines:
            return None
        similar = estimated(part, self.priced.get(part.category, ()))
        return _shown(similar, self.terms) if similar else None

    def compared(self, part: Part) -> Price | Estimate | None:
        """What its own price says of today, in the currency in which prices are put in order; in its own where no rate
        is known."""
        own = amount_today(part, self.today)
        return _shown(own, self.terms.compared) if own else None


def _shown(told: Price | Estimate, terms: MoneyTerms) -> Price | Estimate:
    if isinstance(told, Price):
        return terms.shown(told)
    one = terms.shown(Price(amount=1.0, currency=told.currency, as_of=told.until, kind="street"))
    return told.times(one.amount, one.currency)


def age_of(price: Price | Estimate | None, today: date) -> str:
    """ "2025-07", "launch 2025-01" of the price, or of that which an estimate rests on; empty where it is recent."""
    own = price.price if isinstance(price, Estimate) else price
    return age_words(own, today) if own else ""


def today_words(price: Price | Estimate | None, today: date, quantity: int = 1) -> str:
    """ "1199 USD", of so many, with its age; "≈ 4780 USD (launch 2025-01)" of an estimate; empty without any."""
    if price is None:
        return ""
    if isinstance(price, Price):
        return dated_words(price, today, quantity)
    middle = {"amount": price.amount * quantity, "currency": price.currency}
    return brought_words((price.price or price.as_price).model_copy(update=middle), today)


NO_GUIDE = PriceGuide()
