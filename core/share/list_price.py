"""A price in a line of a list, in the notations of many countries: taken out, with its currency, for one or for all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.parts.amount import SIGNS, typed_amount
from core.parts.money import PER_USD

_DOLLARS = {"US": "USD", "CA": "CAD", "C": "CAD", "AU": "AUD", "A": "AUD", "NZ": "NZD", "HK": "HKD", "NT": "TWD",
            "S": "SGD", "R": "BRL"}  # fmt: skip
"""What stands before a $ that is not of the list's own country."""
_OTHERS = {"¥": "CNY", "￥": "CNY", "Rs": "INR", "Rs.": "INR", "kr": "SEK", "zł": "PLN", "Kč": "CZK", "Ft": "HUF",
           "₺": "TRY", "฿": "THB", "元": "CNY", "円": "JPY", "yuan": "CNY", "RMB": "CNY", "rmb": "CNY", "Euro": "EUR",
           "euro": "EUR", "Euros": "EUR", "euros": "EUR", "₽": "RUB", "руб.": "RUB", "руб": "RUB"}  # fmt: skip
_COUNTRIES = {"ca": "CAD", "au": "AUD", "nz": "NZD", "sg": "SGD", "hk": "HKD"}
"""Whose part lists write their own dollar as a plain $."""
_COUNTRY = re.compile(rf"//({'|'.join(_COUNTRIES)})\.pcpartpicker\.com|\bpcpartpicker\.com/({'|'.join(_COUNTRIES)})/")
_SIGN = rf"(?:{'|'.join(_DOLLARS)})?\$|[{''.join(SIGNS).replace('$', '')}]|{'|'.join(map(re.escape, _OTHERS))}"
_UNIT = rf"{_SIGN}|{'|'.join(PER_USD)}"
_NUMBER = r"\d{1,3}(?:[  ’']\d{3})+(?:[.,]\d{1,2})?(?![\d.,])|\d[\d.,]*\d|\d"
_PRICE = re.compile(
    rf"(?<![A-Za-z0-9])(?P<before>{_UNIT})\s?(?P<first>{_NUMBER})(?P<thousand>k\b)?(?P<cents>,-|\.-)?"
    rf"|(?<![A-Za-z0-9.,])(?P<second>{_NUMBER})\s?(?P<after>{_UNIT})(?!\w|\s?\d)"
)
_RANGE = re.compile(rf"\s*(?:-|–|—|to)\s*(?:{_UNIT})?\s?\d")
_BOUGHT = re.compile(
    r"(?:purchased|bought|paid|price[ds]?|cost)?\s*(?:\b(?:for|at|from|ab|um|à)|:)?\s*$", re.IGNORECASE
)
_TIMES = re.compile(r"\s*[x×*]\s?(\d{1,2})\s*\)?")
"""Behind a price, of how many it is that of one."""
_KANA = re.compile("[\u3041-\u30fa]")
_LEFT = " \t([{-–—:@~≈=,|≥<>+"
_EACH = re.compile(
    r"^\W{0,3}(?:each|ea\b|apiece|per\b|/\s?(?:pc|ea|unit|stk)|je\b|pro stück|a piece)|\beach\b", re.IGNORECASE
)
_EACH_BEFORE = re.compile(r"\b(?:each|je|unit price)\W{0,3}$", re.IGNORECASE)
_NUMBER_ALONE = re.compile(rf"[~≈]?\s*({_NUMBER})")


@dataclass(frozen=True, slots=True)
class ToldPrice:
    """What a list says that a part costs."""

    amount: float
    currency: str
    each: bool
    """Whether it says that one costs so much."""


def dollars_of(text: str) -> str:
    """Which dollar a plain $ is in a list: its links name the country's site."""
    found = _COUNTRY.search(text)
    return _COUNTRIES[found[1] or found[2]] if found else "USD"


def with_yen(text: str) -> str:
    """A list in Japanese, whose ¥ is the yen and not the yuan."""
    return re.sub("[¥￥]", "JPY ", text) if _KANA.search(text) else text


def apart(text: str, dollars: str) -> tuple[str, ToldPrice | None]:
    """A text without the price in it and what stands behind that, and the price; None for none, nothing and a range."""
    found = _PRICE.search(text)
    if found is None:
        return text, None
    before, after = text[: found.start()], text[found.end() :]
    each = before.rstrip().endswith("@") or bool(_EACH.search(after) or _EACH_BEFORE.search(before))
    opened = before.rfind("(")
    amount = _amount(found["first"] or found["second"])
    if opened > 0 and ")" not in before[opened:]:
        amount = None if any(map(str.isdigit, before[opened:])) else amount
        before = before[:opened]
    rest = _BOUGHT.sub("", before.rstrip(_LEFT)).rstrip(_LEFT)
    if not any(letter.isalpha() for letter in rest):
        rest = "" if after.lstrip().startswith("@") else after.lstrip(" )-–—:,|")
    currency = _currency(found, dollars)
    if times := _TIMES.fullmatch(after):
        rest, each = f"{rest} x{times[1]}", True
    if amount is None or amount <= 0 or _RANGE.match(after) or currency not in PER_USD:
        return rest, None
    return rest, ToldPrice(amount * (1000 if found["thousand"] else 1), currency, each)


def alone(text: str, dollars: str) -> ToldPrice | None:
    """The price of a text that is a price and nothing else, but for the shop."""
    rest, told = apart(text, dollars)
    return told if not rest else None


def in_cell(cell: str, currency: str) -> ToldPrice | None:
    """The price of a cell in a column of prices, in a currency where it names none."""
    _, told = apart(cell, currency if currency else "USD")
    alone = _NUMBER_ALONE.fullmatch(cell.strip())
    if told is None and alone and (amount := _amount(alone[1])):
        return ToldPrice(amount, currency or "USD", each=False)
    return told


def _amount(text: str) -> float | None:
    try:
        return typed_amount(text)
    except ValueError:
        return None


def _currency(found: re.Match[str], dollars: str) -> str:
    sign = found["before"] or found["after"]
    if sign == "$":
        return dollars
    if sign.endswith("$"):
        return _DOLLARS[sign.removesuffix("$")]
    return SIGNS.get(sign) or _OTHERS.get(sign) or sign
