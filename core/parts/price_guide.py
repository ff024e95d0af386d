"""The prices that the catalogue knows, and what it takes for an unknown one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.parts.money import AS_THEY_ARE, MoneyTerms
from core.parts.part import Part, Price
from core.parts.price_estimate import Estimate, estimated
from core.parts.vocabulary import Category

Priced = tuple[tuple[Part, Price], ...]


@dataclass(frozen=True, slots=True)
class PriceGuide:
    """Known prices by category, as they are shown. Without any, no unknown price is estimated."""

    priced: Mapping[Category, Priced] = field(default_factory=dict)
    in_machines: frozenset[str] = frozenset()
    """Ids of parts that makers sell within a complete system: what they would cost alone means nothing."""

    terms: MoneyTerms = AS_THEY_ARE

    def price(self, part: Part) -> Price | Estimate | None:
        """Its price as it is shown, else a range; None where neither can be told."""
        if part.price is not None:
            return self.terms.shown(part.price)
        return None if part.id in self.in_machines else estimated(part, self.priced.get(part.category, ()))


NO_GUIDE = PriceGuide()
