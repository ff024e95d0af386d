"""Takes the prices of a list into the catalogue; what the user entered stays before those of others."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from core.errors import BadInput
from core.language import tr
from core.parts.catalogue import Catalogue
from core.parts.own import Correction
from core.parts.part import Source
from core.parts.price_list import BadLine, ListTerms, Priced, read_price_list
from core.refusal import first_refusal


@dataclass(frozen=True, slots=True)
class TakenPrices:
    """What became of a list."""

    priced: tuple[Priced, ...]
    kept: tuple[str, ...]
    """Ids of parts that keep the price which the user gave them."""
    bad: tuple[BadLine, ...]
    """Lines that were not taken, with their reasons."""


def take_prices(catalogue: Catalogue, path: Path, terms: ListTerms) -> TakenPrices:
    """Lays the prices upon the parts, all or none; they outlast upgrades and imports. Raises BadInput."""
    found, bad = read_price_list(path, catalogue.identities(), terms)
    own = frozenset() if terms.kind == "own" else frozenset(row.part_id for row in found if _is_own(catalogue, row))
    priced = tuple(row for row in found if row.part_id not in own)
    sources = (terms.source,) if terms.source else ()
    catalogue.correct({row.part_id: Correction(price=row.price, sources=sources) for row in priced})
    return TakenPrices(priced, tuple(sorted(own)), tuple(bad))


def price_source(title: str, url: str | None) -> Source:
    """Where the prices of a data set come from; nobody read them there one by one. Raises BadInput."""
    try:
        return Source(title=title, url=url, fields=("price",), read=False)
    except ValidationError as error:
        place, reason = first_refusal(error)
        raise BadInput(tr("The {place} of the source: {reason}.", place=place, reason=reason)) from error


def _is_own(catalogue: Catalogue, row: Priced) -> bool:
    known = catalogue.require(row.part_id).price
    return known is not None and known.kind == "own"
