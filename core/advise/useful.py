"""Which parts are worth looking at first: those sold today, then those of which the deciding figures are known."""

from __future__ import annotations

from datetime import date
from typing import Any

from core.advise.candidate import candidate
from core.parts.columns import Columns
from core.parts.must_have import MUST_HAVE, must_have
from core.parts.vocabulary import Category

SOLD_FOR_YEARS = 5
"""A part that came out longer ago counts as discontinued unless somebody noted a newer price; our own choice."""
FIELDS: dict[Category, tuple[str, ...]] = {
    category: tuple(sorted({*fields, *more, "year", "price"}))
    for category, fields in MUST_HAVE.items()
    for more in [{Category.GPU: ("form",)}.get(category, ())]
}
"""By category the figures that this looks at."""
Standing = tuple[int, int]
"""0 sold today, 1 not known, 2 discontinued; and how many deciding figures are unknown. The smaller, the earlier."""


def standing(category: Category, columns: Columns, kind: int, today: date) -> Standing:
    """Of a kind of the columns, which have the FIELDS of the category."""
    part, _ = candidate(category, "this", lambda name: columns.value(name, kind))
    unknown = sum(getattr(part.spec, field) is None for field in must_have(part))
    return _sale(columns.value("year", kind), columns.value("price", kind), today), unknown


def _sale(year: int | None, price: dict[str, Any] | None, today: date) -> int:
    seen = date.fromisoformat(price["as_of"]).year if price and price["kind"] != "launch" else None
    latest = max((one for one in (year, seen) if one is not None), default=None)
    if latest is None:
        return 1
    return 0 if today.year - latest <= SOLD_FOR_YEARS else 2
