"""What the parts cost, per currency, and how many have no price."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from math import fsum
from typing import Any

from core.build.build import Build


@dataclass(frozen=True, slots=True)
class CurrencyTotal:
    """The sum of all prices in one currency; currencies are never converted."""

    currency: str
    amount: float
    parts: int


@dataclass(frozen=True, slots=True)
class PriceTotal:
    """`unpriced` counts parts, `unpriced_ids` names them."""

    totals: tuple[CurrencyTotal, ...]
    unpriced: int
    unpriced_ids: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "totals": [
                {"currency": row.currency, "amount": round(row.amount, 2), "parts": row.parts} for row in self.totals
            ],
            "unpriced": self.unpriced,
            "unpriced_ids": list(self.unpriced_ids),
        }


def price_of(build: Build) -> PriceTotal:
    """Sums price x quantity."""
    amounts: defaultdict[str, list[float]] = defaultdict(list)
    counts: defaultdict[str, int] = defaultdict(int)
    unpriced = [line for line in build.lines if line.part.price is None]
    for line in build.lines:
        if line.part.price is not None:
            amounts[line.part.price.currency].append(line.part.price.amount * line.quantity)
            counts[line.part.price.currency] += line.quantity
    totals = tuple(CurrencyTotal(code, fsum(amounts[code]), counts[code]) for code in sorted(amounts))
    return PriceTotal(totals, sum(line.quantity for line in unpriced), tuple(sorted(line.part.id for line in unpriced)))
