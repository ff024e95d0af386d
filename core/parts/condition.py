"""Whether a part is bought new, bought used, or already owned."""

from __future__ import annotations

from datetime import date

from core.parts.part import Part
from core.words import trc
from core.words.worded import Worded


class Condition(Worded):
    """How a part comes into the machine: it decides the price alone, no check."""

    NEW = "new", trc("condition of a part", "new")
    USED = "used", trc("condition of a part", "used")
    OWNED = "owned", trc("condition of a part", "owned")
    """Costs nothing more."""


def no_longer_sold(part: Part, today: date) -> bool:
    """Whether its maker no longer sells it: what can be bought of it is used."""
    ended: int | None = getattr(part.spec, "discontinued", None)
    return ended is not None and ended <= today.year
