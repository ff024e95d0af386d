"""What a price says of today: whether it counts at all, how old it is, and how it is written with that."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date, timedelta

from core.language import joined, plain, tr, trc
from core.parts.condition import no_longer_sold
from core.parts.part import Part, Price
from core.phrasing import listed
from core.units import number

PRICE_KINDS = {
    "launch": trc("price", "launch"),
    "list": trc("price", "list"),
    "street": trc("price", "street"),
    "used": trc("price", "used"),
    "own": trc("price", "own"),
}
"""What sort of price it is, by the word of the catalogue."""
STREET, USED = "street", "used"
ALWAYS_COUNTED = (STREET, "own")
OF_THE_MAKER = ("launch", "list")
"""What a maker asked, whether or not anybody sells it for that now."""
AGED = timedelta(days=92)
"""A price of before that is shown with its month."""
YEAR = timedelta(days=365)


def price_today(part: Part, today: date) -> Price | None:
    """The price that totals and rankings count: of a part that is no longer sold not what its maker asked, of one that
    is not what it fetches used."""
    price = part.price
    if price is None or price.kind in ALWAYS_COUNTED:
        return price
    return price if no_longer_sold(part, today) is (price.kind == USED) else None


def past_price(part: Part, today: date) -> Price | None:
    """What the maker asked for a part that is no longer sold; None where its price is one of today, or unknown."""
    price = part.price
    return price if price and price.kind in OF_THE_MAKER and price_today(part, today) is None else None


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
    asked = [plain("{part} ({price})", part=part.title, price=full_words(price)) for part, price in past]
    if not asked:
        return ""
    return tr("What a maker asked for a part no longer sold does not count: {parts}.", parts=listed(asked))


def dated_words(price: Price, today: date, quantity: int = 1) -> str:
    """ "1199 USD, 2022-11": of so many, with its age."""
    amount = plain("{amount} {currency}", amount=number(price.amount * quantity, 0), currency=price.currency)
    age = age_words(price, today)
    return joined((amount, age), ", ")
