"""Whether a part is bought new, bought used, or already owned."""

from __future__ import annotations

from datetime import date
from enum import StrEnum

from core.language import trc
from core.parts.part import Part


class Condition(StrEnum):
    """How a part comes into the machine: it decides the price alone, no check."""

    NEW = "new"
    USED = "used"
    OWNED = "owned"
    """Costs nothing more."""

    @property
    def label(self) -> str:
        """As menus and tables write it."""
        return _LABELS[self]


_LABELS = {
    Condition.NEW: trc("condition of a part", "new"),
    Condition.USED: trc("condition of a part", "used"),
    Condition.OWNED: trc("condition of a part", "owned"),
}


def no_longer_sold(part: Part, today: date) -> bool:
    """Whether its maker no longer sells it: what can be bought of it is used."""
    ended: int | None = getattr(part.spec, "discontinued", None)
    return ended is not None and ended <= today.year
