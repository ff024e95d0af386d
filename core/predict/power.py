"""From the parts' watts to the wall: power, current, apparent power, energy and heat."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from core.build.build import Build
from core.predict.band import Band
from core.predict.components import Drawn, components, dc_power
from core.predict.load import ByLoad, Load
from core.predict.psu import power_factor, wall_power

BTU_PER_HOUR_PER_W = 3.412
TRAINING_ASSUMPTION = "Training: GPUs at 88 to 102 % of their power limit, CPUs at 25 to 50 % of theirs."


class Power:
    """Steady electrical figures of a build by load, at the mains voltage of its region.

    Worked out when first asked for: many questions end at the direct current.
    """

    def __init__(self, build: Build, drawn: Drawn | None = None) -> None:
        """`drawn` as in `components`."""
        self.components = components(build, drawn)
        self._build = build

    @cached_property
    def dc_w(self) -> Mapping[Load, Band]:
        """What all parts draw from the supplies."""
        return ByLoad(self._dc)

    @cached_property
    def wall_w(self) -> Mapping[Load, Band]:
        """What the supplies draw from the wall."""
        psus = tuple(sorted(self._build.psus(), key=lambda pair: pair[0].part.id))
        voltage = self._build.circuit.voltage_v
        return ByLoad(lambda load: wall_power(psus, self.dc_w[load], voltage))

    @cached_property
    def apparent_va(self) -> Mapping[Load, Band]:
        """The same with its reactive share."""
        rated = rated_power_w(self._build)
        return ByLoad(lambda load: _apparent(self.wall_w[load], self.dc_w[load].expected / rated if rated else 0.5))

    @cached_property
    def current_a(self) -> Mapping[Load, Band]:
        """What flows through the cord."""
        voltage = self._build.circuit.voltage_v
        return ByLoad(lambda load: self.apparent_va[load].times(1 / voltage).measured_in("A"))

    def _dc(self, load: Load) -> Band:
        drawn = dc_power(self.components, load)
        return drawn.noting([TRAINING_ASSUMPTION]) if load is Load.TRAINING else drawn


def predict_power(build: Build, drawn: Drawn | None = None) -> Power:
    """Everything electrical of a build."""
    return Power(build, drawn)


def rated_power_w(build: Build) -> float | None:
    """Output of all PSUs together, None if there is none or one is unknown."""
    powers = [(spec.power_w, line.quantity) for line, spec in build.psus()]
    if not powers or any(power is None for power, _ in powers):
        return None
    return sum((power or 0.0) * count for power, count in powers)


def supplied_w(build: Build) -> float | None:
    """What all PSUs together give at the mains voltage of the build, None if there is none or one is unknown."""
    outputs = [(spec.output_w(build.circuit.voltage_v), line.quantity) for line, spec in build.psus()]
    if not outputs or any(output is None for output, _ in outputs):
        return None
    return sum((output or 0.0) * count for output, count in outputs)


def left_of_circuits_w(build: Build) -> float:
    """What the machine may draw for hours until the first of its circuits is full, beside what else hangs on them, W.

    PSUs take the circuits in turn, the strongest first, and share the load by their ratings, equally where one is
    unknown. A circuit without a PSU carries nothing.
    """
    ratings = sorted((spec.power_w or 0.0 for line, spec in build.psus() for _ in range(line.quantity)), reverse=True)
    if not ratings or not all(ratings):
        ratings = [1.0] * max(1, len(ratings))
    circuits = len(build.other_loads_w)
    shares = [sum(ratings[at::circuits]) / sum(ratings) for at in range(circuits)]
    left = [max(0.0, build.circuit.continuous_w - other) for other in build.other_loads_w]
    return min(watts / share for watts, share in zip(left, shares, strict=True) if share)


def _apparent(wall: Band, share: float) -> Band:
    low, expected, high = power_factor(share)
    return wall.times(1 / high, 1 / expected, 1 / low).measured_in("VA")
