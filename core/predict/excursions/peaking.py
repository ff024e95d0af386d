"""How far cards and processors peak above their limits in each window."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import inf

from core.build.build import Build, Line
from core.parts.specs import Excursion, GpuSpec
from core.predict.band import Band
from core.predict.excursions.windows import PINS_16, WINDOWS_MS
from core.predict.load import Load
from core.predict.power import Power
from core.predict.thermal.spread import Triple

CARD_USUAL = (1.8, 1.6, 1.3, 1.1, 1.0)
"""Peak over limit of cards without a figure. RTX 5090: 1.57 below 1 ms, 1.43 at 1 to 5, 1.28 at 5 to 10, 1.09 at 10
to 20 ms; RTX 4090: 1.37; RTX 3090: about 1.7 at 1 ms, 1.4 at 10 ms (reviews)."""
PEAK_SPREAD: Triple = (0.85, 1.0, 1.15)
"""Peaks of one chip differ by load, board and sampling; general knowledge."""
CARD_CEM = 3.0
"""For 100 µs a 16-pin card of 300 to 600 W may take this multiple (PCIe CEM 5.0)."""
CEM_FROM_W = 300.0
CPU_PEAK = (1.5, 1.5, 1.5, 1.0, 1.0)
"""39 A up to 10 ms against 26 A for long (Intel ATX 3.0 design guide, table 2-1)."""
NEAR = 5.0
"""A figure holds for windows up to this factor away from its own."""
UNHELD_MS = 1.0
"""A limit that is set in the driver is a mean over many milliseconds: peaks so short or shorter pass it."""

_STEADY: Triple = (1.0, 1.0, 1.0)
_CPU_FACTORS: tuple[Triple, ...] = tuple((1.0, factor, factor) for factor in CPU_PEAK)


@dataclass(frozen=True, slots=True)
class Peaking:
    """All parts of one line. `limit_w` is what they draw at their limits, `own_w` what at the cards' own limits."""

    limit_w: Triple
    own_w: float
    factors: tuple[Triple, ...]
    """Peak over limit by window."""
    cem: float = 0.0
    """What PCIe allows for 100 µs, over the limit; 0 where the card has figures of its own, or no 16-pin socket."""

    def above_limit(self, at: int) -> Triple:
        """What a window's peaks add to the limits, W; short ones at the upper end to the own limit of each card."""
        (low, expected, high), factors = self.limit_w, self.factors[at]
        top = max(high, self.own_w) if WINDOWS_MS[at] <= UNHELD_MS else high
        return (factors[0] - 1) * low, (factors[1] - 1) * expected, factors[2] * top - high

    @property
    def above_limit_by_cem(self) -> float:
        """For 100 µs, should the cards take all that PCIe allows, W."""
        return (max(self.factors[0][1], self.cem) - 1) * self.limit_w[1]


def peaking(build: Build, power: Power) -> Iterator[Peaking]:
    """Every line of GPUs and processors."""
    drawn = {part.part_id: part.dc_w[Load.EVERYTHING] for part in power.components}
    for line, spec in build.gpus():
        own_w = (spec.power_limit_w or 0.0) * line.quantity
        cem = CARD_CEM if _takes_cem(line, spec) else 0.0
        yield Peaking(_three(drawn[line.part.id]), own_w, card_factors(spec.excursions), cem)
    for line, _ in build.cpus():
        yield Peaking(_three(drawn[line.part.id]), 0.0, _CPU_FACTORS)


def card_factors(rows: tuple[Excursion, ...]) -> tuple[Triple, ...]:
    """Peak over limit in each window, at least 1: the card's own figures where one is near, else what others showed."""
    return _USUAL_FACTORS if not rows else _factors(rows)


def _factors(rows: tuple[Excursion, ...]) -> tuple[Triple, ...]:
    return tuple(
        _STEADY if window == inf else _spread(_nearest(rows, window) or usual)
        for window, usual in zip(WINDOWS_MS, CARD_USUAL, strict=True)
    )


def _nearest(rows: tuple[Excursion, ...], window_ms: float) -> float | None:
    near = (row.factor for row in rows if window_ms / NEAR <= row.window_ms <= window_ms * NEAR)
    return max(near, default=None)


def _spread(factor: float) -> Triple:
    low, expected, high = PEAK_SPREAD
    return max(1.0, factor * low), max(1.0, factor * expected), max(1.0, factor * high)


def _takes_cem(line: Line, spec: GpuSpec) -> bool:
    pins = any(row.kind in PINS_16 for row in spec.power_connectors or ())
    return pins and not spec.excursions and (line.limit_w or 0.0) >= CEM_FROM_W


def _three(band: Band) -> Triple:
    return band.low, band.expected, band.high


_USUAL_FACTORS = _factors(())
