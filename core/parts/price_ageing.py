"""What an old price, or a maker's, says of today: brought there by the index of its class, as a range."""

from __future__ import annotations

from datetime import date
from math import log

from core.parts.part import Part, Price, no_longer_sold
from core.parts.price_estimate import Basis, Estimate
from core.parts.price_index import PriceIndex, index_of, shipped_indices
from core.parts.price_today import OF_THE_MAKER, USED, YEARS_OF_A_LIST, past_price, price_today
from core.parts.used_prices import shipped_used_prices
from core.parts.values import Value

WIDER_A_YEAR = 0.02
"""Of each year of a price's age, as a share of the middle."""
WIDER_WHEN_MOVED = 0.05
"""For a class that rose or fell by a factor of e: its parts did not all move alike."""
WIDER_A_MONTH_AFTER = 0.005
"""Of each month since the last one that the index knows."""
WIDEST = 0.4
"""No range reaches further from its middle, as a share: of 262 prices of 2026 that the index was made with, 97 % lay
within that of what older ones came to."""


def carried(part: Part, today: date) -> Estimate | None:
    """The range of today's price by the part's own older one; None where it has none, or the index of its class does
    not reach back to it. A class without an index is taken to stay as it was, in the widest range.

    A price that counts as it is has no need of one.
    """
    price = part.price
    if price is None or price_today(part, today) is not None or past_price(part, today) is not None:
        return None
    if price.kind == USED and not no_longer_sold(part, today):
        return None
    index = index_of(part, shipped_indices())
    ratio = _ratio(price, index, today)
    if ratio is None:
        return None
    middle, share = price.amount * ratio, _share(price, index, ratio, today) if index else WIDEST
    ends = middle * (1 - share), middle * (1 + share)
    return Estimate(*ends, price.currency, 1, price.as_of, price.as_of, Basis.OWN_PRICE, price, index)


def amount_today(part: Part, today: date) -> Price | Estimate | None:
    """By what the part's own price says: it, or the range that it makes."""
    return price_today(part, today) or carried(part, today)


def amount_in_lists(part: Part, today: date) -> Price | Estimate | None:
    """As `amount_today`; of what is no longer sold, and has no price of its own, what such parts are sold for used."""
    own = amount_today(part, today)
    if own is not None or not no_longer_sold(part, today):
        return own
    band = shipped_used_prices().band(part)
    return band.price(part) if band else None


class ListedPrice(Value):
    """A price as lists of parts keep it."""

    price: Price
    today: float | None = None
    """The middle of what it makes of today, in its currency, where it does not count as it is."""

    @property
    def counted(self) -> Price:
        """What lists are sorted by and show: the price, or that middle."""
        return self.price if self.today is None else self.price.model_copy(update=_middle(self.today))

    @classmethod
    def of(cls, part: Part, today: date) -> ListedPrice | None:
        """That of a part; None without a price."""
        counted = amount_in_lists(part, today)
        if isinstance(counted, Price):
            return cls(price=counted)
        return cls(price=part.price, today=counted.amount if counted else None) if part.price else None


def _middle(amount: float) -> dict[str, float | None]:
    return {"amount": amount, "low": None, "high": None}


def _ratio(price: Price, index: PriceIndex | None, today: date) -> float | None:
    """What prices of the class are today of what they were then."""
    if index is None:
        return 1.0 if today - price.as_of <= YEARS_OF_A_LIST else None
    now, then = index.level(today), index.level(price.as_of)
    if price.kind not in OF_THE_MAKER:
        return now / then if now and then else None
    left = index.launch_per_year ** _years(price.as_of, today)
    return (index.launch or 1.0) * left * now / 100 if now else None


def _share(price: Price, index: PriceIndex, ratio: float, today: date) -> float:
    """How far the range reaches to either side of its middle."""
    after = 12 * _years(index.until, today)
    wider = WIDER_A_YEAR * _years(price.as_of, today) + WIDER_WHEN_MOVED * abs(log(ratio)) + WIDER_A_MONTH_AFTER * after
    return min(WIDEST, index.spread + wider)


def _years(since: date, today: date) -> float:
    return max(0, (today - since).days) / 365
