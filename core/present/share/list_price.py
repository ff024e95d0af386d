"""A price in a line of a list, in the notations of many countries: taken out, with its currency, for one or for all."""

from __future__ import annotations

import re
from dataclasses import dataclass

from core.parts.money import PER_USD, SIGNS, typed_amount

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
_OF_ALL = re.compile(
    r"^\W{0,3}(?:in )?(?:total|altogether|together|for (?:all|both|the (?:pair|lot|set)))\b", re.IGNORECASE
)
_OF_ALL_BEFORE = re.compile(r"\b(?:total|all|both|together)(?: (?:of|for|cost|price))?\W{0,3}$", re.IGNORECASE)
_NUMBER_ALONE = re.compile(rf"[~≈]?\s*({_NUMBER})")


@dataclass(frozen=True, slots=True)
class StatedPrice:
    """What a list says that a part costs."""

    amount: float
    currency: str
    of_one: bool
    """Whether it is the price of one, else that of all in the line."""
    assumed: bool
    """Whether nothing in the list says of how many it is the price."""


def dollars_of(text: str) -> str:
    """Which dollar a plain $ is in a list: its links name the country's site."""
    match = _COUNTRY.search(text)
    return _COUNTRIES[match[1] or match[2]] if match else "USD"


def with_yen(text: str) -> str:
    """A list in Japanese, whose ¥ is the yen and not the yuan."""
    return re.sub("[¥￥]", "JPY ", text) if _KANA.search(text) else text


def apart(text: str, dollars: str) -> tuple[str, StatedPrice | None]:
    """A text without the price in it and what stands behind that, and the price; None for none, nothing and a range."""
    match = _PRICE.search(text)
    if match is None:
        return text, None
    before, after = text[: match.start()], text[match.end() :]
    of_one = before.rstrip().endswith("@") or bool(_EACH.search(after) or _EACH_BEFORE.search(before))
    of_all = bool(_OF_ALL.search(after) or _OF_ALL_BEFORE.search(before))
    opened = before.rfind("(")
    amount = _amount(match["first"] or match["second"])
    if opened > 0 and ")" not in before[opened:]:
        amount = None if any(map(str.isdigit, before[opened:])) else amount
        before = before[:opened]
    rest = _BOUGHT.sub("", before.rstrip(_LEFT)).rstrip(_LEFT)
    if not any(letter.isalpha() for letter in rest):
        rest = "" if after.lstrip().startswith("@") else after.lstrip(" )-–—:,|")
    currency = _currency(match, dollars)
    if times := _TIMES.fullmatch(after):
        rest, of_one = f"{rest} x{times[1]}", True
    if amount is None or amount <= 0 or _RANGE.match(after) or currency not in PER_USD:
        return rest, None
    amount *= 1000 if match["thousand"] else 1
    return rest, StatedPrice(amount, currency, of_one, assumed=not (of_one or of_all))


def alone(text: str, dollars: str) -> StatedPrice | None:
    """The price of a text that is a price and nothing else, but for the shop."""
    rest, price = apart(text, dollars)
    return price if not rest else None


def in_cell(cell: str, currency: str) -> StatedPrice | None:
    """The price of a cell in a column of prices, in a currency where it names none."""
    _, price = apart(cell, currency or "USD")
    number = _NUMBER_ALONE.fullmatch(cell.strip())
    if price is None and number and (amount := _amount(number[1])):
        return StatedPrice(amount, currency or "USD", of_one=False, assumed=True)
    return price


def _amount(text: str) -> float | None:
    try:
        return typed_amount(text)
    except ValueError:
        return None


def _currency(match: re.Match[str], dollars: str) -> str:
    sign = match["before"] or match["after"]
    if sign == "$":
        return dollars
    if sign.endswith("$"):
        return _DOLLARS[sign.removesuffix("$")]
    return SIGNS.get(sign) or _OTHERS.get(sign) or sign
