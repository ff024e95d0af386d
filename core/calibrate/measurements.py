"""What somebody measured on a machine in steady training, and whether a recorded load had become steady."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.errors import BadInput

RANGES: dict[str, tuple[float, float, str]] = {
    "temperature_c": (0, 130, "°C"),
    "power_w": (1, 2000, "W"),
    "fan_share": (0, 1, "of full speed"),
    "fan_rpm": (0, 20_000, "rpm"),
    "drift_k": (-60, 60, "K"),
    "target_c": (40, 120, "°C"),
    "room_c": (-10, 50, "°C"),
    "altitude_m": (-500, 6000, "m"),
    "case_air_c": (-10, 90, "°C"),
    "coolant_c": (-10, 100, "°C"),
    "minutes": (0, 100_000, "minutes"),
    "level_dba": (5, 120, "dBA"),
    "background_dba": (0, 90, "dBA"),
    "distance_m": (0.1, 20, "m"),
}


@dataclass(frozen=True, slots=True)
class MeasuredCard:
    """One GPU over the last ten minutes; `slot` None: nobody knows which of its kind it is."""

    temperature_c: float
    power_w: float
    drift_k: float
    """By how much its temperature rose over the last ten minutes."""
    part_id: str | None = None
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

    power_w: float
    temperature_c: float | None = None

    def __post_init__(self) -> None:
        _require_ranges(self, "power_w", "temperature_c")


@dataclass(frozen=True, slots=True)
class SoundReading:
    """A meter's reading with the machine in training, and of the room without it."""

    level_dba: float
    distance_m: float
    """From the surface of the case."""
    background_dba: float
    fan_share: float | None = None
    """Of all cards while it was read, where that was another speed than the run's."""

    def __post_init__(self) -> None:
        _require_ranges(self, "level_dba", "distance_m", "background_dba", "fan_share")


@dataclass(frozen=True, slots=True)
class Measurements:
    """Everything of one run; `run`, `on` and `by` as in `Calibration`."""

    run: str
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
    sounds: tuple[SoundReading, ...] = ()
    on: str = ""
    by: str = ""
    simulated: bool = False
    doubts: tuple[str, ...] = ()
    """Sentences about what looks as if something else had been measured."""

    def __post_init__(self) -> None:
        _require_ranges(self, "minutes", "room_c", "altitude_m", "case_air_c", "coolant_c")


def _require_ranges(measured: object, *names: str) -> None:
    for name in names:
        value = getattr(measured, name)
        low, high, unit = RANGES[name]
        if value is not None and not low <= value <= high:
            raise BadInput(f"A measured {name} of {value:g} cannot be: it lies between {low:g} and {high:g} {unit}.")


WINDOW_S = 600.0
STEADY_K = 0.5
"""Reviewers wait until temperatures change by half a kelvin in ten minutes; that takes 20 to 45 minutes."""
COVERED = 0.8
"""Share of the window that samples must cover: the record had no longer gap."""

Series = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SteadyMeans:
    """Mean of a series over the window, and by how much its straight line rises within it; unit of the series."""

    mean: float
    drift: float


def last_window(time_s: Series, values: Series, end_s: float) -> SteadyMeans | None:
    """The ten minutes before `end_s`; None where they were not measured."""
    chosen = np.isfinite(values) & (time_s > end_s - WINDOW_S) & (time_s <= end_s)
    time_s, values = time_s[chosen], values[chosen]
    if len(values) < 10 or time_s[-1] - time_s[0] < COVERED * WINDOW_S:
        return None
    slope = float(np.polyfit(time_s - time_s[0], values, 1)[0])
    return SteadyMeans(float(values.mean()), slope * WINDOW_S)


def is_steady(minutes: float, drifts_k: Sequence[float]) -> bool:
    """Whether a load went on for ten minutes and no card still warms or cools."""
    return 60 * minutes >= WINDOW_S and all(abs(drift) <= STEADY_K for drift in drifts_k)
