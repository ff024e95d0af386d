"""What a search finds: parts as a list shows them, and how the words were taken."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from core.language import current_language
from core.parts import rows
from core.parts.figures import summary
from core.parts.part import Origin, Price
from core.parts.price_ageing import ListedPrice
from core.parts.query import Query
from core.parts.vocabulary import Category

_ENGLISH = "id, category, title, summary, price, origin"


@dataclass(frozen=True, slots=True)
class Hit:
    """A part in a list: enough to choose by, without its whole spec."""

    id: str
    category: Category
    title: str
    summary: str
    price: Price | None
    origin: Origin
    figure: float | str | None = None
    """The one that the list is sorted by, if it is sorted by a figure and the part has it."""
    today: Price | None = None
    """The middle of what an older price makes of today; None where it counts as it is, or says nothing."""


@dataclass(frozen=True, slots=True)
class FoundParts:
    """What a person's words found."""

    hits: list[Hit]
    query: Query
    """As it was asked: without a number of parts, and with known words in the place of those that no part has."""
    unknown: tuple[str, ...] = ()
    """Words typed that no part has, for which others were searched."""
    quantity: int | None = None
    """How many were asked for: 4 of "4x 4090"."""
    left_out: tuple[str, ...] = ()
    """Words typed that no part has together with those of the query."""


@lru_cache(maxsize=10_000)
def _prices(stored: str) -> tuple[Price, Price | None]:
    """Read once: every search lists the same parts again."""
    listed = ListedPrice.model_validate_json(stored)
    today = listed.today and listed.price.model_copy(update={"amount": listed.today, "low": None, "high": None})
    return listed.price, today or None


def hit_columns() -> str:
    """The columns of a hit, in SQL: the short line is stored in English, and made anew of the part elsewhere."""
    return _ENGLISH if current_language() == "en" else _ENGLISH.replace("summary", "part")


def hit_of(row: tuple[Any, ...], columns: str) -> Hit:
    """The hit of a row of these columns, with the figure that the list is sorted by behind them."""
    part_id, category, title, line, price, origin, figure = row
    shown, today = _prices(price) if price else (None, None)
    short = line if columns == _ENGLISH else summary(rows.restored(part_id, line, origin))
    return Hit(part_id, Category(category), title, short, shown, Origin(origin), figure, today)
