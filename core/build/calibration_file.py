"""A calibration as the build file carries it: hand-readable, without what was not fitted."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from pydantic import BaseModel, ConfigDict

from core.build.calibration import Calibration, Factor, Offset

_CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False)
_WORDS = ("run", "on", "by", "simulated", "altitude_m", "replaces", "flow_case")
_PLAIN = ("coupling", "flow", "level_db", "fan_slope_db")
_BY_PART = ("resistance", "blocks", "radiators", "fans_later_k")


class _Factor(BaseModel):
    model_config = _CONFIG
    value: float
    spread: float


class _Offset(BaseModel):
    model_config = _CONFIG
    value: float
    error: float


class StoredCalibration(BaseModel):
    """The section "calibration" of a build file."""

    model_config = _CONFIG
    run: str = ""
    on: str = ""
    by: str = ""
    simulated: bool = False
    altitude_m: float = 0.0
    room_c: float | None = None
    replaces: str = ""
    resistance: dict[str, _Factor] = {}
    blocks: dict[str, _Factor] = {}
    radiators: dict[str, _Factor] = {}
    fans_later_k: dict[str, _Offset] = {}
    coupling: _Factor | None = None
    flow: _Factor | None = None
    flow_case: str = ""
    level_db: _Offset | None = None
    fan_slope_db: _Offset | None = None

    def value(self) -> Calibration:
        """Raises ValueError for figures out of their range."""
        return Calibration(
            run=self.run,
            on=self.on,
            by=self.by,
            simulated=self.simulated,
            altitude_m=self.altitude_m,
            room_c=self.room_c,
            replaces=self.replaces,
            resistance=_factors(self.resistance),
            blocks=_factors(self.blocks),
            radiators=_factors(self.radiators),
            fans_later_k=tuple((key, _offset(row)) for key, row in sorted(self.fans_later_k.items())),
            coupling=_factor(self.coupling) if self.coupling else None,
            flow=_factor(self.flow) if self.flow else None,
            flow_case=self.flow_case,
            level_db=_offset(self.level_db) if self.level_db else None,
            fan_slope_db=_offset(self.fan_slope_db) if self.fan_slope_db else None,
        )


def dump_calibration(calibration: Calibration) -> dict[str, Any]:
    """For the build file: only what says something."""
    words = {name: value for name in _WORDS if (value := getattr(calibration, name))}
    if calibration.room_c is not None:
        words["room_c"] = calibration.room_c
    tables = {
        name: {part_id: asdict(row) for part_id, row in rows}
        for name in _BY_PART
        if (rows := getattr(calibration, name))
    }
    plain = {name: asdict(row) for name in _PLAIN if (row := getattr(calibration, name)) is not None}
    return words | tables | plain


def _factors(rows: dict[str, _Factor]) -> tuple[tuple[str, Factor], ...]:
    return tuple((part_id, _factor(row)) for part_id, row in sorted(rows.items()))


def _factor(row: _Factor) -> Factor:
    return Factor(row.value, row.spread)


def _offset(row: _Offset) -> Offset:
    return Offset(row.value, row.error)
