"""The prices that the catalogue knows, and what it takes for an unknown one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date

from core.parts.money import AS_THEY_ARE, MoneyTerms
from core.parts.part import Part, Price
from core.parts.price_estimate import Estimate, estimated
from core.parts.price_today import past_price, price_today
from core.parts.vocabulary import Category

Priced = tuple[tuple[Part, Price], ...]


@dataclass(frozen=True, slots=True)
class PriceGuide:
    """Known prices by category, as they are shown. Without any, no unknown price is estimated."""

    priced: Mapping[Category, Priced] = field(default_factory=dict)
    in_machines: frozenset[str] = frozenset()
    """Ids of parts that makers sell within a complete system: what they would cost alone means nothing."""

    terms: MoneyTerms = AS_THEY_ARE
    today: date = field(default_factory=date.today)
    """Prices are that old or new as seen from this day."""

    def price(self, part: Part) -> Price | Estimate | None:
        """Its price of today as it is shown, else a range; None where neither can be told."""
        if price := price_today(part, self.today):
            return self.terms.shown(price)
        return None if part.id in self.in_machines else estimated(part, self.priced.get(part.category, ()))

    def past(self, part: Part) -> Price | None:
        """What the maker asked for a part that is no longer sold, as it is shown; None where its price counts."""
        past = past_price(part, self.today)
        return self.terms.shown(past) if past else None

    def compared(self, part: Part) -> Price | None:
        """Its price of today in the currency in which prices are put in order; in its own where no rate is known."""
        price = price_today(part, self.today)
        return self.terms.compared.shown(price) if price else None


NO_GUIDE = PriceGuide()
