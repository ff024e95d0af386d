"""What a card's own cooler can do: resistance from inlet air to chip by fan speed, and how fast the fan turns.

R = (T chip - T inlet) / board power. R(n) = R1 (c + (1 - c) n^-0.75) with n the share of full speed: die, vapour
chamber and fins conduct (c), the rest is air. Resistances are read off cards whose power, fan and temperature were
published: RTX 3090 0.11 to 0.14 K/W at 61 to 73 % fan, RTX 5090 0.087 at 82 %, RTX 4090 of 3.5 slots 0.091 at half
speed, GTX 1080 Ti blower 0.24 and 0.21 at 2400 and 3600 rpm, RTX A6000 and 6000 Ada blowers 0.20 at 71 and 56 %, GTX
1080 blower of 180 W 0.32 at half speed. A cooler is made for its card: one of a larger limit is the better one. Blowers
from 180 to 450 W all warm by about 45 K over their inlet at their limit and full fan speed: four RTX 3090 of 350 W and
four RTX 4090 of 450 W, side by side, are known to hold their power.

At its target a card lets its fan turn faster than its curve, up to its reserve, before the driver takes power back.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import lru_cache
from math import sqrt

from core.parts.specs import GpuSpec, RadiatorSpec
from core.parts.vocabulary import GpuCooling
from core.predict.airflow.airflow import Airflow
from core.predict.airflow.operating_point import SEA_LEVEL_DENSITY, density, fins_of, watts_per_k
from core.predict.band import Triple

CONDUCTED = 0.5
SPEED_EXPONENT = -0.75
SLOWEST_SHARE = 0.2
HOTTEST_C = 150

Curve = tuple[tuple[float, float], ...]

OPEN_CURVE: Curve = ((30, 0.25), (50, 0.34), (60, 0.48), (65, 0.57), (70, 0.65), (80, 0.82), (85, 0.93), (90, 1.0))
BLOWER_CURVE: Curve = ((30, 0.28), (60, 0.36), (75, 0.47), (83, 0.57), (86, 0.69), (90, 0.88), (94, 1.0))
"""Chip C to share of full fan speed, from published snapshots: 50 % at 60 C, 58 to 68 % at 65 C, 71 to 82 % at 70 C,
94 % at 84 C, and slower ones in reviews; blowers 56 % at 83 C, 71 % at 85 C, 88 % at 90 C."""
CURVE_SHIFT_K: Triple = (-5.0, 0.0, 5.0)
"""How much later or earlier a maker's curve sets in."""
TARGET_SHIFT_K: Triple = (-2.0, 0.0, 3.0)
STATED_TARGET_SHIFT_K: Triple = (-1.0, 0.0, 1.0)
"""Where power is taken back: 83 to 85 C on GeForce; a stated target is held to a degree."""

