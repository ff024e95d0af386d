"""Which part of the catalogue a row of somebody else's list means."""

from __future__ import annotations

from core.parts.identity import Exact, Identities, Identity, Unknown
from core.parts.price_table import PriceRow


def part_of_row(row: PriceRow, identities: Identities) -> Identity:
    """By id, else by part number, else by maker and name."""
    if part := identities.part(row.id):
        return Exact(part)
    if row.part_number and not isinstance(answer := identities.numbered(row.part_number), Unknown):
        return answer
    return identities.called(f"{row.maker} {row.name}")
