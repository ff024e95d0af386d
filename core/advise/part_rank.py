"""Which parts are worth looking at first: those sold today, then those of which the deciding figures are known."""

from __future__ import annotations

from datetime import date
from typing import Any

from core.parts.figure import YEARS
from core.parts.figures import SpecColumns, deciding, deciding_for, kind_field
from core.parts.vocabulary import Category

SEEN_IN_SHOPS = ("street", "own")
"""Kinds of price that show that the part was sold on that day; a list keeps parts long after."""
SOLD_FOR_YEARS = 5
"""A part that came out longer ago counts as discontinued unless somebody noted a newer price; our own choice. Where it
is known that its sale ended, that holds."""
RANK_FIELDS: dict[Category, tuple[str, ...]] = {
    category: tuple(sorted({*deciding(category), *YEARS, "price", *filter(None, (kind_field(category),))}))
    for category in Category
}
"""By category the figures that this looks at."""
PartRank = tuple[int, int]
"""0 sold today, 1 not known, 2 discontinued; and how many deciding figures are unknown. The smaller, the earlier."""


def part_ranks(category: Category, columns: SpecColumns, today: date) -> list[PartRank]:
    """Of every kind of the columns, which have the FIELDS of the category."""
    told = [columns.by_field[name] for name in ("year", "discontinued", "price")]
    kinds = [*zip(*(column.codes for column in told), strict=True)]
    sales = {
        codes: _sale(*(column.values[code] for column, code in zip(told, codes, strict=True)), today=today)
        for codes in {*kinds}
    }
    unknown = _unknown(category, columns)
    return [(sales[codes], unknown[kind]) for kind, codes in enumerate(kinds)]


def _unknown(category: Category, columns: SpecColumns) -> list[int]:
    """How many of the deciding figures of each kind are unknown."""
    field = kind_field(category)
    sorts = columns.by_field[field] if field else None
    counts = [0] * columns.count
    for name in deciding(category):
        column = columns.by_field[name]
        applies = [name in deciding_for(category, value) for value in (sorts.values if sorts else (None,))]
        lacks = [value is None for value in column.values]
        if any(lacks):
            for kind, code in enumerate(column.codes):
                counts[kind] += lacks[code] and applies[sorts.codes[kind] if sorts else 0]
    return counts


def _sale(year: int | None, discontinued: int | None, price: dict[str, Any] | None, *, today: date) -> int:
    if discontinued is not None and discontinued <= today.year:
        return 2
    seen = date.fromisoformat(price["as_of"]).year if price and price["kind"] in SEEN_IN_SHOPS else None
    latest = max((one for one in (year, seen) if one is not None), default=None)
    if latest is None:
        return 1
    return 0 if today.year - latest <= SOLD_FOR_YEARS else 2