_OPEN_BY_SLOTS: tuple[tuple[float, float], ...] = (
    (1, 0.30),
    (2, 0.155),
    (2.5, 0.115),
    (3, 0.096),
    (3.5, 0.075),
    (4, 0.068),
)
_KINDS: dict[GpuCooling, Triple] = {
    GpuCooling.BLOWER: (0.130, 0.150, 0.180),
    GpuCooling.FLOW_THROUGH: (0.066, 0.083, 0.105),
    GpuCooling.PASSIVE: (0.095, 0.128, 0.165),
}
"""K/W at full speed; passive ones in the stream of a server chassis: A100 PCIe of 246 to 304 W at 54 to 70 C, A40 of
295 and 303 W at 69 and 75 C, an L40S of 240 W at 58 C, a V100 PCIe of 247 W at 68 C."""
HYBRID_BLOCK_K_PER_W = 0.022
HYBRID_SECTION_K_PER_W = 0.071
SECTION_MM = 120.0
"""A hybrid's pump block, and 120 mm of its radiator with its fans at full speed. Read off cards under load: an RTX 5090
of 600 W on 360 mm at 60 C (TweakTown), an RTX 4090 of 450 W on 240 mm at 55 to 63 C, two chips of 500 W together on
120 mm at no more than 75 C (HotHardware on the R9 295X2)."""
_HYBRID_SPREAD = (0.78, 1.0, 1.35)
_LEAST_RADIATOR_MM, _USUAL_RADIATOR_MM, _LARGEST_RADIATOR_MM = 120.0, 240.0, 360.0
"""What hybrids are sold with; stand in where the radiator is not stated."""
_MADE_FOR_W: dict[GpuCooling | None, tuple[float, float]] = {
    GpuCooling.BLOWER: (300.0, 1.0),
    GpuCooling.FLOW_THROUGH: (520.0, 0.6),
    GpuCooling.PASSIVE: (250.0, 0.5),
}
_FULL_SIZE_W, _FULL_SIZE_MM, _FULL_SIZE_SLOTS = 300.0, 260.0, 2
"""Professional blowers from the RTX A series on that are so long and wide have nearly the cooler of the largest:
RTX A5000 of 230 W at 78 C, 52 % and 203 W, and at 73 to 81 C with 214 to 226 W."""
_OPEN_MADE_FOR_W: tuple[tuple[float, float], ...] = ((1, 100), (2, 250), (2.5, 320), (3, 350), (3.5, 450), (4, 480))
_OPEN_EXPONENT = 0.4
"""The limit of the cards that the resistances above were read off, and how resistance falls with the limit."""
_OPEN_SPREAD = (0.78, 1.0, 1.28)
BLOWER_RESERVE: Triple = (0.85, 1.0, 1.0)
"""Share of full speed that a blower's fan reaches at the target before power is taken back."""
REFERENCE_BLOWER_RESERVE: Triple = (0.57, 1.0, 1.0)
"""The same of GeForce and TITAN blowers before the RTX 30 series: a GTX TITAN X stood at 84 C, 53 % and 211 W of 250,
two TITAN X of the next series at 67 and 88 % with 249 and 225 W."""
OVER_TARGET_K = 5.0
"""How far above its target such a blower may be held: its driver takes more power back the nearer the chip comes to
its maximum of 91 C (GTX 1080 Ti) to 94 C (TITAN X). Games end at the target; under compute loads two TITAN X stood at
86 and 90 C, GTX 1080 Ti at 85 and 87 C, RTX 2080 Ti at 85 and 86 C, all but one below their limit."""
TARGET_C, RTX_50_C, PROFESSIONAL_BLOWER_C = 83.0, 90.0, 86.0
"""Where the driver begins to take power back: 83 to 84 C on GeForce, 90 C from the RTX 50 series on (TechPowerUp on the
RTX 5090), 85 and above on professional blowers."""
_OF_CONSUMERS = ("GeForce", "TITAN")
_FIRST_WITH_RESERVE, _RTX_50 = 8, 12
"""Compute capability of the RTX 30 and of the RTX 50 series."""

HEAT_INTO_CASE: dict[GpuCooling | None, Triple] = {
    GpuCooling.BLOWER: (0.08, 0.13, 0.20),
    GpuCooling.WATER_BLOCK: (0.02, 0.05, 0.10),
    GpuCooling.HYBRID: (0.15, 0.35, 0.90),
}
_ALL_INTO_CASE: Triple = (0.95, 1.0, 1.0)
"""Share of the board's heat. A blower pushes all but an eighth out at the bracket; a hybrid's radiator may blow
inwards; under a water block what the board gives off beside it."""


@dataclass(frozen=True, slots=True)
class Cooler:
    """One card's cooler; `resistance` in K/W at full speed, `target_c` where power is taken back."""

    kind: GpuCooling | None
    resistance: Triple
    curve: Curve
    target_c: Triple
    heat_into_case: Triple
    missing: tuple[str, ...] = ()
    """Fields that defaults stand in for."""
    curve_shift_k: Triple = CURVE_SHIFT_K
    reserve: Triple | None = None
    """Share of full speed that the fan reaches at the target, where its curve alone does not."""


