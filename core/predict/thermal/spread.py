"""Parameters that are known as low, expected and high, and the three runs of a model that make a band of them."""

from __future__ import annotations

from enum import IntEnum

Triple = tuple[float, float, float]

HALF = 0.5
"""All parameters move together by half of their range: about the root of the squares' sum of four independent ones."""


class Case(IntEnum):
    """Which way the unknown falls."""

    COOL = -1
    EXPECTED = 0
    HOT = 1


def hot_high(triple: Triple, case: Case) -> float:
    """A parameter that makes things hotter as it grows."""
    low, expected, high = triple
    if case is Case.EXPECTED:
        return expected
    return expected + HALF * (high - expected) if case is Case.HOT else expected - HALF * (expected - low)


def hot_low(triple: Triple, case: Case) -> float:
    """A parameter that makes things cooler as it grows."""
    return hot_high(triple, Case(-case))


def usual_range(low: float, expected: float, high: float) -> Triple:
    """The ends that a figure keeps of its whole range where it is one uncertain figure of several."""
    return expected - HALF * (expected - low), expected, expected + HALF * (high - expected)
