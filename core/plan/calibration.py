"""What a measured run told about a machine's predictions; the build file carries it with the build."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from math import exp, isfinite
from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, GetCoreSchemaHandler, TypeAdapter
from pydantic_core import CoreSchema, core_schema

from core.words import tr

LARGEST_FACTOR = 20.0
LARGEST_OFFSET = 60.0
SPREADS = 2.0
"""Standard errors from the fitted value to either end of its range: 95 % of a normal distribution."""

LOWEST_M, HIGHEST_M = -500.0, 6000.0
COLDEST_C, WARMEST_C = -10.0, 50.0
"""Where machines stand: the heights and rooms that a prediction takes, too."""

Range = tuple[float, float, float]
T = TypeVar("T")
_CONFIG = ConfigDict(extra="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Factor:
    """What to multiply the model's expected figure with; `spread` is its relative standard error."""

    __pydantic_config__ = _CONFIG
    value: float
    spread: float

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and 1 / LARGEST_FACTOR <= self.value <= LARGEST_FACTOR):
            raise ValueError(tr("a calibrated factor must be between 0.05 and 20, not {value:g}", value=self.value))
        if not 0 <= self.spread <= 1:
            raise ValueError(
                tr("the spread of a calibrated factor must be between 0 and 1, not {spread:g}", spread=self.spread)
            )

    def of(self, expected: float) -> Range:
        """Low, expected and high of a figure >= 0."""
        middle, reach = self.value * expected, exp(SPREADS * self.spread)
        return middle / reach, middle, middle * reach


@dataclass(frozen=True, slots=True)
class Offset:
    """What to add to the model's expected figure, in its unit; `error` is the standard error."""

    __pydantic_config__ = _CONFIG
    value: float
    error: float

    def __post_init__(self) -> None:
        if not (isfinite(self.value) and abs(self.value) <= LARGEST_OFFSET):
            raise ValueError(
                tr("a calibrated offset must be within {most:g}, not {value:g}", most=LARGEST_OFFSET, value=self.value)
            )
        if not 0 <= self.error <= LARGEST_OFFSET:
            raise ValueError(
                tr("the error of a calibrated offset must be between 0 and 60, not {value:g}", value=self.error)
            )

    def of(self, expected: float) -> Range:
        """Low, expected and high."""
        middle, reach = expected + self.value, SPREADS * self.error
        return middle - reach, middle, middle + reach


