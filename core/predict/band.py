"""A predicted figure with its uncertainty, what it assumes and which figures it lacked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from math import fsum, hypot, isfinite

from core.platform.json_value import Hundredths, JsonValue


@dataclass(frozen=True, slots=True)
class Band(JsonValue):
    """low <= expected <= high, all in `unit`.

    `missing` names figures ("part-id.field") for which a wide default stands in; `assumptions` are sentences.
    """

    low: Hundredths
    expected: Hundredths
    high: Hundredths
    unit: str
    assumptions: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not (isfinite(self.low) and isfinite(self.high) and self.low <= self.expected <= self.high):
            raise ValueError(f"not a band: {self.low} <= {self.expected} <= {self.high} {self.unit}")

    @property
    def width(self) -> float:
        """high - low."""
        return self.high - self.low

    @property
    def triple(self) -> Triple:
        """low, expected and high."""
        return self.low, self.expected, self.high

    def __add__(self, other: Band) -> Band:
        return total((self, other), self.unit)

    def times(self, low: float, expected: float | None = None, high: float | None = None) -> Band:
        """Scaled by a factor >= 0, or by a band of factors low <= expected <= high. Meant for bands >= 0."""
        middle = low if expected is None else expected
        top = middle if high is None else high
        return self._of(self.low * low, self.expected * middle, self.high * top)

    def measured_in(self, unit: str) -> Band:
        """The same figures under another unit."""
        return Band(self.low, self.expected, self.high, unit, self.assumptions, self.missing)

    def within(self, floor: float, ceiling: float) -> Band:
        """Every figure clamped to a range; the order of the three stays."""
        low, expected, high = (min(max(value, floor), ceiling) for value in (self.low, self.expected, self.high))
        return self._of(low, expected, high)

    def narrowed(self, low: float, high: float) -> Band:
        """Not wider than from `low` to `high`, which lie around the middle, nor than before."""
        return self._of(max(self.low, low), self.expected, min(self.high, high))

    def noting(self, assumptions: Iterable[str] = (), missing: Iterable[str] = ()) -> Band:
        """The same figures, resting on more."""
        more = union((self.assumptions, tuple(assumptions))), union((self.missing, tuple(missing)))
        return Band(self.low, self.expected, self.high, self.unit, *more)

    def _of(self, low: float, expected: float, high: float) -> Band:
        """Other figures that rest on the same; written out, because predictions make hundreds of bands."""
        return Band(low, expected, high, self.unit, self.assumptions, self.missing)


def exact(value: float, unit: str = "") -> Band:
    """A figure of which nothing is uncertain."""
    return Band(value, value, value, unit)


def total(bands: Iterable[Band], unit: str) -> Band:
    """The sum, with lows and highs added: errors of like parts go the same way. Raises ValueError for mixed units."""
    items = tuple(bands)
    for band in items:
        if band.unit != unit:
            raise ValueError(f"cannot add {band.unit} to {unit}")
    if len(items) == 1:
        return items[0]
    return Band(
        fsum([band.low for band in items]),
        fsum([band.expected for band in items]),
        fsum([band.high for band in items]),
        unit,
        union([band.assumptions for band in items]),
        union([band.missing for band in items]),
    )


def independent(bands: Iterable[Band], unit: str) -> Band:
    """The sum of figures of which each errs for itself: distances from the middle add up by their squares.

    Raises ValueError for mixed units.
    """
    items = tuple(bands)
    added = total(items, unit)
    low = added.expected - hypot(*(band.expected - band.low for band in items))
    high = added.expected + hypot(*(band.high - band.expected for band in items))
    return added.narrowed(low, high)


def union(texts: Iterable[tuple[str, ...]]) -> tuple[str, ...]:
    """All different texts, sorted, so that results do not depend on the order of parts."""
    different = {text for group in texts for text in group}
    return tuple(sorted(different)) if different else ()


Triple = tuple[float, float, float]

HALF = 0.5
"""All parameters move together by half of their range: about the root of the squares' sum of four independent ones."""


class Corner(IntEnum):
    """Which way the unknown falls."""

    COOL = -1
    EXPECTED = 0
    HOT = 1


def hot_high(triple: Triple, case: Corner) -> float:
    """A parameter that makes things hotter as it grows."""
    low, expected, high = triple
    if case is Corner.EXPECTED:
        return expected
    return expected + HALF * (high - expected) if case is Corner.HOT else expected - HALF * (expected - low)


def hot_low(triple: Triple, case: Corner) -> float:
    """A parameter that makes things cooler as it grows."""
    return hot_high(triple, Corner(-case))


def usual_range(low: float, expected: float, high: float) -> Triple:
    """The ends that a figure keeps of its whole range where it is one uncertain figure of several."""
    return expected - HALF * (expected - low), expected, expected + HALF * (high - expected)
