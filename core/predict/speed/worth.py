"""Speed for the price: samples per second for each 1000 of a currency."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from core.build.build import Build
from core.predict.band import Band
from core.predict.price import price_of


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
