"""What calibrating comes to: the parameters that a run may correct (what the model knew of each, and the calibration
that fitted values make), measured against predicted before and after, and what was refused."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import exp, log
from typing import Annotated, Any

from pydantic import PlainSerializer

from core.plan.build import Build
from core.plan.calibration import SPREADS, Calibration, Factor, Offset
from core.platform.json_value import JsonValue
from core.predict.band import Band, Triple
from core.words import tr


class ParameterKind(IntEnum):
    """In the order in which they are kept where the data cannot tell two apart."""

    RESISTANCE = 0
    BLOCK = 1
    CPU = 2
    FANS = 3
    COUPLING = 4
    FLOW = 5
    RADIATORS = 6
    LEVEL = 7
    SLOPE = 8


OFFSETS = (ParameterKind.FANS, ParameterKind.LEVEL, ParameterKind.SLOPE)
_FIELDS = {
    ParameterKind.COUPLING: "coupling",
    ParameterKind.FLOW: "flow",
    ParameterKind.LEVEL: "level_db",
    ParameterKind.SLOPE: "fan_slope_db",
}
_TABLES = {
    ParameterKind.RESISTANCE: "resistance",
    ParameterKind.CPU: "resistance",
    ParameterKind.BLOCK: "blocks",
    ParameterKind.RADIATORS: "radiators",
    ParameterKind.FANS: "fans_later_k",
}
"""Where a calibration keeps them: one value, or one for each part."""
DIGITS = 5
"""Decimals that a build file keeps: far below any error, and short enough to be read."""
LEAST_PRIOR = 0.10
"""Relative. Paste, dust and samples make cards of one product differ, even where its resistance is stated."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One unknown. `old` is the model's range in `unit`, `part_ids` are the parts that it belongs to, if any."""

    kind: ParameterKind
    title: str
    unit: str
    old: Triple
    part_ids: tuple[str, ...] = ()

    @property
    def prior(self) -> float:
        """Standard deviation before the run: a quarter of the range, of the logarithm for factors."""
        low, _, high = self.old
        if self.kind in OFFSETS:
            return (high - low) / (2 * SPREADS)
        return max(log(high / low) / (2 * SPREADS), LEAST_PRIOR)

    def fitted(self, value: float, error: float) -> Factor | Offset:
        """From a value as it is solved for: a factor's logarithm, or an offset."""
        if self.kind in OFFSETS:
            return Offset(round(value, DIGITS), round(error, DIGITS))
        return Factor(round(exp(value), DIGITS), round(min(error, 1.0), DIGITS))


def with_fitted(
    calibration: Calibration, parameters: Sequence[Parameter], values: Sequence[float], errors: Sequence[float]
) -> Calibration:
    """The calibration with these fitted values more: logarithms of factors, or offsets."""
    tables: dict[str, dict[str, Any]] = {name: dict(getattr(calibration, name)) for name in _TABLES.values()}
    changes: dict[str, Any] = {}
    for parameter, value, error in zip(parameters, values, errors, strict=True):
        fitted = parameter.fitted(value, error)
        if parameter.kind in _TABLES:
            tables[_TABLES[parameter.kind]] |= dict.fromkeys(parameter.part_ids, fitted)
        else:
            changes[_FIELDS[parameter.kind]] = fitted
        if parameter.kind is ParameterKind.FLOW:
            changes["flow_case"] = parameter.part_ids[0]
    changes |= {name: tuple(sorted(rows.items())) for name, rows in tables.items()}
    return replace(calibration, **changes)


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


_PART_WORDS: dict[str, Callable[[str], str]] = {
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
    for table, words in _PART_WORDS.items():
        again = {part_id for part_id, _ in getattr(new, table)}
        for part_id, _ in getattr(old, table):
            line = build.line(part_id)
            if part_id not in again:
                yield words(line.part.title if line else part_id)
    for name, single in _SINGLE.items():
        if getattr(old, name) is not None and getattr(new, name) is None:
            yield single
