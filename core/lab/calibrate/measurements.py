"""What somebody measured on a machine in steady training: a JSON file, or a recorded load that became steady.

{
 "format": "rigwright-measurements", "version": 1,
 "on": "2026-03-01", "by": "Ada",
 "room_c": 24.5, "altitude_m": 520,
 "minutes": 50,
 "cards": [
  {"slot": 1, "temperature_c": 71, "power_w": 345, "drift_k": 0.2, "fan_share": 0.66},
  {"part": "maker-card", "temperature_c": 68, "power_w": 340, "drift_k": 0.1, "fan_rpm": 1900}
 ],
 "case_air_c": 33.0, "coolant_c": 41.5,
 "cpu": {"power_w": 90, "temperature_c": 62},
 "sound": [{"level_dba": 41.2, "distance_m": 1.0, "background_dba": 29.0, "fan_share": 0.6}],
 "wall": [{"load": "training", "power_w": 1240}]
}

`minutes`: how long the load had run. Of each card the means of the last ten minutes, and in `drift_k` by how many
kelvin its temperature rose over them. `part` may be left out where `slot` is given or all cards are of one kind.
`altitude_m` is the height above the sea, 0 where it is left out. `case_air_c` is the air before the cards, `coolant_c`
the water before their blocks. A sound's `fan_share` is that of all cards while it was read, where it was
another than in the run. A wall's `load` is "idle", "training" or "everything". All but format and version may be left
out; what then is not determined is not fitted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field, GetPydanticSchema, TypeAdapter, ValidationError

from core.platform.errors import BadInput
from core.platform.foreign import Unreadable, read_json, read_text
from core.predict.conditions import LoadCase
from core.words import joined, tr
from core.words.refusal import first_refusal

_CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False)
_METERED = Literal[LoadCase.IDLE, LoadCase.TRAINING, LoadCase.EVERYTHING]
RANGES: dict[str, tuple[float, float, str]] = {
    "temperature_c": (0, 130, "°C"),
    "power_w": (1, 2000, "W"),
    "fan_share": (0, 1, tr("of full speed")),
    "fan_rpm": (0, 20_000, "rpm"),
    "drift_k": (-60, 60, "K"),
    "target_c": (40, 120, "°C"),
    "room_c": (-10, 50, "°C"),
    "altitude_m": (-500, 6000, "m"),
    "case_air_c": (-10, 90, "°C"),
    "coolant_c": (-10, 100, "°C"),
    "minutes": (0, 100_000, "minutes"),
    "wall_w": (1, 30_000, "W"),
    "level_dba": (5, 120, "dBA"),
    "background_dba": (0, 90, "dBA"),
    "distance_m": (0.1, 20, "m"),
}


@dataclass(frozen=True, slots=True)
class MeasuredCard:
    """One GPU over the last ten minutes; `slot` None: nobody knows which of its kind it is."""

    __pydantic_config__ = _CONFIG
    temperature_c: float
    power_w: float
    drift_k: float
    """By how much its temperature rose over the last ten minutes."""
    part_id: Annotated[str | None, Field(alias="part")] = None
    """None: the slot says which part it is, or the build has only one kind."""
    slot: int | None = None
    fan_share: float | None = None
    fan_rpm: float | None = None
    target_c: float | None = None
    """Where its driver takes power back, if that is known better than by kind."""

    def __post_init__(self) -> None:
        _require_ranges(self, "temperature_c", "power_w", "drift_k", "fan_share", "fan_rpm", "target_c")


@dataclass(frozen=True, slots=True)
class MeasuredCpu:
    """The processor under the same load."""

    __pydantic_config__ = _CONFIG
    power_w: float
    temperature_c: float | None = None

    def __post_init__(self) -> None:
        _require_ranges(self, "power_w", "temperature_c")


@dataclass(frozen=True, slots=True)
class SoundReading:
    """A meter's reading with the machine in training, and of the room without it."""

    __pydantic_config__ = _CONFIG
    level_dba: float
    distance_m: float
    """From the surface of the case."""
    background_dba: float
    fan_share: float | None = None
    """Of all cards while it was read, where that was another speed than the run's."""

    def __post_init__(self) -> None:
        _require_ranges(self, "level_dba", "distance_m", "background_dba", "fan_share")


@dataclass(frozen=True, slots=True)
class WallReading:
    """What a meter at the wall showed under a load."""

    __pydantic_config__ = _CONFIG
    power_w: float
    load: Annotated[LoadCase, GetPydanticSchema(lambda _, schema_of: schema_of(_METERED))] = LoadCase.TRAINING

    def __post_init__(self) -> None:
        _require_range(self.power_w, "wall_w")


