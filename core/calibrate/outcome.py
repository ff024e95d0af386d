"""What calibrating came to: measured against predicted before and after, the parameters, and what was refused."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Annotated, Any

from pydantic import PlainSerializer

from core.build.build import Build
from core.build.calibration import Calibration
from core.calibrate.parameters import Parameter
from core.json_value import JsonValue
from core.language import tr
from core.predict.band import Band, Triple


def _three(band: Band) -> dict[str, float]:
    return {"low": round(band.low, 3), "expected": round(band.expected, 3), "high": round(band.high, 3)}


_ThreeFigures = Annotated[Band, PlainSerializer(_three)]


@dataclass(frozen=True, slots=True)
class Quantity(JsonValue):
    """One measured figure, and what the model says of it with the measured watts."""

    title: str
    unit: str
    measured: float
    before: _ThreeFigures
    after: _ThreeFigures


@dataclass(frozen=True, slots=True)
class Fit:
    """One fitted parameter: `new` is its range after the run, `error` the standard error, all in its unit."""

    parameter: Parameter
    new: Triple
    error: float

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "title": self.parameter.title,
            "parts": list(self.parameter.part_ids),
            "unit": self.parameter.unit,
            "old": list(self.parameter.old),
            "fitted": self.new[1],
            "error": self.error,
            "new": list(self.new),
        }


@dataclass(frozen=True, slots=True)
class CalibrationOutcome:
    """`remarks`: what looks wrong about a fit that was made."""

    calibration: Calibration
    quantities: tuple[Quantity, ...]
    fits: tuple[Fit, ...]
    refusals: tuple[str, ...]
    remarks: tuple[str, ...] = ()

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "run": self.calibration.run,
            "simulated": self.calibration.simulated,
            "altitude_m": self.calibration.altitude_m,
            "room_c": self.calibration.room_c,
            "quantities": [quantity.as_dict() for quantity in self.quantities],
            "parameters": [fit.as_dict() for fit in self.fits],
            "refusals": list(self.refusals),
            "remarks": list(self.remarks),
        }


_TABLES: dict[str, Callable[[str], str]] = {
    "resistance": lambda part: tr("resistance of {part}", part=part),
    "blocks": lambda part: tr("resistance of {part}", part=part),
    "radiators": lambda part: tr("conductance of {part}", part=part),
    "fans_later_k": lambda part: tr("fans of {part}", part=part),
}
_SINGLE = {
    "coupling": tr("heating between adjacent cards"),
    "flow": tr("flow through the case"),
    "level_db": tr("level in training"),
    "fan_slope_db": tr("slope of the cards' level"),
}


def only_in_the_old(build: Build, new: Calibration) -> tuple[str, ...]:
    """What the build's calibration corrects and the new one does not, in words."""
    return tuple(_lost(build, build.calibration, new))


def _lost(build: Build, old: Calibration, new: Calibration) -> Iterator[str]:
    for table, words in _TABLES.items():
        again = {part_id for part_id, _ in getattr(new, table)}
        for part_id, _ in getattr(old, table):
            line = build.line(part_id)
            if part_id not in again:
                yield words(line.part.title if line else part_id)
    for name, single in _SINGLE.items():
        if getattr(old, name) is not None and getattr(new, name) is None:
            yield single
