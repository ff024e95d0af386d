"""What a search finds: parts as a list shows them, and how the words were taken."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from typing import Any

from core.parts import rows
from core.parts.figures import summary
from core.parts.money import COMPARED, MoneyTerms
from core.parts.part import Origin, Price
from core.parts.price_ageing import ListedPrice
from core.parts.price_today import brought_words, dated_words
from core.parts.query import Query
from core.parts.vocabulary import Category
from core.words import current_language

_ENGLISH = "id, category, title, summary, price, origin"


@dataclass(frozen=True, slots=True)
class Hit:
    """A part in a list: enough to choose by, without its whole spec."""

    id: str
    category: Category
    title: str
    summary: str
    listed: ListedPrice | None
    origin: Origin
    figure: float | str | None = None
    """The one that the list is sorted by, if it is sorted by a figure and the part has it."""
    terms: MoneyTerms = field(default=COMPARED, hash=False)
    """Those of the list. Of thousands of hits few are looked at: their prices are brought into them then."""

    @property
    def price(self) -> Price | None:
        """As it is stored: in the currency and of the day of its source."""
        return self.listed.price if self.listed else None

    @property
    def shown(self) -> Price | None:
        """In the currency of the list: the price, or the middle of what an older one makes of today."""
        return self.terms.shown(self.listed.counted) if self.listed else None

    @property
    def brought(self) -> bool:
        """Whether it is such a middle."""
        return self.listed is not None and self.listed.today is not None

    def price_words(self, today: date) -> str:
        """ "1199 USD, 2026-05", "≈ 4780 USD (launch 2025-01)"; empty without a price."""
        shown = self.shown
        if shown is None:
            return ""
        return (brought_words if self.brought else dated_words)(shown, today)


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


def hit_columns() -> str:
    """The columns of a hit, in SQL: the short line is stored in English, and made anew of the part elsewhere."""
    return _ENGLISH if current_language() == "en" else _ENGLISH.replace("summary", "part")


def hit_of(row: tuple[Any, ...], columns: str, terms: MoneyTerms) -> Hit:
    """The hit of a row of these columns, with the figure that the list is sorted by behind them."""
    part_id, category, title, line, price, origin, figure = row
    listed = rows.stored_price(price) if price else None
    short = line if columns == _ENGLISH else summary(rows.restored(part_id, line, origin))
    return Hit(part_id, Category(category), title, short, listed, Origin(origin), figure, terms)
