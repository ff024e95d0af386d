"""What the predictions aim at, and how near a file of measured cases shows them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from pydantic import computed_field

from core.json_value import JsonValue
from core.language import tr
from core.parts.vocabulary import GpuCooling
from core.validation.outcome import CaseOutcome

NARROW: dict[str, float] = {"dBA": 4.0, "dB": 4.0, "°C": 8.0, "K": 8.0}
"""A band is narrow if half of it is at most this, by unit."""
NARROW_SHARE = 0.06
AT_THE_WALL = ("wall_power", "psu_efficiency")
"""Quantities whose bands are narrow by `NARROW_SHARE` of the middle."""
ENOUGH = 0.9
"""Share of the trusted cases."""


@dataclass(frozen=True, slots=True)
class Aim(JsonValue):
    """An aim and what the cases show; `found` is None where none of them bears on it."""

    title: str
    unit: str
    wanted: float
    found: float | None
    cases: int
    least: bool = False
    """Whether `wanted` is the least that will do, not the most."""

    @computed_field
    @property
    def met(self) -> bool | None:
        """None where no case bears on it."""
        if self.found is None:
            return None
        return self.found >= self.wanted if self.least else self.found <= self.wanted


def aims(outcomes: Sequence[CaseOutcome]) -> list[Aim]:
    """Mean errors over all cases of a kind, and how many of the trusted ones of all kinds lie within their bands."""
    rows = [outcome for outcome in outcomes if outcome.predicted is not None]
    trusted = [row for row in rows if row.case.trusted]
    bounded = [row for row in trusted if _widest(row) is not None]
    noise = [row for row in rows if row.case.quantity == "noise"]
    alone = [row for row in rows if row.group in ("gpu_temp, one card", "gpu_temp_rise, one card")]
    wall = [row for row in rows if row.case.quantity == "wall_power" and row.case.value]
    blowers = [row for row in rows if row.group == "board_power, several cards" and _blows(row)]
    speeds = [row for row in rows if row.case.quantity == "training_speed" and row.case.value]
    return [
        Aim(tr("Noise, mean error"), "dB", 2.0, _mean(noise, _error), len(noise)),
        Aim(tr("Temperature of one card, mean error"), "K", 4.0, _mean(alone, _error), len(alone)),
        Aim(tr("Power at the wall, mean error"), "%", 3.0, _mean(wall, _error_pct), len(wall)),
        Aim(tr("Power of adjacent blower cards, mean error"), "%", 5.0, _mean(blowers, _error_pct), len(blowers)),
        Aim(tr("Training speed of one card, largest error"), "%", 20.0, _largest(speeds), len(speeds)),
        _share(tr("Trusted cases inside the band"), trusted, _inside),
        _share(tr("Trusted cases inside a narrow band: +-4 dB, +-8 K, +-6 %"), bounded, _inside_a_narrow_band),
    ]


def _share(title: str, rows: Sequence[CaseOutcome], holds: Callable[[CaseOutcome], bool]) -> Aim:
    found = 100 * sum(map(holds, rows)) / len(rows) if rows else None
    return Aim(title, "%", 100 * ENOUGH, found, len(rows), least=True)


def _mean(rows: Sequence[CaseOutcome], error: Callable[[CaseOutcome], float]) -> float | None:
    return fsum(map(error, rows)) / len(rows) if rows else None


def _largest(rows: Sequence[CaseOutcome]) -> float | None:
    return max(map(_error_pct, rows), default=None)


def _blows(row: CaseOutcome) -> bool:
    return row.case.facts.cooling is GpuCooling.BLOWER


def _error(row: CaseOutcome) -> float:
    return abs(row.error or 0.0)


def _error_pct(row: CaseOutcome) -> float:
    return 100 * _error(row) / abs(row.case.value)


def _inside(row: CaseOutcome) -> bool:
    return bool(row.inside)


def _inside_a_narrow_band(row: CaseOutcome) -> bool:
    widest, band = _widest(row), row.predicted
    return bool(row.inside) and widest is not None and band is not None and band.width / 2 <= widest


def _widest(row: CaseOutcome) -> float | None:
    """Half of the widest narrow band, None for quantities that nobody bounded."""
    assert row.predicted is not None
    if row.case.quantity in AT_THE_WALL:
        return NARROW_SHARE * row.predicted.expected
    return NARROW.get(row.predicted.unit)
