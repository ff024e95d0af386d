"""Where fans and the ways of the air meet: flows that balance at one pressure inside the case.

Room, front, intake fans, inside, exhaust fans, grilles, room: the two are in series, with gaps between inside and room.
Fans side by side see the same pressures and add their flows. A fan that is overcome by the pressure behind it delivers
nothing; that air blows back through it is left out.

One fan: P(Q) = P0 (1 - (Q / Q0)^2), with Q0 in free air and P0 at shut-off. Published figures where the part has them,
else what fans of its size are known for. With the speed n, Q0 grows as n and P0 as n^2 (fan laws).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt

from core.parts.specs import FanSpec, IncludedFan
from core.predict.band import Triple

PA_PER_MMH2O = 9.80665
REFERENCE_MM = 120.0
STIFFNESS: Triple = (0.0012, 0.0020, 0.0030)
"""P0 / Q0^2 of a 120 mm fan, Pa / (m3/h)^2; of others by the fourth power of the diameter. A tenth, half and nine
tenths of 75 fans of 80 to 200 mm whose makers publish flow and pressure lie below these."""
FLOW_NUMBER: Triple = (0.176, 0.229, 0.290)
"""Q0 over tip speed x disc area; the same tenths of 95 fans with published flow and speed."""
USUAL_RPM: Triple = (1000.0, 1500.0, 2100.0)
"""Highest speed of a case or radiator fan of 120 mm of which nobody says more; larger ones turn slower in proportion.
General knowledge."""


@dataclass(frozen=True, slots=True)
class FanCurve:
    """One fan at its highest speed: each figure low, expected and high."""

    flow_m3h: Triple
    """In free air."""
    pressure_pa: Triple
    """Without flow, at sea level."""
    rpm: float | None
    least_share: float = 0.0
    """Lowest over highest speed."""
    flow_known: bool = True
    pressure_known: bool = True


def curve_of(spec: FanSpec) -> FanCurve:
    """A fan's own points, scaled to its highest speed."""
    points = spec.points or ()
    rpm = max((point.rpm for point in points), default=None)
    least = min(1.0, (spec.min_rpm or 0.0) / rpm) if rpm else 0.0
    flowing = max((point for point in points if point.airflow_m3h), key=lambda point: point.rpm, default=None)
    pushing = max((point for point in points if point.static_pressure_mmh2o), key=lambda point: point.rpm, default=None)
    flow = flowing.airflow_m3h * rpm / flowing.rpm if flowing and flowing.airflow_m3h and rpm else None
    pressure = None
    if pushing and pushing.static_pressure_mmh2o and rpm:
        pressure = pushing.static_pressure_mmh2o * PA_PER_MMH2O * (rpm / pushing.rpm) ** 2
    return curve(spec.size_mm, rpm, flow, pressure, least)


def included_curve(fan: IncludedFan) -> FanCurve:
    """A fan that came with a case."""
    pressure = fan.static_pressure_mmh2o
    return curve(fan.size_mm, fan.max_rpm, fan.airflow_m3h, None if pressure is None else pressure * PA_PER_MMH2O)


@lru_cache(maxsize=512)
def curve(
    size_mm: float | None = None,
    rpm: float | None = None,
    flow_m3h: float | None = None,
    pressure_pa: float | None = None,
    least_share: float = 0.0,
) -> FanCurve:
    """From what is known at the highest speed; a fan of unknown size counts as one of 120 mm."""
    size = size_mm or REFERENCE_MM
    flow = _usual_flow(size, rpm) if flow_m3h is None else (flow_m3h, flow_m3h, flow_m3h)
    if pressure_pa is None:
        stiff = (REFERENCE_MM / size) ** 4
        low, expected, high = (stiff * each * through**2 for each, through in zip(STIFFNESS, flow, strict=True))
        pressure = low, expected, high
    else:
        pressure = pressure_pa, pressure_pa, pressure_pa
    return FanCurve(flow, pressure, rpm, least_share, flow_m3h is not None, pressure_pa is not None)


def _usual_flow(size_mm: float, rpm: float | None) -> Triple:
    """Free-air flow of a fan of this size: flow number x tip speed x disc area, m3/h."""
    metres = size_mm / 1000
    per_rpm = pi * metres / 60 * pi * metres**2 / 4 * 3600
    if rpm is not None:
        low, expected, high = (number * per_rpm * rpm for number in FLOW_NUMBER)
    else:
        slower = REFERENCE_MM / size_mm
        low, expected, high = (FLOW_NUMBER[1] * per_rpm * slower * usual for usual in USUAL_RPM)
    return low, expected, high


STEPS = 44
"""Halvings of the range of pressures. Near its shut-off pressure a fan delivers with the root of what is left of it: a
millionth of its flow is a billionth of a thousandth of its pressure."""


@dataclass(frozen=True, slots=True)
class Fans:
    """`count` equal fans at one speed, each with an opening of its own that resists by `k`, Pa / (m3/h)^2."""

    count: float
    flow_m3h: float
    """Of one, in free air at this speed; above zero."""
    pressure_pa: float
    """Of one, without flow at this speed; above zero."""
    k: float

    @property
    def width(self) -> float:
        """Flow of all over the root of the pressure that is left for it: P0 (1 - (Q / Q0)^2) = k Q^2 + against."""
        return self.count / sqrt(self.k + self.pressure_pa / self.flow_m3h**2)

    def all_m3h(self, against_pa: float = 0.0) -> float:
        """Flow of all of them against this pressure."""
        push = self.pressure_pa - against_pa
        return self.width * sqrt(push) if push > 0 else 0.0

    def held_pa(self, against_pa: float = 0.0) -> float:
        """Static pressure over each fan at its operating point."""
        share = self.all_m3h(against_pa) / (self.count * self.flow_m3h)
        return self.pressure_pa * (1 - share**2)


@dataclass(frozen=True, slots=True)
class Balance:
    """The case at rest: pressure inside over the room's, and what crosses it."""

    inside_pa: float
    through_m3h: float
    """What enters and leaves, by fans and gaps together."""


@lru_cache(maxsize=1024)
def balance(into: tuple[Fans, ...], out: tuple[Fans, ...], gaps_k: float) -> Balance:
    """The one pressure at which as much enters as leaves; `gaps_k` of all openings without a fan together.

    Inflow falls and outflow grows with the pressure inside, so halving finds it. The unknown is the signed root of the
    pressure, in which the flow through the gaps is straight. As every curve is monotone, no faster or further fan and
    no wider opening ever lessens what crosses the case.
    """
    pushing, pulling = ([(fans.width, fans.pressure_pa) for fans in side] for side in (into, out))
    gaps = 1 / sqrt(gaps_k)
    low = -sqrt(max((pressure for _, pressure in pulling), default=0.0))
    high = sqrt(max((pressure for _, pressure in pushing), default=0.0))
    for _ in range(STEPS):
        root = (low + high) / 2
        inside = root * abs(root)
        if _flow(pushing, inside) > _flow(pulling, -inside) + root * gaps:
            low = root
        else:
            high = root
    root = (low + high) / 2
    inside = root * abs(root)
    return Balance(inside, _flow(pulling, -inside) + max(0.0, root) * gaps)


def _flow(fans: Sequence[tuple[float, float]], against_pa: float) -> float:
    """Of fans by their width and shut-off pressure."""
    total = 0.0
    for width, pressure in fans:
        if pressure > against_pa:
            total += width * sqrt(pressure - against_pa)
    return total
