"""The processors: what heat they leave in the case, and how far the hottest gets above the air in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from core.parts.part import Part
from core.parts.specs import CpuCoolerSpec, CpuSpec
from core.parts.vocabulary import Category, CoolerKind
from core.plan.build import Build
from core.predict.band import Triple
from core.predict.components import Component
from core.predict.conditions import LoadCase
from core.predict.thermal.calibrated import corrected
from core.predict.thermal.coolers import at_speed

AIR: Triple = (0.12, 0.17, 0.25)
CLOSED_LOOP: tuple[tuple[float, Triple], ...] = (
    (140.0, (0.15, 0.21, 0.28)),
    (300.0, (0.11, 0.15, 0.20)),
    (inf, (0.085, 0.115, 0.16)),
)
"""K/W from core to air by radiator length: reviews of TR4 and SP3 towers 0.12 to 0.16, of 360 mm loops 0.09 to 0.11;
general knowledge otherwise."""
LIQUID_LEAVES: Triple = (0.1, 0.4, 1.0)
"""Share of the processor's heat that a liquid cooler leaves in the case; all of it if its radiator blows inwards."""
_LIQUID = (CoolerKind.AIO, CoolerKind.BLOCK)


@dataclass(frozen=True, slots=True)
class ProcessorHeat:
    """All processors of a build under one load, as the steady state sees them."""

    heat_w: Triple
    """What all of them draw unless their temperature holds them back."""
    left: Triple
    """Share of their heat that stays in the case."""
    hottest_w: float = 0.0
    """What the hottest draws through the cooler."""
    resistance: Triple | None = None
    """Core to air, K/W; None where no temperature can be told."""
    most_c: float = inf
    """Where they slow down rather than get hotter; infinite where unknown."""
    missing: tuple[str, ...] = ()


NO_PROCESSOR = ProcessorHeat((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def processor_of(build: Build, parts: Sequence[Component], load: LoadCase, altitude_m: float = 0.0) -> ProcessorHeat:
    """From what the components of the processors draw under a load."""
    drawn = [part for part in parts if part.category is Category.CPU]
    watts = [part.dc_w[load] for part in drawn]
    heat = (sum(b.low for b in watts), sum(b.expected for b in watts), sum(b.high for b in watts))
    left = LIQUID_LEAVES if _is_liquid(build) else (1.0, 1.0, 1.0)
    rated = {line.part.id: spec for line, spec in build.cpus() if spec.sustained_power_w is not None}
    cooled = cpu_cooler(build)
    if not rated or cooled is None:
        return ProcessorHeat(heat, left)
    part, usual = cooled
    factor = build.calibration.resistance_of(part.id)
    low, expected, high = (at_speed(one, 1.0, altitude_m) for one in corrected(usual, factor))
    stated = factor is not None or getattr(part.spec, "thermal_resistance_k_per_w", None)
    missing = () if stated else (f"{part.id}.thermal_resistance_k_per_w",)
    hottest = max(one.dc_w[load].expected / one.count for one in drawn if one.part_id in rated)
    return ProcessorHeat(heat, left, hottest, (low, expected, high), _most_c(list(rated.values())), missing)


def cpu_cooler(build: Build) -> tuple[Part, Triple] | None:
    """The first cooler with its resistance from core to air in K/W; None where its kind tells none."""
    for line in build.of(Category.CPU_COOLER)[:1]:
        assert isinstance(line.part.spec, CpuCoolerSpec)
        resistance = resistance_of(line.part.spec)
        return None if resistance is None else (line.part, resistance)
    return None


def resistance_of(spec: CpuCoolerSpec) -> Triple | None:
    """K/W from core to air: the cooler's own figure, else the range of its kind and size; None if neither is known."""
    stated = spec.thermal_resistance_k_per_w
    if stated:
        return 0.92 * stated, stated, 1.08 * stated
    if spec.kind is CoolerKind.AIR:
        return AIR
    if spec.kind is CoolerKind.AIO and spec.radiator_mm is not None:
        return next(triple for length, triple in CLOSED_LOOP if (spec.radiator_mm or 0) <= length)
    return None


def _most_c(cpus: Sequence[CpuSpec]) -> float:
    """A processor slows down rather than pass its maximum."""
    limits = [cpu.temperature_max_c for cpu in cpus if cpu.temperature_max_c is not None]
    return max(limits) if len(limits) == len(cpus) else inf


def _is_liquid(build: Build) -> bool:
    specs = (line.part.spec for line in build.of(Category.CPU_COOLER))
    return any(isinstance(spec, CpuCoolerSpec) and spec.kind in _LIQUID for spec in specs)
