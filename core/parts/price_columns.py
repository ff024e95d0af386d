"""What the columns of price lists are called, in many languages, and how their cells are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any

from core.parts.money import PER_USD, SIGNS, typed_amount

OF_A_TABLE = "name_of_the_table"
"""Where a row is a table of JSON that has its name as the key: {"RTX 3090": {"price": 800}}."""
NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "part_id", "rigwright_id"),
    "part_number": (
        *("part_number", "mpn", "manufacturer_part_number", "part_no", "partno", "partnumber", "model_number"),
        *("herstellernummer", "hersteller_nr", "hersteller_artikelnummer", "型番", "料號", "料号"),
        *("article_number", "artikelnummer", "artikel_nr", "sku"),
    ),
    "maker": (
        *("maker", "manufacturer", "brand", "manufacturer_name", "brand_name", "hersteller", "marke", "fabricant"),
        *("marque", "fabricante", "marca", "produttore", "producent", "メーカー", "メーカー名", "ブランド", "品牌"),
        *("廠牌", "廠商", "厂商", "제조사"),
    ),
    "name": (
        *("name", "product", "product_name", "title", "part", "item", "item_name", "description", "model", "artikel"),
        *("bezeichnung", "artikelbezeichnung", "produkt", "produktname", "produktbezeichnung", "désignation", "nom"),
        *("produit", "nombre", "producto", "nome", "prodotto", "nazwa", "název", "наименование", "название", "товар"),
        *(
            "商品名",
            "製品名",
            "商品名稱",
            "商品名称",
            "品名",
            "名稱",
            "名称",
            "商品",
            "型號",
            "型号",
            "상품명",
            "제품명",
        ),
        *("component", "gpu", "gpu_name", "gpu_model", "card", "cpu", OF_A_TABLE),
    ),
    "amount": (
        *("amount", "price", "unit_price", "price_amount", "price_value", "price_each", "current_price", "sale_price"),
        *("street_price", "retail_price", "new_price", "price_new", "price_min", "min_price", "lowest_price"),
        *("best_price", "low_price", "cost", "unit_cost", "preis", "neupreis", "bestpreis", "preis_brutto"),
        *("bruttopreis", "prix", "prix_ttc", "precio", "prezzo", "preço", "preco", "cena", "cena_brutto", "pris"),
        *("prijs", "цена", "価格", "最安価格", "税込価格", "售價", "售价", "價格", "价格", "單價", "单价", "가격"),
    ),
    "used": ("used_price", "price_used", "gebrauchtpreis", "prix_occasion", "中古価格", "二手價", "二手价"),
    "list": ("list_price", "price_list", "msrp", "rrp", "srp", "uvp", "launch_price", "price_launch", "定価", "定價"),
    "condition": (
        *("condition", "item_condition", "kind", "price_kind", "zustand", "état", "etat", "estado", "condizione"),
        *("stan", "stav", "состояние", "状態", "狀態", "商品狀態", "成色", "상태"),
    ),
    "currency": (
        *("currency", "currency_code", "price_currency", "währung", "devise", "moneda", "valuta", "waluta", "měna"),
        *("通貨", "幣別", "币种", "통화"),
    ),
    "date": (
        *("date", "as_of", "price_date", "price_updated_at", "updated", "updated_at", "last_updated", "timestamp"),
        *("scraped_at", "fetched_at", "collected_at", "crawled_at", "snapshot_date", "day", "datum", "stand"),
        *("fecha", "data", "дата", "日付", "更新日", "日期", "날짜", "last_seen_at"),
    ),
}
"""By what it is, the names that a column goes by, the likeliest first."""
NAMING = ("id", "part_number", "name")
"""One of these says which part is meant."""
PRICES = ("amount", "used", "list")
"""One of these says what it costs: new or as its condition says, used, or by the maker's list."""
_IN = re.compile(r"(?P<what>used_|list_|msrp_|unit_)?(?:prices?_|amount_|cost_|preis_)?(?:in_)?(?P<code>[a-z]{3})")
_BREAK = re.compile(r"(?<=[a-z])(?=[A-Z])")
_NO_WORD = re.compile(r"[\W_]+")

YENS = {"¥": ("JPY", "CNY"), "￥": ("JPY", "CNY"), "円": ("JPY",), "元": ("TWD", "CNY"), "kr": ("SEK", "NOK", "DKK")}
"""What stands for the currency of several countries: the list, or whoever reads it, says which."""
DOLLARS = ("USD", "TWD", "CAD", "AUD", "NZD", "SGD", "HKD", "BRL")
CODES = {**SIGNS, "US$": "USD", "NT$": "TWD", "C$": "CAD", "CA$": "CAD", "A$": "AUD", "AU$": "AUD", "NZ$": "NZD",
         "S$": "SGD", "HK$": "HKD", "R$": "BRL", "zł": "PLN", "Kč": "CZK", "Ft": "HUF", "฿": "THB", "₺": "TRY",
         "Fr.": "CHF", "RMB": "CNY"}  # fmt: skip
