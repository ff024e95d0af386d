"""The water loop: coolant above the air by heat over the radiators' conductance, chips above it by their blocks."""

from __future__ import annotations

from dataclasses import dataclass

from core.build.build import Build
from core.parts.specs import FanSpec, RadiatorSpec
from core.parts.vocabulary import Category
from core.predict.fans import fan_speeds
from core.predict.load import Load
from core.predict.thermal.air import watts_per_k
from core.predict.thermal.spread import Triple

EFFECTIVENESS: Triple = (0.55, 0.67, 0.75)
"""How near the leaving air comes to the coolant; fits catalogue figures of 175 W per 10 K and 120 mm at 1800 rpm."""
THROUGH_FINS: Triple = (0.40, 0.52, 0.68)
"""Share of a fan's free-air flow behind a radiator."""
BLOCK_K_PER_W: Triple = (0.035, 0.055, 0.085)
"""Chip over coolant for a full-cover block without a figure; general knowledge."""
USUAL_FLOW_M3H = 90.0
"""Rated flow of a 120 to 140 mm fan without points."""


@dataclass(frozen=True, slots=True)
class Loop:
    """`conductance` of all radiators in W/K, coolant to air; None without a radiator."""

    conductance: Triple | None
    missing: tuple[str, ...] = ()


def places_of(spec: RadiatorSpec) -> int:
    """Fans that a radiator takes; two where nobody says."""
    return spec.fan_positions or 2


def loop_of(build: Build, altitude_m: float, fan_share: float | None = None) -> Loop:
    """All radiators in one loop, with the build's fans at this share, else at what they are set to, else as usual."""
    places = 0
    missing: list[str] = []
    for line in build.of(Category.RADIATOR):
        spec = line.part.spec
        assert isinstance(spec, RadiatorSpec)
        if spec.fan_positions is None:
            missing.append(f"{line.part.id}.fan_positions")
        places += line.quantity * places_of(spec)
    if not places:
        return Loop(None)
    flow, unknown = _flow_per_fan(build)
    speeds = fan_speeds(Load.TRAINING, fan_share or build.fan_share)
    sums = [
        effectiveness * watts_per_k(places * flow * speed * through, altitude_m)
        for effectiveness, speed, through in zip(EFFECTIVENESS, speeds, THROUGH_FINS, strict=True)
    ]
    return Loop((sums[0], sums[1], sums[2]), (*missing, *unknown))


def _flow_per_fan(build: Build) -> tuple[float, tuple[str, ...]]:
    flows: list[float] = []
    missing: list[str] = []
    for line in build.of(Category.FAN):
        spec = line.part.spec
        assert isinstance(spec, FanSpec)
        known = max((p.airflow_m3h for p in spec.points or () if p.airflow_m3h is not None), default=None)
        if known is None:
            missing.append(f"{line.part.id}.points")
        flows += [known or USUAL_FLOW_M3H] * line.quantity
    return (sum(flows) / len(flows) if flows else USUAL_FLOW_M3H), tuple(missing)
