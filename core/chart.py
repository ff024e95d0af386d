"""What a chart shows besides its curves, on paper and in the window alike, and where its ticks stand."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """A horizontal line with its name, in a colour of the theme."""

    value: float
    text: str
    colour: str = "fail"


@dataclass(frozen=True, slots=True)
class Span:
    """A span of time with a name: a stage, or a reason for lower clocks."""

    start_s: float
    end_s: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Moment:
    """When a device failed."""

    time_s: float
    text: str


@dataclass(frozen=True, slots=True)
class PredictedBand:
    """Between what values the plan expects a metric during a span of time."""

    start_s: float
    end_s: float
    low: float
    high: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Scenery:
    """What a chart shows behind its curves. Times count from the start of the run."""

    stages: tuple[Span, ...] = ()
    predicted: tuple[PredictedBand, ...] = ()
    marks: tuple[Moment, ...] = ()
    throttling: tuple[Span, ...] = ()
    limits: tuple[Limit, ...] = ()
    notice: str = ""
    """Said in the middle of an empty chart."""


def value_step(span: float, most: int) -> float:
    """1, 2 or 5 times a power of ten, so that at most `most` ticks fit."""
    least = span / max(most, 1)
    power = 10.0 ** math.floor(math.log10(least))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= least * (1 - 1e-9))


def ticks(low: float, high: float, step: float) -> list[float]:
    """The multiples of a step within a range."""
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [number * step for number in range(first, last + 1)]


def decimals(step: float) -> int:
    """What figures that are a step apart need."""
    return max(0, -math.floor(math.log10(step) + 1e-9))
