"""How much of the catalogue's deciding figures is known, and how much confirmed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from core.parts.figures import must_have
from core.parts.part import Evidence, Part
from core.parts.vocabulary import Category


@dataclass(frozen=True, slots=True)
class FieldCoverage:
    """One deciding figure over the parts of a category that should have it."""

    category: Category
    field: str
    parts: int
    known: int
    confirmed: int
    lacking: tuple[str, ...]
    """Ids of the parts of which it is unknown."""

    @property
    def known_share(self) -> float:
        """0 to 1."""
        return self.known / self.parts

    @property
    def confirmed_share(self) -> float:
        """0 to 1."""
        return self.confirmed / self.parts


def coverage(parts: Iterable[Part]) -> list[FieldCoverage]:
    """Per category and deciding figure, in the order of both lists; without those that no part should have."""
    evidence: dict[tuple[Category, str], dict[str, Evidence]] = defaultdict(dict)
    for part in parts:
        for field in must_have(part):
            evidence[part.category, field][part.id] = part.evidence(field)
    order = list(Category)
    rows = (_row(category, field, found) for (category, field), found in evidence.items())
    return sorted(rows, key=lambda row: order.index(row.category))


def _row(category: Category, field: str, found: dict[str, Evidence]) -> FieldCoverage:
    lacking = tuple(part_id for part_id, evidence in found.items() if evidence is Evidence.UNKNOWN)
    confirmed = sum(evidence is Evidence.CONFIRMED for evidence in found.values())
    return FieldCoverage(category, field, len(found), len(found) - len(lacking), confirmed, lacking)
