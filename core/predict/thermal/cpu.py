"""The hottest processor with all its cores at their limit, above the air in the case."""

from __future__ import annotations

from math import inf

from core.build.build import Build
from core.parts.part import Part
from core.parts.specs import CpuCoolerSpec, CpuSpec
from core.parts.vocabulary import Category, CoolerKind
from core.predict.band import Band
from core.predict.thermal.coolers import at_speed
from core.predict.thermal.measured import corrected
from core.predict.thermal.spread import Case, Triple, hot_high

AIR: Triple = (0.12, 0.17, 0.25)
CLOSED_LOOP: tuple[tuple[float, Triple], ...] = (
    (140.0, (0.15, 0.21, 0.28)),
    (300.0, (0.11, 0.15, 0.20)),
    (inf, (0.085, 0.115, 0.16)),
)
"""K/W from core to air by radiator length: reviews of TR4 and SP3 towers 0.12 to 0.16, of 360 mm loops 0.09 to 0.11;
general knowledge otherwise."""


def cpu_temperature(build: Build, air_c: Triple, altitude_m: float = 0.0) -> Band | None:
    """C; None without a processor, a cooler of a kind that is known, or the processor's limit."""
    cpus = [spec for _, spec in build.cpus() if spec.max_power_w is not None]
    cooled = cpu_cooler(build)
    if not cpus or cooled is None:
        return None
    part, known = cooled
    factor = build.calibration.resistance_of(part.id)
    resistance = corrected(known, factor)
    watts = max(cpu.max_power_w or 0.0 for cpu in cpus)
    per_watt = [at_speed(hot_high(resistance, case), 1.0, altitude_m) for case in Case]
    temperatures = [air + one * watts for air, one in zip(air_c, per_watt, strict=True)]
    held = [_held(value, cpus) for value in temperatures]
    stated = factor is not None or getattr(part.spec, "thermal_resistance_k_per_w", None)
    missing = () if stated else (f"{part.id}.thermal_resistance_k_per_w",)
    return Band(held[0], held[1], held[2], "C", missing=missing)


def cpu_cooler(build: Build) -> tuple[Part, Triple] | None:
    """The first cooler with its resistance from core to air in K/W; None where its kind tells none."""
    for line in build.of(Category.CPU_COOLER)[:1]:
        assert isinstance(line.part.spec, CpuCoolerSpec)
        resistance = _resistance(line.part.spec)
        return None if resistance is None else (line.part, resistance)
    return None


def _resistance(spec: CpuCoolerSpec) -> Triple | None:
    stated = spec.thermal_resistance_k_per_w
    if stated:
        return 0.92 * stated, stated, 1.08 * stated
    if spec.kind is CoolerKind.AIR:
        return AIR
    if spec.kind is CoolerKind.AIO and spec.radiator_mm is not None:
        return next(triple for length, triple in CLOSED_LOOP if (spec.radiator_mm or 0) <= length)
    return None


def _held(value: float, cpus: list[CpuSpec]) -> float:
    """A processor slows down rather than pass its maximum."""
    limits = [cpu.temperature_max_c for cpu in cpus if cpu.temperature_max_c is not None]
    return min(value, max(limits)) if limits and len(limits) == len(cpus) else value
