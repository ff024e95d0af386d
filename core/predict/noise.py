"""How loud the machine is at the ear: every source, and all of them together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.build.build import Build, Line
from core.parts.specs import CaseSpec, FanSpec
from core.parts.vocabulary import Category, GpuCooling
from core.predict.acoustics import Shift, identical, shifted, sum_bands
from core.predict.band import Band
from core.predict.blocks import fitted_blocks
from core.predict.conditions import Conditions
from core.predict.enclosure import Enclosure, enclosure, mounting
from core.predict.load import Load
from core.predict.power import Power, rated_power_w
from core.predict.sources import (
    NOISE_LOADS,
    Levels,
    cooler_levels,
    drive_levels,
    fan_levels,
    gpu_levels,
    included_levels,
    psu_levels,
    pump_levels,
)

_AIR = (GpuCooling.OPEN_AIR, GpuCooling.BLOWER, GpuCooling.FLOW_THROUGH, None)
_ALONE = Shift(-1.0, 0.0, 2.0)
_CROWDED = Shift(-1.0, 1.0, 4.0)
"""A narrow gap before the fans adds 2 to 4 dB; reviews measure one card alone."""
_INTAKE = Shift(0.0, 1.0, 2.5)


@dataclass(frozen=True, slots=True)
class NoiseSource:
    """All `count` parts of one line together, at the ear."""

    part_id: str
    title: str
    count: int
    idle: Band
    load: Band

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "part": self.part_id,
            "title": self.title,
            "count": self.count,
            "idle_dba": self.idle.as_dict(),
            "load_dba": self.load.as_dict(),
        }


def noise_sources(build: Build, conditions: Conditions, power: Power) -> tuple[NoiseSource, ...]:
    """Everything that makes noise, the loudest under load first."""
    around = enclosure(build, conditions.distance_m)
    found = [
        _source(name, count, levels, shifts, around.missing)
        for name, count, levels, shifts in _all(build, around, power)
        if levels is not None
    ]
    audible = [source for source in found if source.load.high > 0 or source.idle.high > 0]
    return tuple(sorted(audible, key=lambda source: (-source.load.expected, source.part_id, source.title)))


def total_noise(sources: tuple[NoiseSource, ...]) -> tuple[Band, Band]:
    """Idle and training: the machine alone, free field."""
    return sum_bands([source.idle for source in sources]), sum_bands([source.load for source in sources])


Found = tuple[tuple[str, str], int, Levels | None, tuple[Shift, ...]]


def _all(build: Build, around: Enclosure, power: Power) -> Iterator[Found]:
    for line in build.lines:
        spec = line.part.spec
        name = (line.part.id, line.part.title)
        match line.part.category:
            case Category.GPU:
                yield from _gpus(build, line, around)
            case Category.FAN:
                assert isinstance(spec, FanSpec)
                yield name, line.quantity, fan_levels(line.part), (*around.opening, mounting(build, spec.size_mm))
            case Category.CPU_COOLER:
                yield name, line.quantity, cooler_levels(line.part), (*around.inside, _INTAKE)
            case Category.PUMP:
                yield name, line.quantity, pump_levels(line.part), around.inside
            case Category.STORAGE:
                yield name, line.quantity, drive_levels(line.part), around.inside
            case Category.PSU:
                yield name, line.quantity, psu_levels(line.part, _shares(build, power)), around.opening
            case Category.CASE:
                yield from _case_fans(build, line, around)


def _gpus(build: Build, line: Line, around: Enclosure) -> Iterator[Found]:
    fitted = fitted_blocks(build).get(line.part.id)
    open_cards = line.quantity - (fitted.count if fitted else 0)
    if open_cards:
        levels = gpu_levels(line.part, blocked=False)
        crowd = _CROWDED if _air_cooled(build) > 1 else _ALONE
        yield (line.part.id, line.part.title), open_cards, levels, (*around.inside, crowd)


def _case_fans(build: Build, line: Line, around: Enclosure) -> Iterator[Found]:
    spec = line.part.spec
    assert isinstance(spec, CaseSpec)
    title = f"{line.part.title}: included fans"
    if spec.included_fans is None and around.opening != around.inside:
        unknown = {load: Band(0, 14 if load is Load.IDLE else 22, 38, "dBA") for load in NOISE_LOADS}
        noted = {load: band.noting(missing=[f"{line.part.id}.included_fans"]) for load, band in unknown.items()}
        yield (line.part.id, title), 1, noted, around.opening
    for fan in spec.included_fans or ():
        shifts = (*around.opening, mounting(build, None))
        name = (line.part.id, f"{title}, {fan.place}")
        yield name, fan.count * line.quantity, included_levels(line.part, fan), shifts


def _air_cooled(build: Build) -> int:
    blocks = fitted_blocks(build)
    return sum(
        line.quantity - (blocks[line.part.id].count if line.part.id in blocks else 0)
        for line, spec in build.gpus()
        if spec.cooling in _AIR
    )


def _shares(build: Build, power: Power) -> dict[Load, float | None]:
    rated = rated_power_w(build)
    return {load: power.dc_w[load].expected / rated if rated else None for load in NOISE_LOADS}


def _source(
    name: tuple[str, str], count: int, levels: Mapping[Load, Band], shifts: tuple[Shift, ...], missing: tuple[str, ...]
) -> NoiseSource:
    idle, busy = (identical(shifted(levels[load], shifts).noting(missing=missing), count) for load in NOISE_LOADS)
    return NoiseSource(*name, count, idle, busy)