@lru_cache(maxsize=512)
def cooler_of(
    kind: GpuCooling | None,
    width_slots: float | None,
    limit_w: float | None,
    *,
    resistance: float | None = None,
    target_c: float | None = None,
    usual_target_c: float = TARGET_C,
) -> Cooler:
    """The cooler of a card with these figures; `limit_w` is the power limit that the card is sold with.

    `usual_target_c` stands in where `target_c` is unknown.
    """
    missing = [] if resistance is not None else ["thermal_resistance_k_per_w"]
    if kind is None:
        missing.append("cooling")
    if resistance is not None:
        triple = (0.93 * resistance, resistance, 1.07 * resistance)
    elif kind is GpuCooling.HYBRID:
        missing.append("radiator_mm")
        triple = hybrid_resistance(None)
    elif kind in _KINDS:
        made_for, exponent = _MADE_FOR_W[kind]
        low, expected, high = _KINDS[kind]
        better = _better(made_for, exponent, limit_w)
        triple = (low * better, expected * better, high * better)
    else:
        if width_slots is None:
            missing.append("width_slots")
        low, middle, high = _OPEN_SPREAD if width_slots is not None and kind is not None else (0.6, 1.0, 1.7)
        slots = width_slots or 2.5
        better = _better(_between(_OPEN_MADE_FOR_W, slots), _OPEN_EXPONENT, limit_w)
        expected = better * _between(_OPEN_BY_SLOTS, slots)
        triple = (low * expected, middle * expected, high * expected)
    curve = BLOWER_CURVE if kind is GpuCooling.BLOWER else OPEN_CURVE
    heat = HEAT_INTO_CASE.get(kind, _ALL_INTO_CASE)
    below, _, above = STATED_TARGET_SHIFT_K if target_c is not None else TARGET_SHIFT_K
    middle_c = target_c if target_c is not None else usual_target_c
    target = (middle_c + below, middle_c, middle_c + above)
    beyond = BLOWER_RESERVE if kind is GpuCooling.BLOWER else None
    return Cooler(kind, triple, curve, target, heat, tuple(missing), reserve=beyond)


def hybrid_resistance(radiator_mm: float | None) -> Triple:
    """Chip over the air before the radiator at full fan speed, K/W: the wider, the less."""
    lengths = (
        (_LARGEST_RADIATOR_MM, _USUAL_RADIATOR_MM, _LEAST_RADIATOR_MM) if radiator_mm is None else (radiator_mm,) * 3
    )
    low, expected, high = (
        spread * (HYBRID_BLOCK_K_PER_W + HYBRID_SECTION_K_PER_W * SECTION_MM / length)
        for spread, length in zip(_HYBRID_SPREAD, lengths, strict=True)
    )
    return low, expected, high


def cooler(spec: GpuSpec) -> Cooler:
    """The cooler that a card is sold with."""
    sold_with = _as_sold(spec)
    # A GeForce or TITAN before the RTX 30 series.
    if not (sold_with.reserve and (0 < _consumer_generation(spec) < _FIRST_WITH_RESERVE)):
        return sold_with
    low, usual, high = sold_with.target_c
    return replace(sold_with, reserve=REFERENCE_BLOWER_RESERVE, target_c=(low, usual, high + OVER_TARGET_K))


def _as_sold(spec: GpuSpec) -> Cooler:
    sold_with = cooler_of(
        spec.cooling,
        spec.width_slots,
        _made_for_w(spec),
        resistance=spec.thermal_resistance_k_per_w,
        target_c=spec.temperature_target_c,
        usual_target_c=_usual_target_c(spec),
    )
    if "radiator_mm" in sold_with.missing and spec.radiator_mm is not None:
        missing = tuple(field for field in sold_with.missing if field != "radiator_mm")
        return replace(sold_with, resistance=hybrid_resistance(spec.radiator_mm), missing=missing)
    return sold_with


def _made_for_w(spec: GpuSpec) -> float | None:
    """The limit that the size of its cooler goes by: its own, or between that and that of the largest in its length."""
    professional = spec.cooling is GpuCooling.BLOWER and not spec.product.startswith(_OF_CONSUMERS)
    limit_w, long, wide = spec.power_limit_w, spec.length_mm or 0, spec.width_slots or 0
    if limit_w is None or not professional or _generation(spec) < _FIRST_WITH_RESERVE:
        return limit_w
    return sqrt(limit_w * _FULL_SIZE_W) if long >= _FULL_SIZE_MM and wide >= _FULL_SIZE_SLOTS else limit_w


def _usual_target_c(spec: GpuSpec) -> float:
    generation = _consumer_generation(spec)
    if spec.cooling is GpuCooling.BLOWER and not spec.product.startswith(_OF_CONSUMERS):
        return PROFESSIONAL_BLOWER_C
    return RTX_50_C if generation >= _RTX_50 else TARGET_C


def _consumer_generation(spec: GpuSpec) -> int:
    """Major compute capability of a GeForce or TITAN; 0 for other cards and where it is unknown."""
    return _generation(spec) if spec.product.startswith(_OF_CONSUMERS) else 0


