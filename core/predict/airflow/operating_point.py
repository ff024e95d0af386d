"""Where fans and the ways of the air meet: what openings resist, flows that balance at one pressure, and their heat.

Room, front, intake fans, inside, exhaust fans, grilles, room: the two are in series, with gaps between inside and room.
Fans side by side see the same pressures and add their flows. A fan that is overcome by the pressure behind it delivers
nothing; that air blows back through it is left out.

One fan: P(Q) = P0 (1 - (Q / Q0)^2), with Q0 in free air and P0 at shut-off. Published figures where the part has them,
else what fans of its size are known for. With the speed n, Q0 grows as n and P0 as n^2 (fan laws).

What panels, filters, grilles and radiators resist is k in dP = k Q^2, for the place of one fan, in Pa / (m3/h)^2.
Nobody publishes it; known is which share of its free-air flow a fan delivers behind such an opening. A usual fan of
120 mm with P0 = s Q0^2 meets its opening where s Q0^2 (1 - f^2) = k (f Q0)^2, so k = s (1 / f^2 - 1): the share f then
holds at every speed, and stiffer fans deliver more, softer ones less. The opening of a larger fan is larger: k falls
with the fourth power of its diameter, as for every opening of the same shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import pi, sqrt

from core.parts.specs import FanSpec, IncludedFan, RadiatorSpec
from core.parts.vocabulary import Panels
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


INTAKE: dict[Panels | None, Triple] = {
    Panels.OPEN: (0.75, 0.88, 1.0),
    Panels.MESH: (0.50, 0.60, 0.72),
    Panels.SOLID: (0.32, 0.40, 0.50),
    Panels.DAMPED: (0.28, 0.37, 0.47),
    None: (0.28, 0.47, 0.72),
}
"""Share of the free-air flow behind the front: mesh 0.7, mesh with a filter 0.55, a door with slots at its sides 0.35
to 0.45; general knowledge."""
GRILLE: Triple = (0.60, 0.70, 0.80)
"""The same before a stamped grille, where closed cases blow out."""
RADIATOR: Triple = (0.47, 0.55, 0.63)
"""The same behind a radiator of 30 mm; at 45 to 60 mm it is 0.45, which is what twice the resistance makes of it."""
RADIATOR_MM, FINS_PER_INCH = 30.0, 13.0
UNKNOWN_MM: Triple = (60.0, 40.0, 28.0)
UNKNOWN_FINS: Triple = (16.0, 13.0, 9.0)
"""Thickness and fins per inch of a radiator of which nobody says them."""
VENTS: dict[Panels | None, Triple] = {
    Panels.OPEN: (3.0, 6.0, 12.0),
    Panels.MESH: (1.5, 4.0, 8.0),
    Panels.SOLID: (0.5, 1.5, 3.0),
    Panels.DAMPED: (0.4, 1.0, 2.0),
    None: (0.4, 1.5, 5.0),
}
"""Gaps, slots and grilles without a fan, in places of 120 mm behind a grille: the mesh of a top for 240 to 360 mm is
two or three of them, the rear and the openings of the slots one more; general knowledge."""


def resistance(share: float, size_mm: float | None = None) -> float:
    """k of the place of one fan behind which a usual fan delivers `share` of its free-air flow."""
    return STIFFNESS[1] * (1 / share**2 - 1) * (REFERENCE_MM / (size_mm or REFERENCE_MM)) ** 4


@lru_cache(maxsize=128)
def intake_k(panels: Panels | None, size_mm: float | None) -> Triple:
    """Of the front before one fan; the first is the tightest."""
    low, expected, high = (resistance(share, size_mm) for share in INTAKE[panels])
    return low, expected, high


@lru_cache(maxsize=128)
def exhaust_k(panels: Panels | None, size_mm: float | None) -> Triple:
    """Of the grille behind one fan; an open machine has none that is tighter than its front."""
    shares = INTAKE[panels] if panels is Panels.OPEN else GRILLE
    low, expected, high = (resistance(share, size_mm) for share in shares)
    return low, expected, high


def radiator_k(spec: RadiatorSpec) -> Triple:
    """Of a radiator before one of its fans: it grows with thickness and fins."""
    low, expected, high = (
        fins * resistance(share, spec.fan_size_mm) for fins, share in zip(fins_of(spec), RADIATOR, strict=True)
    )
    return low, expected, high


def fins_of(spec: RadiatorSpec) -> Triple:
    """Area of the fins over that of a radiator of 30 mm with 13 fins per inch; the first is the most."""
    thick = UNKNOWN_MM if spec.thickness_mm is None else (spec.thickness_mm,) * 3
    dense = UNKNOWN_FINS if spec.fins_per_inch is None else (spec.fins_per_inch,) * 3
    low, expected, high = (mm / RADIATOR_MM * fins / FINS_PER_INCH for mm, fins in zip(thick, dense, strict=True))
    return low, expected, high


def vents_k(panels: Panels | None, places: float = 0.0) -> Triple:
    """Of all openings without a fan together; `places` more of them, each the way out of one fan of a fan wall."""
    one = resistance(GRILLE[1])
    low, expected, high = (one / (vents + places) ** 2 for vents in VENTS[panels])
    return low, expected, high


HEAT_CAPACITY = 1005.0
"""J/(kg K) of dry air."""
SEA_LEVEL_DENSITY = 1.204
"""kg/m3 at 20 C."""
SCALE_HEIGHT_M = 44_331.0
EXPONENT = 4.2559
"""International Standard Atmosphere: density falls as (1 - h / 44331 m) ^ 4.2559."""


def density(altitude_m: float) -> float:
    """kg/m3 at 20 C; 1.204 at sea level, 12 % less at 1000 m."""
    return SEA_LEVEL_DENSITY * float((1 - altitude_m / SCALE_HEIGHT_M) ** EXPONENT)


def rise_k(power_w: float, flow_m3h: float, altitude_m: float = 0.0) -> float:
    """How much warmer air leaves that took up `power_w`: P / (rho cp Q). 2.98 x W / (m3/h) at sea level.

    A fan moves the same volume at any height, so the rise grows as the air thins.
    """
    return power_w / (density(altitude_m) * HEAT_CAPACITY * flow_m3h / 3600)


def watts_per_k(flow_m3h: float, altitude_m: float = 0.0) -> float:
    """Heat that a stream carries off per kelvin of its rise, W/K."""
    return density(altitude_m) * HEAT_CAPACITY * flow_m3h / 3600
