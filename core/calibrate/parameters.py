"""The parameters that a run may correct: what the model knew of each, and the calibration that fitted values make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import exp, log
from typing import Any

from core.build.calibration import SPREADS, Calibration, Factor, Offset
from core.predict.thermal.spread import Triple


class Kind(IntEnum):
    """In the order in which they are kept where the data cannot tell two apart."""

    RESISTANCE = 0
    CPU = 1
    FANS = 2
    COUPLING = 3
    FLOW = 4
    LEVEL = 5
    SLOPE = 6


OFFSETS = (Kind.FANS, Kind.LEVEL, Kind.SLOPE)
_FIELDS = {Kind.COUPLING: "coupling", Kind.LEVEL: "level_db", Kind.SLOPE: "fan_slope_db"}
DIGITS = 5
"""Decimals that a build file keeps: far below any error, and short enough to be read."""
LEAST_PRIOR = 0.10
"""Relative. Paste, dust and samples make cards of one product differ, even where its resistance is stated."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """One unknown. `old` is the model's range in `unit`; `part_id` is "" where it belongs to no part."""

    kind: Kind
    title: str
    unit: str
    old: Triple
    part_id: str = ""

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
    known: Calibration, parameters: Sequence[Parameter], values: Sequence[float], errors: Sequence[float]
) -> Calibration:
    """The calibration with these fitted values more: logarithms of factors, or offsets."""
    resistance, fans_later = dict(known.resistance), dict(known.fans_later_k)
    changes: dict[str, Any] = {}
    for parameter, value, error in zip(parameters, values, errors, strict=True):
        fitted = parameter.fitted(value, error)
        match parameter.kind, fitted:
            case ((Kind.RESISTANCE | Kind.CPU), Factor()):
                resistance[parameter.part_id] = fitted
            case Kind.FANS, Offset():
                fans_later[parameter.part_id] = fitted
            case Kind.FLOW, _:
                changes |= {"flow": fitted, "flow_case": parameter.part_id}
            case _:
                changes[_FIELDS[parameter.kind]] = fitted
    tables = {"resistance": tuple(sorted(resistance.items())), "fans_later_k": tuple(sorted(fans_later.items()))}
    changes |= tables
    return replace(known, **changes)
