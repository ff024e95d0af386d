"""What the parts cost, per currency, and the speed for each 1000 of it."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import asdict, dataclass
from math import fsum
from typing import Any

from core.build.build import Build
from core.predict.band import Band


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


@dataclass(frozen=True, slots=True)
class PerPrice:
    """Samples per second for each 1000 of a currency: of the GPUs alone, of the whole build if all of it has prices."""

    currency: str
    gpus: Band
    build: Band | None

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "currency": self.currency,
            "gpus_per_1000": self.gpus.as_dict(),
            "build_per_1000": self.build.as_dict() if self.build else None,
        }


def per_price(build: Build, rate: Band) -> PerPrice | None:
    """None where a GPU has no price or they have several currencies, which are never converted. Pure."""
    lines = [line for line, _ in build.gpus()]
    prices = [line.part.price for line in lines]
    currencies = {price.currency for price in prices if price}
    if None in prices or len(currencies) != 1:
        return None
    amount = sum(price.amount * line.quantity for price, line in zip(prices, lines, strict=True) if price)
    (currency,) = currencies
    whole = price_of(build)
    all_known = not whole.unpriced and len(whole.totals) == 1 and whole.totals[0].currency == currency
    unit = f"{rate.unit} per 1000 {currency}"
    return PerPrice(
        currency,
        rate.times(1000 / amount).measured_in(unit),
        rate.times(1000 / whole.totals[0].amount).measured_in(unit) if all_known else None,
    )