"""What stands before or behind an amount, and for which currency."""
_SIGN = re.compile("|".join(map(re.escape, sorted((*CODES, *YENS), key=len, reverse=True))) + r"|\b[A-Z]{3}\b")

_NO_CENTS = re.compile(r"[.,][-–—]+$")
""" "499,-" """

_DAYS = (
    re.compile(r"(?P<y>\d{4})[-/.年](?P<m>\d{1,2})[-/.月](?P<d>\d{1,2})"),
    re.compile(r"(?P<y>\d{4})(?P<m>\d\d)(?P<d>\d\d)(?!\d)"),
    re.compile(r"(?P<d>\d{1,2})\.\s?(?P<m>\d{1,2})\.\s?(?P<y>\d{4})"),
)
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_SECONDS = re.compile(r"\d{10}(?:\d{3})?(?:\.\d+)?")
_FIRST = date(2000, 1, 1)
"""No price of a part is older."""


def column(heading: str) -> str:
    """A heading as the names above are written: "priceCurrency" is price_currency."""
    return _NO_WORD.sub("_", _BREAK.sub("_", heading).casefold()).strip("_")


@dataclass(frozen=True, slots=True)
class Cell:
    """What a row costs, as it stands there."""

    what: str
    """One of `PRICES`."""
    amount: Any
    currency: str = ""
    """As the heading says it."""


def price_column(name: str) -> tuple[str, str] | None:
    """Which of `PRICES` a column is, and the currency in its heading; None for another column."""
    for what in PRICES:
        if name in NAMES[what]:
            return what, ""
    match = _IN.fullmatch(name)
    if not match or match["code"].upper() not in PER_USD or name == match["code"]:
        return None
    return {"used_": "used", "list_": "list", "msrp_": "list"}.get(match["what"] or "", "amount"), match["code"].upper()


def names_part(columns: Iterable[str]) -> bool:
    """Whether one of these columns says which part is meant."""
    return not {name for what in NAMING for name in NAMES[what]}.isdisjoint(columns)


def price_cells(cells: Mapping[str, Any]) -> Iterator[Cell]:
    """What a row costs: new, and used where it says that as well; by the maker's list only where it says no other."""
    by_kind: dict[str, list[tuple[int, Cell]]] = {what: [] for what in PRICES}
    for name, value in cells.items():
        if value in (None, "") or isinstance(value, bool) or (priced := price_column(name)) is None:
            continue
        what, currency = priced
        rank = NAMES[what].index(name) if name in NAMES[what] else len(NAMES[what])
        by_kind[what].append((rank, Cell(what, value, currency)))
    paid = [min(by_kind[what], key=lambda one: one[0])[1] for what in ("amount", "used") if by_kind[what]]
    yield from paid or [min(one, key=lambda cell: cell[0])[1] for one in (by_kind["list"],) if one]


def amount_and_currency(text: str, usual: str) -> tuple[float, str]:
    """The number and the currency of "NT$ 12,990" or "1.299,00 €"; the currency is empty where it says none.

    `usual` is what rows without one are in: of a sign that several countries have, it is the one that is meant.
    Raises ValueError.
    """
    signs = _SIGN.findall(text)
    amount = typed_amount(_NO_CENTS.sub("", _SIGN.sub("", text).strip(" \u00a0:")))
    codes = {code for sign in signs if (code := currency_of(sign, usual))}
    if len(codes) > 1 or (signs and not codes):
        raise ValueError
    return amount, next(iter(codes), "")


def currency_of(word: str, usual: str) -> str:
    """The code of a sign or word for a currency; empty where it may be several and `usual` is none of them."""
    if word == "$":
        return usual if usual in DOLLARS else "USD"
    if word in YENS:
        possible = YENS[word]
        return usual if usual in possible else possible[0] if len(possible) == 1 else ""
    return CODES.get(word, word.upper())


def day_of(value: str, today: date) -> date:
    """The day that a cell says, as text of many countries or as seconds. Raises ValueError where none, or no past one.

    11/12/2026 is none: half of the world reads it the other way.
    """
    day = _day(value.strip())
    if not _FIRST <= day <= date.fromordinal(today.toordinal() + 1):
        raise ValueError
    return day


def _day(text: str) -> date:
    for form in _DAYS:
        if match := form.match(text):
            return date(int(match["y"]), int(match["m"]), int(match["d"]))
    if match := _SLASHED.match(text):
        one, two, year = map(int, match.groups())
        if one != two and max(one, two) <= 12:
            raise ValueError
        return date(year, *((one, two) if one <= 12 else (two, one)))
    if _SECONDS.fullmatch(text):
        seconds = float(text)
        return datetime.fromtimestamp(seconds / 1000 if seconds > 1e11 else seconds, UTC).date()
    raise ValueError


def day_in(name: str, today: date) -> date | None:
    """The day in the name of a file and its folders, the last one: "prices-2026-11-28.csv"."""
    for match in sorted((one for form in _DAYS[:2] for one in form.finditer(name)), key=lambda one: -one.start()):
        with suppress(ValueError):
            return day_of(match[0], today)
    return None
