"""What a price says of today: whether it counts at all, how old it is, and how it is written with that."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from core.parts.part import Part, Price, no_longer_sold
from core.parts.price_index import index_of, shipped_indices
from core.words import joined, listed, plain, tr, trc
from core.words.units import number

PRICE_KINDS = {
    "launch": trc("price", "launch"),
    "list": trc("price", "list"),
    "street": trc("price", "street"),
    "used": trc("price", "used"),
    "own": trc("price", "own"),
}
"""What sort of price it is, by the word of the catalogue."""
STREET, USED = "street", "used"
OF_THE_MAKER = ("launch", "list")
"""What a maker asked, whether or not anybody sells it for that now."""
AGED = timedelta(days=92)
"""A price of before that is shown with its month."""
YEAR = timedelta(days=365)


YEARS_OF_A_LIST = 5 * YEAR
"""For so long a maker's price, or one of a class without an index, says something of today."""
MOVED = 0.1
"""A price no longer counts once those of its class have moved by more than this share since."""


def price_today(part: Part, today: date) -> Price | None:
    """The price that totals and rankings count: the user's own, and what shops ask as long as that is recent; of a part
    that is no longer sold, and of no other, what it fetches used."""
    price = part.price
    if price is None or price.kind in OF_THE_MAKER or (price.kind == USED and not no_longer_sold(part, today)):
        return None
    return price if price.kind == "own" or _is_recent(part, price, today) else None


def _is_recent(part: Part, price: Price, today: date) -> bool:
    """Not over a year old, and the index of its class has hardly moved since."""
    if today - price.as_of > YEAR:
        return False
    index = index_of(part, shipped_indices())
    then, now = (index.level(price.as_of), index.level(today)) if index else (None, None)
    return then is None or now is None or abs(now / then - 1) <= MOVED


def past_price(part: Part, today: date) -> Price | None:
    """What the maker asked for a part that is no longer sold, or long ago: it says nothing of today."""
    price = part.price
    if price is None or price.kind not in OF_THE_MAKER:
        return None
    return price if no_longer_sold(part, today) or today - price.as_of > YEARS_OF_A_LIST else None


def month_of(day: date, today: date) -> str:
    """ "2022-11" of a day over three months ago, else empty."""
    return f"{day:%Y-%m}" if today - day > AGED else ""


def age_words(price: Price, today: date) -> str:
    """ "2022-11" where it is over three months old, "launch 2022-11" where it is the maker's, "used 2022-11"; else
    empty."""
    kind = PRICE_KINDS[price.kind] if price.kind in (*OF_THE_MAKER, USED) else ""
    return joined((kind, month_of(price.as_of, today)))


def full_words(price: Price) -> str:
    """ "1199 USD (1100 to 1300 USD), launch, 2022-11-16": all that is known of it, in its own currency."""
    amount = plain("{amount} {currency}", amount=number(price.amount, 0), currency=price.currency)
    several = f" ({price.range_words})" if price.range_words else ""
    kind, day = PRICE_KINDS[price.kind], price.as_of.isoformat()
    return plain("{amount}{several}, {kind}, {day}", amount=amount, several=several, kind=kind, day=day)


def uncounted(past: Iterable[tuple[Part, Price]]) -> str:
    """What makers asked for these parts, in a sentence; empty for none."""
    prices = [plain("{part} ({price})", part=part.title, price=full_words(price)) for part, price in past]
    if not prices:
        return ""
    return tr(
        "What a maker asked for a part no longer sold, or over five years ago, does not count: {parts}.",
        parts=listed(prices),
    )


def brought_words(price: Price, today: date) -> str:
    """ "≈ 780 USD (2025-07)": an amount of today by a price of that month."""
    amount = plain("{amount} {currency}", amount=number(price.amount, 0), currency=price.currency)
    age = age_words(price, today)
    return plain("≈ {amount} ({age})", amount=amount, age=age) if age else plain("≈ {amount}", amount=amount)


def dated_words(price: Price, today: date, quantity: int = 1) -> str:
    """ "1199 USD, 2022-11": of so many, with its age."""
    amount = plain("{amount} {currency}", amount=number(price.amount * quantity, 0), currency=price.currency)
    age = age_words(price, today)
    return joined((amount, age), ", ")
