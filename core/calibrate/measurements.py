"""What somebody measured on a machine in steady training."""

from __future__ import annotations

from dataclasses import dataclass

from core.errors import BadInput

RANGES: dict[str, tuple[float, float, str]] = {
    "temperature_c": (0, 130, "C"),
    "power_w": (1, 2000, "W"),
    "fan_share": (0, 1, "of full speed"),
    "fan_rpm": (0, 20_000, "rpm"),
    "drift_k": (-60, 60, "K"),
    "target_c": (40, 120, "C"),
    "room_c": (-10, 50, "C"),
    "altitude_m": (-500, 6000, "m"),
    "case_air_c": (-10, 90, "C"),
    "coolant_c": (-10, 100, "C"),
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
