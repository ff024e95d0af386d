"""The prices that the catalogue knows, and what it takes for an unknown one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from core.parts.money import AS_THEY_ARE, MoneyTerms
from core.parts.part import Part, Price
from core.parts.price_ageing import WIDE, amount_today
from core.parts.price_estimate import Estimate, estimated
from core.parts.price_today import brought_words, dated_words
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
        own = amount_today(part, self.today)
        if isinstance(own, Price):
            return self.terms.shown(own)
        similar = None
        if (own is None or own.share > WIDE) and part.id not in self.in_machines:
            similar = estimated(part, self.priced.get(part.category, ()))
        told = min((one for one in (own, similar) if one), key=lambda one: one.share, default=None)
        return _shown(told, self.terms) if told else None

    def compared(self, part: Part) -> Price | Estimate | None:
        """What its own price says of today, in the currency in which prices are put in order; in its own where no rate
        is known."""
        own, terms = amount_today(part, self.today), self.terms.compared
        return _shown(own, terms) if isinstance(own, Estimate) else terms.shown(own) if own else None


def _shown(estimate: Estimate, terms: MoneyTerms) -> Estimate:
    one = terms.shown(Price(amount=1.0, currency=estimate.currency, as_of=estimate.until, kind="street"))
    return estimate.times(one.amount, one.currency)


def today_words(price: Price | Estimate | None, today: date, quantity: int = 1) -> str:
    """ "1199 USD", of so many, with its age; "≈ 4780 USD (launch 2025-01)" of an estimate; empty without any."""
    if price is None:
        return ""
    if isinstance(price, Price):
        return dated_words(price, today, quantity)
    middle = {"amount": price.amount * quantity, "currency": price.currency}
    return brought_words((price.price or price.as_price).model_copy(update=middle), today)


NO_GUIDE = PriceGuide()
