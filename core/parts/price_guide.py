"""The prices that the catalogue knows, and what it takes for an unknown one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.parts.part import Part, Price
from core.parts.price_estimate import Estimate, estimated
from core.parts.vocabulary import Category

Priced = tuple[tuple[Part, Price], ...]


@dataclass(frozen=True, slots=True)
class PriceGuide:
    """Known prices by category. Without any, no unknown price is estimated."""

    priced: Mapping[Category, Priced] = field(default_factory=dict)
    in_machines: frozenset[str] = frozenset()
    """Ids of parts that makers sell within a complete system: what they would cost alone means nothing."""

    def price(self, part: Part) -> Price | Estimate | None:
        """Its price, else a range; None where neither can be told."""
        if part.price is not None:
            return part.price
        return None if part.id in self.in_machines else estimated(part, self.priced.get(part.category, ()))


NO_GUIDE = PriceGuide()
