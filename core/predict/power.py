"""From the parts' watts to the wall: power, current, apparent power, energy and heat."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.build.build import Build
from core.predict.band import Band
from core.predict.components import Component, components, dc_power
from core.predict.load import Load
from core.predict.psu import power_factor, wall_power

BTU_PER_HOUR_PER_W = 3.412
TRAINING_ASSUMPTION = "Training: GPUs at 88 to 102 % of their power limit, CPUs at 25 to 50 % of theirs."


@dataclass(frozen=True, slots=True)
class Power:
    """Steady electrical figures of a build by load."""

    components: tuple[Component, ...]
    dc_w: Mapping[Load, Band]
    wall_w: Mapping[Load, Band]
    apparent_va: Mapping[Load, Band]
    current_a: Mapping[Load, Band]


def predict_power(build: Build) -> Power:
    """Everything electrical, at the mains voltage of the build's region."""
    parts = components(build)
    psus = tuple(sorted(build.psus(), key=lambda pair: pair[0].part.id))
    dc = {load: dc_power(parts, load) for load in Load}
    dc[Load.TRAINING] = dc[Load.TRAINING].noting([TRAINING_ASSUMPTION])
    voltage = build.circuit.voltage_v
    wall = {load: wall_power(psus, band, voltage) for load, band in dc.items()}
    rated = rated_power_w(build)
    apparent = {load: _apparent(wall[load], dc[load].expected / rated if rated else 0.5) for load in Load}
    current = {load: band.times(1 / voltage).measured_in("A") for load, band in apparent.items()}
    return Power(parts, dc, wall, apparent, current)


def rated_power_w(build: Build) -> float | None:
    """Output of all PSUs together, None if there is none or one is unknown."""
    powers = [(spec.power_w, line.quantity) for line, spec in build.psus()]
    if not powers or any(power is None for power, _ in powers):
        return None
    return sum((power or 0.0) * count for power, count in powers)


def _apparent(wall: Band, share: float) -> Band:
    low, expected, high = power_factor(share)
    return wall.times(1 / high, 1 / expected, 1 / low).measured_in("VA")
