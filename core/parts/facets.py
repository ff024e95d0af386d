"""What a list of parts can be narrowed by."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby

from core.parts.field_words import field_words
from core.units import unit_of

MAX_CHOICES = 40
"""More different values than this are not offered one by one: numbers as a range, words not at all."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A value and how many parts have it."""

    value: str | float
    count: int


@dataclass(frozen=True, slots=True)
class Facet:
    """One figure over a list of parts."""

    field: str
    parts: int
    """How many values are known; a part can have several (sockets of a cooler)."""
    choices: tuple[Choice, ...]
    """By value; empty when there are too many."""
    low: float | None
    """Smallest and largest value of a numeric figure."""
    high: float | None

    @property
    def label(self) -> str:
        """The figure's name for people, with its unit."""
        unit = unit_of(self.field)
        words = field_words(self.field)
        name = words[0].upper() + words[1:]
        return f"{name}, {unit}" if unit and unit not in words else name


def facets(counted: Iterable[tuple[str, str | float, int]]) -> tuple[Facet, ...]:
    """Facets by name, from rows of (field, value, count). Figures in which no two parts differ are left out."""
    ordered = sorted(counted, key=lambda row: (row[0], isinstance(row[1], str), row[1]))
    made = (_facet(field, [Choice(*row[1:]) for row in rows]) for field, rows in groupby(ordered, lambda row: row[0]))
    return tuple(facet for facet in made if facet is not None)


def _facet(field: str, choices: list[Choice]) -> Facet | None:
    if len(choices) < 2:
        return None
    numbers = [choice.value for choice in choices if not isinstance(choice.value, str)]
    low, high = (min(numbers), max(numbers)) if numbers else (None, None)
    few = len(choices) <= MAX_CHOICES
    if not few and low is None:
        choices = sorted(choices, key=lambda choice: -choice.count)[:MAX_CHOICES]
        few = True
    return Facet(field, sum(choice.count for choice in choices), tuple(choices) if few else (), low, high)
