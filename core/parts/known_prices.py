"""Reads from the catalogue what parts like those of a build cost."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import date

from core.parts.catalogue import Catalogue
from core.parts.money import read_terms
from core.parts.part import Part
from core.parts.price_ageing import amount_today
from core.parts.price_guide import Priced, PriceGuide
from core.parts.query import Filter, Query
from core.parts.used_prices import shipped_used_prices
from core.parts.vocabulary import CaseKind, Category
from core.words import trn


def read_guide(catalogue: Catalogue, parts: Iterable[Part]) -> PriceGuide:
    """What the catalogue knows of the prices of parts like these, in the currency that is set in its folder.

    No part is read where the own price of each says something of today. Raises BadInput where what is set cannot be
    read.
    """
    terms = read_terms(catalogue.path.parent)
    categories = lacking_prices(parts)
    if not categories:
        return PriceGuide(used=shipped_used_prices(), terms=terms)
    priced = {category: priced_parts(catalogue, category) for category in sorted(categories)}
    return PriceGuide(priced, parts_in_machines(catalogue), shipped_used_prices(), terms)


def advice_guide(catalogue: Catalogue) -> PriceGuide:
    """As `read_guide`, of whatever part may be suggested: a category is read when a part of it has no price.

    For the thread of the catalogue alone. Raises BadInput where what is set cannot be read.
    """
    guide = read_guide(catalogue, ())
    return replace(guide, priced=_Priced(catalogue), in_machines=parts_in_machines(catalogue))


class _Priced(Mapping[Category, Priced]):
    """The priced parts of each category, read once when it is asked for."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._read: dict[Category, Priced] = {}

    def __getitem__(self, category: Category) -> Priced:
        if category not in self._read:
            self._read[category] = priced_parts(self._catalogue, category)
        return self._read[category]

    def __iter__(self) -> Iterator[Category]:
        return iter(Category)

    def __len__(self) -> int:
        return len(Category)


def lacking_prices(parts: Iterable[Part]) -> frozenset[Category]:
    """The categories in which the own prices of some of these parts say nothing of today."""
    today = date.today()
    return frozenset(part.category for part in parts if amount_today(part, today) is None)


def priced_parts(catalogue: Catalogue, category: Category) -> Priced:
    """The parts of a category whose own prices say something of today, with them, brought there."""
    today = date.today()
    return tuple(
        (
            part,
            part.price.model_copy(update={"amount": own.amount, "currency": own.currency, "low": None, "high": None}),
        )
        for part in catalogue.parts(category=category, priced=True)
        if part.price and (own := amount_today(part, today))
    )


def count_unpriced(catalogue: Catalogue, query: Query) -> int:
    """How many parts a limit on prices leaves out because nobody knows what they cost today."""
    wide = query.without("price")
    priced = replace(wide, filters=(*wide.filters, Filter("price", low=0.0)))
    return catalogue.count(wide) - catalogue.count(priced)


def unpriced_words(count: int) -> str:
    """That so many are left out; empty for none."""
    if not count:
        return ""
    return trn(
        "{count} part without a price of today is left out.",
        "{count} parts without a price of today are left out.",
        count=count,
    )


def parts_in_machines(catalogue: Catalogue) -> frozenset[str]:
    """Ids of all that complete systems are made of."""
    systems = catalogue.find(Query(category=Category.CASE, filters=(Filter("kind", (CaseKind.SYSTEM,)),)))
    chassis = (catalogue.part(hit.id) for hit in systems)
    return frozenset(part_id for part in chassis if part for part_id in getattr(part.spec, "sold_with", ()))
