"""Reads from the catalogue what parts like those of a build cost."""

from __future__ import annotations

from collections.abc import Iterable

from core.parts.catalogue import Catalogue
from core.parts.part import Part
from core.parts.price_guide import NO_GUIDE, Priced, PriceGuide
from core.parts.query import Filter, Query
from core.parts.vocabulary import CaseKind, Category


def read_guide(catalogue: Catalogue, parts: Iterable[Part]) -> PriceGuide:
    """What the catalogue knows of the prices of parts like these; nothing is read where all of them have a price."""
    categories = {part.category for part in parts if part.price is None}
    if not categories:
        return NO_GUIDE
    priced = {category: priced_parts(catalogue, category) for category in sorted(categories)}
    return PriceGuide(priced, parts_in_machines(catalogue))


def priced_parts(catalogue: Catalogue, category: Category) -> Priced:
    """The parts of a category that have a price."""
    return tuple((part, part.price) for part in catalogue.parts(category=category, priced=True) if part.price)


def parts_in_machines(catalogue: Catalogue) -> frozenset[str]:
    """Ids of all that complete systems are made of."""
    systems = catalogue.find(Query(category=Category.CASE, filters=(Filter("kind", (CaseKind.SYSTEM,)),)))
    chassis = (catalogue.part(hit.id) for hit in systems)
    return frozenset(part_id for part in chassis if part for part_id in getattr(part.spec, "sold_with", ()))
