"""What a GPU may be sold for in some years: by what GPUs of that age are sold for today, of what their makers asked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from statistics import median

from core.parts.money import COMPARED
from core.parts.part import Part
from core.parts.price_today import OF_THE_MAKER
from core.parts.specs import GpuSpec
from core.parts.used_prices import UsedPrices

YEARS_APART = 1.25
"""How far the age of another product may lie from the one that is asked about."""
FEWEST = 4
"""Fewer products of an age are no evidence."""


@dataclass(frozen=True, slots=True)
class KeptShare:
    """What used ones of a product are sold for, as a share of what its maker asked when it came out."""

    product: str
    age_years: float
    low: float
    middle: float
    high: float


@dataclass(frozen=True, slots=True)
class Resale:
    """A range of what one part may be sold for, in the currency of its maker's price, and how many products say so."""

    low: float
    middle: float
    high: float
    currency: str
    products: int


def kept_shares(parts: Iterable[Part], used: UsedPrices) -> tuple[KeptShare, ...]:
    """One for each GPU product of which both prices are known, by its plainest card. Pure."""
    shares: dict[tuple[str, float | None], list[KeptShare]] = {}
    for part in parts:
        band = used.band(part)
        if not isinstance(part.spec, GpuSpec) or band is None or part.price is None:
            continue
        sold, launch = COMPARED.shown(band.price(part)), COMPARED.shown(part.price)
        if part.price.kind not in OF_THE_MAKER or sold.currency != launch.currency:
            continue
        low, high = (end if end is not None else sold.amount for end in (sold.low, sold.high))
        ends = [amount / launch.amount for amount in (low, sold.amount, high)]
        product = part.spec.product or part.title
        share = KeptShare(product, _years(part.price.as_of, band.since), *ends)
        shares.setdefault((product, part.spec.memory_gb), []).append(share)
    return tuple(max(alike, key=lambda share: (share.middle, share.age_years)) for _, alike in sorted(shares.items()))


def resale(part: Part, years: float, shares: Sequence[KeptShare], today: date) -> Resale | None:
    """What one is sold for in so many years. None where fewer than `FEWEST` products of the age that it has then have
    a used price, and where its maker's price is unknown. Pure.

    From the least to the most of them, the middle one as expected.
    """
    price = part.price
    if not isinstance(part.spec, GpuSpec) or price is None or price.kind not in OF_THE_MAKER:
        return None
    age = _years(price.as_of, today) + years
    alike = [share for share in shares if abs(share.age_years - age) <= YEARS_APART]
    if len(alike) < FEWEST:
        return None
    low, high = min(share.low for share in alike), max(share.high for share in alike)
    middle = median(share.middle for share in alike)
    return Resale(price.amount * low, price.amount * middle, price.amount * high, price.currency, len(alike))


def _years(since: date, until: date) -> float:
    return (until - since).days / 365.25
