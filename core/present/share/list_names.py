"""What a line of a list says beside the part: how many, at which price; and the part's name without that."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from core.parts.identity import is_bare_chip
from core.parts.money import PER_USD, SIGNS, typed_amount
from core.plan.line import MAX_QUANTITY

_WORDS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "ten": 10, "twelve": 12}
_PIECES = r"pcs?\.?|pieces|units?|stk\.?|stück|pc\."
_LEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"^(?P<n>\d{{1,2}})\s?(?:[x×*]|{_PIECES})\s+(?!\d{{1,3}}\s?gb?\b)(?=\S)",
        r"^(?P<n>\d{1,2})[x×](?=[a-zäöü]|\d{4}(?:w|\b))",
        r"^[x×]\s?(?P<n>\d{1,2})\s+(?=\S)",
        r"^\((?P<n>\d{1,2})\s?[x×]?\)\s*(?=\S)",
        rf"^(?P<w>{'|'.join(_WORDS)})\s+(?=\S)",
    )
)
_PLAIN_LEAD = re.compile(r"^(?P<n>\d{1,2})\s+(?=[^\W\d])(?!(?:gb|tb|w|mm|cores?|port|bit|x)\b)", re.IGNORECASE)
"""A number before a name, "4 NVIDIA RTX A6000", that may say how many."""
_NUMBER_WORDS = {"dual": 2, "twin": 2, "pair of": 2, "triple": 3, "quad": 4}
_NUMBER_WORD = re.compile(rf"^(?:an? )?({'|'.join(_NUMBER_WORDS)})[\s-]+(?=\S)", re.IGNORECASE)
_COUNTED_CHIP = re.compile(r"(?:amd |intel )?(?:epyc|xeon|opteron)|nvidia ", re.IGNORECASE)
"""What a number word before it counts. Before other names it may be of a product line: "Dual GeForce RTX 4060 OC"."""
_TAILS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"\s*[(\[]\s?(?:qty\.?:?\s*|quantity:?\s*)?[x×*]?\s?(?P<n>\d{1,2})\s?[x×]?\s?[)\]]$",
        r"\s+[x×*]\s?(?P<n>\d{1,2})$",
        r"\s+(?P<n>\d{1,2})[x×]$",
        rf"[\s,(]+(?P<n>\d{{1,2}})\s?(?:{_PIECES})\)?$",
        r"[\s,(]+(?:qty|quantity|menge|anzahl)\.?:?\s*(?P<n>\d{1,2})\)?$",
    )
)
_IS_RAM = re.compile(r"\bddr\d|dimm|\bram\b|\bmemory\b", re.IGNORECASE)
_SIZE_FIRST = re.compile(r"\b(\d{1,3})\s?gb?\s?[x×*]\s?(\d{1,2})\b(?!\s?gb?\b)", re.IGNORECASE)
"""Modules of RAM with their size first: "32GB x 4"."""
_OF_ALL = re.compile(r"(\s[x×]\s?\d{1,2})\s*[(\[]\s?\d{2,4}\s?gb[^()\[\]]*[)\]]$", re.IGNORECASE)
"""A count, and how much memory so many have."""
_LANES = re.compile(r"(?:pcie?|gen|m\.2|nvme|lanes?)\s?[\d.]*\s*$|\d\.0\s*$", re.IGNORECASE)
"""What stands before an "x4" that counts lanes, not parts."""
_REPLACED = tuple(
    (re.compile(pattern, re.IGNORECASE), word)
    for pattern, word in (
        (r"\b(\d{1,3})\s?gb (?:of )?(?:vram|gddr\d\w?|hbm\w*)(?: vram)?\b", r"\1GB"),
        (r"\b\d{2,4}\s?gb\b[^,()]{0,20}\btotal\b,?\s*", ""),
        (r"\beach\b|\btotal of\b", ""),
        (r"(?<=\d)\s?(?-i:Go|ГБ|Гб)\b", " GB"),
        (r"(?<=\d)\s?(?-i:To|ТБ|Тб)\b", " TB"),
        (r"\b\d{1,3}[- ]?c(?:ores?)?\s?/\s?\d{1,3}[- ]?t(?:hreads?)?\b", ""),
        (r"\((\d{1,2})\s?[x×]\s?(\d{1,3})\)", r"(\1 x \2 GB)"),
        (r"\b\d{1,3}c/?\d{1,3}t\b", ""),
        (r"\bliquid cpu cooler\b", "CPU Cooler"),
        (r"^(?:used|refurbished)\s+", ""),
        (r"(?<=\()[\s,;]+", ""),
        (r"[\s,;]+(?=\))", ""),
        (r"\s+with nvlink$", ""),
        (r"\(\)", ""),
        (r",(?=\s*,)", ""),
    )
)
_REMARKS = (
    r"used|new|refurb(?:ished)?|second[- ]?hand|open box|(?:from )?ebay|amazon|newegg|gebraucht|neu|tray|retail",
    r"boxed(?: ohne kühler| mit kühler)?|reuse|re-?used|(?:already )?owned|existing|optional|cheap|street price|tested",
    r"\d{1,3}[- ]cores?.{0,30}|\d{1,3} threads?|\d{1,3} ?c|unlocked|locked",
    r"up to [\d.]+ ?ghz|[\d.]+(?:-[\d.]+)? ?ghz(?: base| boost| turbo)?|\d{2,3} ?w tdp|tdp \d{2,3} ?w",
    r"sp[356]|am[45]|s?tr[45x]\w{0,4}|swrx8|lga ?\d{3,4}",
    r"(?:\d{1,2} ?[x×] ?)?pcie? ?(?:gen ?)?\d(?:\.0)?(?: ?x\d{1,2})?(?: slots?)?|dual 10 ?gbe|ipmi|zen ?\d\+?",
    r"msrp|rrp|uvp|nib|(?:\d ?[x×] ?)?(?:hdmi|dp|displayport|dvi)(?: ?\d\.\d\w?)?",
    r"~?\d{1,2}(?:[.,]\d{1,2})?k",
    r"nvlinked|nvlink(?: bridged)?|zfs mirror|raid ?\d|\d-channel|quad[- ]channel",
)
"""What people say besides, and what tells no parts apart."""
_REMARK = re.compile("|".join(_REMARKS), re.IGNORECASE)
_ASIDE = re.compile(r"\s*[(\[]([^()\[\]]{1,120})[)\]]")
_LAST = re.compile(r"^(.{3,}?)\s*(?:,\s+|;\s*|\s[-–—]\s)([^,;]{1,60})$")
_MODULES = re.compile(r"\b(?P<n>\d{1,2})\s?[x×*]\s?(?P<gb>\d{1,3})\s?gb?\b", re.IGNORECASE)
MAX_NAME = 200
"""Letters of a name that are looked at."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A name, and how many."""

    name: str
    count: int
    counted: bool
    """Whether the line says how many."""