@dataclass(frozen=True, slots=True)
class _AsTable:
    """Rows by part id, which a build file holds as a table."""

    row: type[Factor | Offset]

    def __get_pydantic_core_schema__(self, _: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(
            lambda table: tuple(sorted(table.items())),
            handler.generate_schema(dict[str, self.row]),  # type: ignore[name-defined]
            serialization=core_schema.plain_serializer_function_ser_schema(dict),
        )


Factors = Annotated[tuple[tuple[str, Factor], ...], _AsTable(Factor)]
Offsets = Annotated[tuple[tuple[str, Offset], ...], _AsTable(Offset)]


@dataclass(frozen=True, slots=True)
class Calibration:
    """Corrections of what the model expects; what was not determined is None and stays as the model has it.

    `run` names the measurement ("run 7", or a file), `on` its day in ISO 8601, `by` who or which machine measured. All
    corrections hold at sea level: the model itself takes the height up, both that of the run and that of a prediction.
    """

    __pydantic_config__ = _CONFIG
    run: str = ""
    on: str = ""
    by: str = ""
    simulated: bool = False
    """The run was no measurement, but a simulation."""
    altitude_m: float = 0.0
    """How high above the sea it was measured."""
    room_c: float | None = None
    """The air that the machine drew in then; None: not known, and no temperature fitted."""
    replaces: str = ""
    """The measurement, in words, whose calibration this one took the place of."""
    resistance: Factors = ()
    """Cooler, chip over inlet air, by part id of the card or CPU cooler; sorted."""
    blocks: Factors = ()
    """Chip over coolant, by part id of the water block, or of the card that is sold with one; sorted."""
    radiators: Factors = ()
    """Conductance from coolant to air, by part id of the radiator; sorted."""
    fans_later_k: Offsets = ()
    """How much later than usual a card's fans speed up, K, by part id; sorted."""
    coupling: Factor | None = None
    """Of the inlets' warming by neighbours."""
    flow: Factor | None = None
    """Of the case's stream of air as the cards see it: mixing before their inlets is in it."""
    flow_case: str = ""
    """Part id of the case that `flow` belongs to; in another case it does not hold."""
    level_db: Offset | None = None
    """Of the machine's level in training: case, room and the samples of its fans."""
    fan_slope_db: Offset | None = None
    """Of the cards' levels, dB per decade of fan speed."""

    def __post_init__(self) -> None:
        for table in (self.resistance, self.blocks, self.radiators, self.fans_later_k):
            ids = [part_id for part_id, _ in table]
            if ids != sorted(set(ids)):
                raise ValueError(tr("a calibration must name each part once, in order"))
        if not LOWEST_M <= self.altitude_m <= HIGHEST_M:
            raise ValueError(
                tr(
                    "a calibration must be made between {low:g} and {high:g} m, not {altitude_m:g}",
                    low=LOWEST_M,
                    high=HIGHEST_M,
                    altitude_m=self.altitude_m,
                )
            )
        if self.room_c is not None and not COLDEST_C <= self.room_c <= WARMEST_C:
            raise ValueError(
                tr(
                    "a calibration must be made between {low:g} and {high:g} °C, not {room_c:g}",
                    low=COLDEST_C,
                    high=WARMEST_C,
                    room_c=self.room_c,
                )
            )
        if self and not self.run:
            raise ValueError(tr("a calibration must name the run it comes from"))
        if self.flow is not None and not self.flow_case:
            raise ValueError(tr("a calibrated flow must name the case it belongs to"))

    def __bool__(self) -> bool:
        """Whether anything was fitted."""
        tables = (self.resistance, self.blocks, self.radiators, self.fans_later_k)
        return any((*tables, self.coupling, self.flow, self.level_db, self.fan_slope_db))

    def resistance_of(self, part_id: str) -> Factor | None:
        """Of one card or CPU cooler."""
        return _of(self.resistance, part_id)

    def block_of(self, part_id: str) -> Factor | None:
        """Of one water block, or of a card that is sold with one."""
        return _of(self.blocks, part_id)

    def radiators_of(self, part_ids: Collection[str]) -> Factor | None:
        """Of a loop with these radiators; None unless each of them was in the loop that was measured."""
        corrections = [_of(self.radiators, part_id) for part_id in part_ids]
        return corrections[0] if corrections and None not in corrections else None

    def fans_later_of(self, part_id: str) -> Offset | None:
        """Of one card."""
        return _of(self.fans_later_k, part_id)

    def flow_in(self, case_id: str) -> Factor | None:
        """Of one case."""
        return self.flow if case_id == self.flow_case else None

    @property
    def source(self) -> str:
        """The measurement in words: "run 7 of 2026-03-01"."""
        words = tr("{run} of {day}", run=self.run, day=self.on) if self.on else self.run
        return tr("{words} (SIMULATED, not measured)", words=words) if self.simulated else words

    @property
    def circumstances(self) -> str:
        """Where it was measured, in words: "at 1500 m, in a room of 24 C"."""
        height = tr("at {altitude_m:g} m", altitude_m=self.altitude_m) if self.altitude_m else tr("at sea level")
        if self.room_c is None:
            return height
        return tr("{height}, in a room at {room_c:g} °C", height=height, room_c=self.room_c)


def _of(table: tuple[tuple[str, T], ...], part_id: str) -> T | None:
    return next((correction for entry_id, correction in table if entry_id == part_id), None)


NOTHING = Calibration()
_STORED = TypeAdapter(Calibration)


def dump_calibration(calibration: Calibration) -> dict[str, Any]:
    """For the build file: only what says something."""
    stored: dict[str, Any] = _STORED.dump_python(calibration, exclude_defaults=True)
    return stored