@dataclass(frozen=True, slots=True, kw_only=True)
class Readings:
    """What a file of measurements holds; `on` and `by` as in `Calibration`."""

    __pydantic_config__ = _CONFIG
    cards: tuple[MeasuredCard, ...] = ()
    minutes: float = 0.0
    """How long the cards had worked when they were read."""
    room_c: float | None = None
    altitude_m: float = 0.0
    case_air_c: float | None = None
    """Before the cards' fans, but not between cards."""
    coolant_c: float | None = None
    """Where the water leaves the radiators for the cards, or its mean."""
    cpu: MeasuredCpu | None = None
    sounds: Annotated[tuple[SoundReading, ...], Field(alias="sound")] = ()
    walls: Annotated[tuple[WallReading, ...], Field(alias="wall")] = ()
    on: str = ""
    by: str = ""

    def __post_init__(self) -> None:
        _require_ranges(self, "minutes", "room_c", "altitude_m", "case_air_c", "coolant_c")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurements(Readings):
    """Everything of one run; `run` as in `Calibration`."""

    run: str
    simulated: bool = False
    doubts: tuple[str, ...] = ()
    """Sentences about what looks as if something else had been measured."""


def _require_ranges(measured: object, *names: str) -> None:
    for name in names:
        _require_range(getattr(measured, name), name)


def _require_range(value: float | None, name: str) -> None:
    low, high, unit = RANGES[name]
    if value is not None and not low <= value <= high:
        raise BadInput(
            tr(
                "A measured {name} of {value:g} is not possible: it must be between {low:g} and {high:g} {unit}.",
                name=name,
                value=value,
                low=low,
                high=high,
                unit=unit,
            )
        )


WINDOW_S = 600.0
STEADY_K = 0.5
"""Reviewers wait until temperatures change by half a kelvin in ten minutes; that takes 20 to 45 minutes."""
COVERED = 0.8
"""Share of the window that samples must cover: the record had no longer gap."""

Series = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SteadyMeans:
    """Mean of a series over the window, and by how much its straight line rises in ten minutes; unit of the series."""

    mean: float
    drift: float


def last_window(
    time_s: Series, values: Series, end_s: float, *, window_s: float = WINDOW_S, at_least: int = 10
) -> SteadyMeans | None:
    """The ten minutes before `end_s`, or another time; None where they were not measured. The rise is that of ten."""
    chosen = np.isfinite(values) & (time_s > end_s - window_s) & (time_s <= end_s)
    time_s, values = time_s[chosen], values[chosen]
    if len(values) < at_least or time_s[-1] - time_s[0] < COVERED * window_s:
        return None
    slope = float(np.polyfit(time_s - time_s[0], values, 1)[0])
    return SteadyMeans(float(values.mean()), slope * WINDOW_S)


def is_steady(minutes: float, drifts_k: Sequence[float]) -> bool:
    """Whether a load went on for ten minutes and no card still warms or cools."""
    return 60 * minutes >= WINDOW_S and all(abs(drift) <= STEADY_K for drift in drifts_k)


MAX_BYTES = 4_000_000


class _Head(BaseModel):
    format: Literal["rigwright-measurements"]
    version: Literal[1]


_STORED = TypeAdapter(Readings)


def read_measurements(path: Path) -> Measurements:
    """The file's measurements under its name. Raises BadInput with a sentence that names the file and the place."""
    text = read_text(path, MAX_BYTES)
    try:
        raw = read_json(text)
    except Unreadable as error:
        raise BadInput(
            tr(
                "{path} is not a JSON file: {reason}. See the format with: {rigwright calibrate --help}.",
                path=path,
                reason=error.args[0],
            )
        ) from error
    return _measurements(raw, path)


def _measurements(raw: Any, path: Path) -> Measurements:
    try:
        _Head.model_validate(raw)
        stored = {name: value for name, value in raw.items() if name not in _Head.model_fields}
        readings = _STORED.validate_python(stored)
        return Measurements(run=path.name, **{one.name: getattr(readings, one.name) for one in fields(Readings)})
    except ValidationError as error:
        place, reason = first_refusal(error)
        sentence = tr(
            "{path} cannot be read at {place}: {reason}.", path=path, place=place or tr("its beginning"), reason=reason
        )
        raise BadInput(joined([sentence, tr("See the format with: {rigwright calibrate --help}.")])) from error
    except BadInput as error:
        raise BadInput(tr("{path}: {reason}", path=path, reason=error.args[0])) from error