def name_readings(text: str) -> Iterator[Reading]:
    """The ways in which a name can be read, the likeliest first: "8 x 32 GB" is a kit, else eight modules."""
    text, count = _counted(text[:MAX_NAME])
    name = _bare(text)
    yield Reading(name, count or 1, count is not None)
    if count is None and (lead := _PLAIN_LEAD.match(name)) and 1 <= int(lead["n"]) <= MAX_QUANTITY:
        yield Reading(name[lead.end() :], int(lead["n"]), True)
    modules = _MODULES.search(name)
    if modules and 1 < int(modules["n"]) <= 24:
        number, size = int(modules["n"]), int(modules["gb"])
        one = f"{name[: modules.start()]}{size} GB{name[modules.end() :]}"
        one = re.sub(rf"\b{number * size}\s?gb?\b", "", one, flags=re.IGNORECASE).replace("(", " ").replace(")", " ")
        yield Reading(" ".join(one.split()), number * (count or 1), True)


def _counted(text: str) -> tuple[str, int | None]:
    if _IS_RAM.search(text):
        text = _SIZE_FIRST.sub(r"\2 x \1 GB", text)
    text = _OF_ALL.sub(r"\1", text.strip(" ,;:|"))
    for pattern in _LEADS:
        if match := pattern.match(text):
            groups = match.groupdict()
            return _within(text[match.end() :], text, int(groups.get("n") or 0) or _WORDS[groups["w"].casefold()])
    if (word := _NUMBER_WORD.match(text)) and _is_counted(text[word.end() :]):
        return text[word.end() :], _NUMBER_WORDS[word[1].casefold()]
    for pattern in _TAILS:
        match = pattern.search(text)
        if match and not _LANES.search(text[: match.start()]):
            return _within(text[: match.start()].rstrip(" ,("), text, int(match["n"]))
    return text, None


def _is_counted(name: str) -> bool:
    return bool(_COUNTED_CHIP.match(name)) or is_bare_chip(_bare(name))


def _within(rest: str, text: str, count: int) -> tuple[str, int | None]:
    return (rest, count) if 1 <= count <= MAX_QUANTITY and any(map(str.isalnum, rest)) else (text, None)


def _bare(text: str) -> str:
    """Without what tells no parts apart: how many cores, that it was bought used, "24GB VRAM each"."""
    whole = text
    for pattern, word in _REPLACED:
        text = pattern.sub(word, text)
    text = _ASIDE.sub(lambda aside: "" if all(map(_is_remark, aside[1].split(","))) else aside[0], text)
    while (match := _LAST.match(text)) and _is_remark(match[2]):
        text = match[1]
    if text.startswith("[") and text.rstrip().endswith("]"):
        text = text.strip(" []")
    return " ".join(text.split()).strip(" ,;:-–") or whole


def _is_remark(text: str) -> bool:
    return not text.strip() or bool(_REMARK.fullmatch(text.strip(" .")))


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
_PRICE_OF_ALL = re.compile(
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
    of_all = bool(_PRICE_OF_ALL.search(after) or _OF_ALL_BEFORE.search(before))
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
