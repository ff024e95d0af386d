"""What the parts cost, per currency, and how many have no price."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
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
            "totals": [asdict(row) | {"amount": round(row.amount, 2)} for row in self.totals],
            "unpriced": self.unpriced,
            "unpriced_ids": list(self.unpriced_ids),
        }


def price_of(build: Build) -> PriceTotal:
    """Sums price x quantity."""
    priced: defaultdict[str, list[tuple[float, int]]] = defaultdict(list)
    unpriced = sorted((line.part.id, line.quantity) for line in build.lines if line.part.price is None)
    for line in build.lines:
        if line.part.price is not None:
            priced[line.part.price.currency].append((line.part.price.amount, line.quantity))
    totals = tuple(
        CurrencyTotal(code, fsum(amount * count for amount, count in rows), sum(count for _, count in rows))
        for code, rows in sorted(priced.items())
    )
    return PriceTotal(totals, sum(count for _, count in unpriced), tuple(part_id for part_id, _ in unpriced))
