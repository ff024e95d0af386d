"""Amounts of money as people type them, in the notations of many countries."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal

from pydantic import ValidationError

from core.errors import BadInput
from core.language import tr
from core.parts.part import Price
from core.shown import shown

SIGNS = {"$": "USD", "€": "EUR", "£": "GBP", "₩": "KRW", "₹": "INR"}
"""What stands for one currency only, or nearly so; ¥ is that of two."""
_SIGN = f"[A-Za-z]{{3}}|[{''.join(SIGNS)}]"
_TYPED = re.compile(
    rf"(?P<before>{_SIGN})?\s*(?P<amount>\d[\d.,'’\s]*?)\s*(?P<after>{_SIGN})?(?:\s+(?P<day>\d{{4}}-\d\d-\d\d))?"
)
_BLANK = re.compile(r"[\s'’]")
_WHOLE = re.compile(r"[0-9]+|[0-9]{1,3}(?:[.,][0-9]{3})+|[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}")
"""Thousands are grouped by three; in India by two above the first three: 1,51,200."""
_DIGITS = re.compile(r"[0-9]*")


def typed_amount(text: str) -> float:
    """The number of "1.999,50", "1,999.50", "1 999,50" or "1999.5". Raises ValueError.

    One point or comma before just three digits stands between thousands: prices have no third decimal.
    """
    plain = _BLANK.sub("", text)
    last = max(plain.rfind("."), plain.rfind(","))
    whole, rest = (plain[:last], plain[last + 1 :]) if last >= 0 else (plain, "")
    signs = [sign for sign in plain if sign in ".,"]
    if len(set(signs)) == 1 and (len(signs) > 1 or (len(rest) == 3 and whole.strip("0"))):
        whole, rest = plain, ""
    between = set(whole) & {".", ","}
    mixed = len(between) > 1 or (rest and plain[last] in between)
    if mixed or not _WHOLE.fullmatch(whole) or not _DIGITS.fullmatch(rest):
        raise ValueError(tr("{text!r} is not an amount", text=text))
    return float(f"{re.sub('[.,]', '', whole)}.{rest or 0}")


def typed_price(text: str, today: date, currency: str = "") -> Price:
    """A price of one's own as typed: "1499 USD", "€ 1.999,50", "1499 USD 2026-05-31".

    It is of today where no day stands behind it, and in `currency` where none is typed. Raises BadInput.
    """
    found = _TYPED.fullmatch(text.strip())
    try:
        if found is None:
            raise ValueError
        sign = found["before"] or found["after"] or currency
        return Price(
            amount=typed_amount(found["amount"]),
            currency=SIGNS.get(sign, sign.upper()),
            as_of=date.fromisoformat(found["day"]) if found["day"] else today,
            kind="own",
        )
    except (ValueError, ValidationError) as error:
        raise BadInput(
            tr("{text} is not a price. Write amount and currency, such as: 1499 USD 2026-05-31", text=shown(text))
        ) from error


def written(amount: float) -> str:
    """An amount with all its digits, as `typed_amount` reads it back."""
    text = format(Decimal(repr(amount)), "f")
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return f"{text}0" if re.search(r"\.\d{3}$", text) else text


def typed_rate(code: str, value: str, day: str, today: date) -> tuple[str, float, date]:
    """A rate as typed: a currency, what one unit of it is worth, and since when. Raises BadInput."""
    try:
        return code.strip().upper(), float(value.strip().replace(",", ".")), date.fromisoformat(day) if day else today
    except ValueError as error:
        said = shown(f"{code} {value} {day}".strip())
        raise BadInput(
            tr("{text} is not a rate. Write what one unit is worth, such as: USD 0.92 2026-11-20", text=said)
        ) from error
