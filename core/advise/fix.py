"""What a fix is: a change that makes a finding go away, what it costs and what remains."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

from core.build.build import Build
from core.build.edits import Edit
from core.parts.catalogue import Hit
from core.parts.part import Part
from core.parts.query import Query
from core.predict.band import Band


class Shelf(Protocol):
    """The catalogue, as far as fixes need it."""

    def find(self, query: Query) -> list[Hit]: ...

    def part(self, part_id: str) -> Part | None: ...


@dataclass(frozen=True, slots=True)
class PriceChange:
    """What the machine costs more (or less, below zero) with a fix."""

    amount: float
    currency: str


@dataclass(frozen=True, slots=True)
class Fix:
    """An edit that makes a finding go away, and makes nothing fail that did not fail before.

    `buys` are titles of parts that must be bought; `price` is None where nothing is bought or saved, a price is unknown
    or currencies differ. `speed` is the share of its speed that a card keeps under a power limit. `remains` are the
    sentences of what still fails or warns, the most urgent first, and `brings` those of rules that are less content
    than before.
    """

    edit: Edit
    title: str
    buys: tuple[str, ...]
    price: PriceChange | None
    speed: Band | None
    remains: tuple[str, ...]
    brings: tuple[str, ...]

    def as_dict(self) -> dict[str, Any]:
        """For JSON; keys are stable."""
        return {
            "title": self.title,
            "buys": list(self.buys),
            "price": {"amount": round(self.price.amount, 2), "currency": self.price.currency} if self.price else None,
            "speed": self.speed.as_dict() if self.speed else None,
            "remains": list(self.remains),
            "brings": list(self.brings),
        }


def bought(before: Build, after: Build) -> tuple[tuple[Part, int], ...]:
    """Parts that a change adds, and takes out (below zero), with their number."""
    counts: dict[str, int] = {}
    parts: dict[str, Part] = {}
    for build, sign in ((after, 1), (before, -1)):
        for line in build.lines:
            parts.setdefault(line.part.id, line.part)
            counts[line.part.id] = counts.get(line.part.id, 0) + sign * line.quantity
    return tuple((parts[part_id], count) for part_id, count in counts.items() if count)


def price_change(changes: Iterable[tuple[Part, int]]) -> PriceChange | None:
    """The difference in price; None where a price is unknown, currencies differ, or nothing is bought or saved."""
    amount, currencies = 0.0, set[str]()
    for part, count in changes:
        if part.price is None:
            return None
        amount += part.price.amount * count
        currencies.add(part.price.currency)
    return PriceChange(amount, currencies.pop()) if len(currencies) == 1 else None