def _generation(spec: GpuSpec) -> int:
    """Major compute capability, 0 where it is unknown."""
    major = (spec.compute_capability or "").partition(".")[0]
    return int(major) if major.isdigit() else 0


def _better(made_for_w: float, exponent: float, limit_w: float | None) -> float:
    return 1.0 if limit_w is None else float((made_for_w / min(max(limit_w, 40.0), 900.0)) ** exponent)


def at_speed(full_speed: float, share: float, altitude_m: float = 0.0) -> float:
    """Resistance at a share of full fan speed, K/W. Thin air counts as a slower fan: it is mass that carries heat."""
    stream = max(share, SLOWEST_SHARE) * density(altitude_m) / SEA_LEVEL_DENSITY
    return full_speed * (CONDUCTED + (1 - CONDUCTED) * float(stream**SPEED_EXPONENT))


def speed_for(over_full: float, altitude_m: float = 0.0) -> float:
    """The inverse: the share of full fan speed at which the resistance is so many times that at full speed."""
    stream = max((over_full - CONDUCTED) / (1 - CONDUCTED), 0.01) ** (1 / SPEED_EXPONENT)
    return float(stream * SEA_LEVEL_DENSITY / density(altitude_m))


@lru_cache(maxsize=256)
def resistance_table(curve: Curve, altitude_m: float = 0.0, flow: float = 1.0) -> tuple[float, ...]:
    """Resistance over that at full speed for every whole degree from 0 to `HOTTEST_C` of the chip.

    `flow` is what of its air reaches the cooler where something stands before its inlet.
    """
    return tuple(at_speed(1.0, flow * fan_share(curve, chip_c), altitude_m) for chip_c in range(HOTTEST_C + 1))


def fan_share(curve: Curve, chip_c: float) -> float:
    """Share of full speed at a chip temperature; never falls as it grows."""
    return _between(curve, chip_c)


def _between(points: Curve, x: float) -> float:
    """Straight lines between the points, level beyond them."""
    if x <= points[0][0]:
        return points[0][1]
    if x >= points[-1][0]:
        return points[-1][1]
    right = bisect_right(points, (x, float("inf")))
    (x0, y0), (x1, y1) = points[right - 1], points[right]
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


# The water loop: coolant above the air by heat over the radiators' conductance, chips above it by their blocks.

EFFECTIVENESS: Triple = (0.55, 0.67, 0.75)
"""How near the air that leaves a radiator of 30 mm with 13 fins per inch comes to the coolant: 0.65 to 0.7 fits
catalogue figures. It is 1 - exp(-N), and N grows with the area of the fins."""
STILL_AIR_W_PER_K = 0.5
"""What a radiator gives off where no fan moves air through it; general knowledge."""
BLOCK_K_PER_W: Triple = (0.035, 0.055, 0.085)
"""Chip over coolant for a full-cover block without a figure; general knowledge."""


@dataclass(frozen=True, slots=True)
class CoolantLoop:
    """`conductance` of all radiators in W/K, coolant to air; None without a radiator."""

    conductance: Triple | None
    missing: tuple[str, ...] = ()


def loop_of(air: Airflow, altitude_m: float) -> CoolantLoop:
    """All radiators of the build in one loop, with what flows through their fins."""
    rows = tuple(air.radiators)
    if not rows:
        return CoolantLoop(None)
    each = [conductance(row.radiator, row.flow_m3h, altitude_m) for row in rows]
    low, expected, high = (sum(ends) for ends in zip(*each, strict=True))
    return CoolantLoop((low, expected, high), tuple(field for row in rows for field in row.missing))


def conductance(radiator: RadiatorSpec, flow_m3h: Triple, altitude_m: float = 0.0) -> Triple:
    """W/K of a radiator, or several equal ones, that this much air crosses, coolant to air."""
    low, expected, high = sorted(
        max(effectiveness(share, fins) * watts_per_k(flow, altitude_m), STILL_AIR_W_PER_K)
        for share, fins, flow in zip(EFFECTIVENESS, fins_of(radiator), flow_m3h, strict=True)
    )
    return low, expected, high


def effectiveness(share: float, fins: float) -> float:
    """`share` is that of a usual radiator, `fins` the area of the fins over its."""
    return float(1 - (1 - share) ** fins)
