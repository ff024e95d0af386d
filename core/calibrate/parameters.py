"""The parameters that a run may correct: what the model knew of each, and the calibration that fitted values make."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from math import exp, log
from typing import Any

from core.build.calibration import SPREADS, Calibration, Factor, Offset
from core.predict.band import Triple


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
    known: Calibration, parameters: Sequence[Parameter], values: Sequence[float], errors: Sequence[float]
) -> Calibration:
    """The calibration with these fitted values more: logarithms of factors, or offsets."""
    tables: dict[str, dict[str, Any]] = {name: dict(getattr(known, name)) for name in _TABLES.values()}
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
    return replace(known, **changes)
