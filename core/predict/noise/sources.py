"""The level of one part of each category, at 1 m in free space, idle and training.

Defaults for parts without noise figures are general knowledge, wide, and named in `Band.missing`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from core.parts.part import Part
from core.parts.specs import (
    CpuCoolerSpec,
    FanSpec,
    GpuSpec,
    IncludedFan,
    NoisePoint,
    PsuSpec,
    PumpSpec,
    StorageSpec,
    SystemSpec,
)
from core.parts.vocabulary import CoolerKind, GpuCooling, NoiseCondition
from core.predict.band import Band, Triple
from core.predict.conditions import LoadCase
from core.predict.noise.acoustics import (
    COOLER_SLOPE,
    FAN_SLOPE,
    RUNNING_FLOOR_DBA,
    SILENT_DBA,
    speed_shift,
    to_one_metre,
)
from core.words import tr

SPEED_SHARE: dict[LoadCase, tuple[float, float, float]] = {
    LoadCase.IDLE: (0.30, 0.40, 0.50),
    LoadCase.TRAINING: (0.70, 0.75, 0.80),
}
"""Case, radiator and cooler fans as a share of their highest speed."""
SPEEDS_ASSUMPTION = tr("Fans: 30 to 50 % of their highest speed at idle, 70 to 80 % in training.")

Shares = tuple[float, float, float]
RpmLevel = tuple[float, float]


def fan_speeds(load: LoadCase, in_training: float | None) -> Shares:
    """low, expected, high speed of case and radiator fans over their highest; `in_training` where somebody set it.

    Idle they turn no faster than they are set to turn in training.
    """
    busy = load is not LoadCase.IDLE
    if in_training is None:
        return SPEED_SHARE[LoadCase.TRAINING if busy else LoadCase.IDLE]
    if busy:
        return in_training, in_training, in_training
    low, expected, high = SPEED_SHARE[LoadCase.IDLE]
    return min(low, in_training), min(expected, in_training), min(high, in_training)


def speeds_assumption(in_training: float | None) -> str:
    """What is taken for the fans' speeds, in a sentence."""
    if in_training is None:
        return SPEEDS_ASSUMPTION
    return tr(
        "Fans: 30 to 50 % of their highest speed at idle, {percent:.0f} % in training.", percent=100 * in_training
    )


def silent() -> Band:
    """A source that makes no noise of its own."""
    return Band(SILENT_DBA, SILENT_DBA, SILENT_DBA, "dBA")


def level_at(points: Sequence[RpmLevel], rpm: float, slope: float = FAN_SLOPE) -> float:
    """Level at a speed: between published points on a log scale of rpm, beyond them by `slope` dB per decade.

    `points` is not empty. Not below the floor of a running fan, nor extrapolated below 0.4 of the slowest point.
    """
    ordered = sorted(points)
    slowest, fastest = ordered[0], ordered[-1]
    if rpm <= slowest[0]:
        level = slowest[1] + speed_shift(rpm / slowest[0], slope)
    elif rpm >= fastest[0]:
        level = fastest[1] + speed_shift(rpm / fastest[0], slope)
    else:
        right = next(i for i, point in enumerate(ordered) if point[0] >= rpm)
        (left_rpm, left), (right_rpm, high) = ordered[right - 1], ordered[right]
        level = left + (high - left) * log10(rpm / left_rpm) / log10(right_rpm / left_rpm)
    return max(level, RUNNING_FLOOR_DBA)


def fan_level(
    points: Sequence[RpmLevel], load: LoadCase, min_rpm: float | None = None, in_training: float | None = None
) -> Band:
    """One fan with published points of (rpm, dBA at 1 m), at the shares of its highest speed above."""
    top = max(rpm for rpm, _ in points)
    speeds = [max(share * top, min_rpm or 0) for share in fan_speeds(load, in_training)]
    low, expected, high = sorted(level_at(points, speed) for speed in speeds)
    return Band(low, expected, high, "dBA", (speeds_assumption(in_training),))


def unknown_fan_level(
    size_mm: float | None, load: LoadCase, missing: str, in_training: float | None = None, top_rpm: float | None = None
) -> Band:
    """A fan without published levels: what fans of its size reach at full speed, at `top_rpm` if that is known, taken
    to the load's speed."""
    full = _full_speed_default(size_mm) if top_rpm is None else _level_at_full_speed(size_mm or USUAL_MM, top_rpm)
    low, expected, high = (
        max(level + speed_shift(share, FAN_SLOPE), RUNNING_FLOOR_DBA)
        for level, share in zip(full, fan_speeds(load, in_training), strict=True)
    )
    return Band(low, expected, high, "dBA", (speeds_assumption(in_training),), (missing,))


USUAL_MM = 120.0
AT_1500_RPM: Triple = (18, 24, 30)
"""A fan of 120 mm at 1500 rpm, by 55 dB per decade of speed and 70 of diameter: a tenth, half and nine tenths of 72
published levels of fans of 40 to 200 mm at 800 to 25,000 rpm lie below."""


def _level_at_full_speed(size_mm: float, rpm: float) -> Triple:
    shift = FAN_SLOPE * log10(rpm / 1500) + 70 * log10(size_mm / USUAL_MM)
    low, expected, high = (max(level + shift, RUNNING_FLOOR_DBA) for level in AT_1500_RPM)
    return low, expected, high


def point_level(points: Sequence[NoisePoint], load: LoadCase, slope: float) -> Band | None:
    """The level from a part's noise points at 1 m, None without any.

    Training takes the load point, or the maximum slowed down to three quarters of the speed. Idle without an idle
    point takes the loudest guess down to 40 % of the speed, with a wide band.
    """
    condition = NoiseCondition.IDLE if load is LoadCase.IDLE else NoiseCondition.LOAD
    exact = _at(points, condition)
    if exact is not None:
        return Band(exact, exact, exact, "dBA")
    loudest = _at(points, NoiseCondition.MAXIMUM)
    if loudest is not None:
        return _slowed(loudest, SPEED_SHARE[load], slope)
    busy = _at(points, NoiseCondition.LOAD)
    if busy is not None:
        return _slowed(busy, (0.4, 0.55, 0.8), slope)
    quiet = _at(points, NoiseCondition.IDLE)
    return None if quiet is None else Band(quiet, quiet + 12, quiet + 25, "dBA")


def has_point(points: Sequence[NoisePoint], load: LoadCase) -> bool:
    """Whether the part tells its level for this load, or its maximum."""
    condition = NoiseCondition.IDLE if load is LoadCase.IDLE else NoiseCondition.LOAD
    return any(point.condition in (condition, NoiseCondition.MAXIMUM) for point in points)


def _at(points: Sequence[NoisePoint], condition: NoiseCondition) -> float | None:
    levels = [to_one_metre(point.level_dba, point.distance_m) for point in points if point.condition is condition]
    return max(*levels, SILENT_DBA) if levels else None


def _slowed(level: float, shares: tuple[float, float, float], slope: float) -> Band:
    low, expected, high = (max(level + speed_shift(share, slope), RUNNING_FLOOR_DBA) for share in shares)
    return Band(low, expected, high, "dBA", (SPEEDS_ASSUMPTION,))


def _full_speed_default(size_mm: float | None) -> tuple[float, float, float]:
    if size_mm is None:
        return (20, 31, 52)
    if size_mm <= 100:
        return (26, 36, 52)
    return (20, 28, 42) if size_mm <= 150 else (20, 27, 40)


Levels = dict[LoadCase, Band]

NOISE_LOADS = (LoadCase.IDLE, LoadCase.TRAINING)

AT_FULL_SPEED: dict[GpuCooling | None, Triple] = {
    GpuCooling.OPEN_AIR: (40, 44, 48),
    GpuCooling.FLOW_THROUGH: (39, 43, 48),
    GpuCooling.BLOWER: (51, 54.5, 58),
}
"""One card with all its fans at their highest speed, at 1 m: with 60 dB per decade that makes 29 to 31 dBA of an RTX
3090 in training, as reviews have it, and 36 dBA of a blower at half speed, where they have 35 to 38."""
_GPU_DEFAULTS: dict[GpuCooling | None, tuple[Triple, Triple]] = {
    GpuCooling.OPEN_AIR: ((0, 14, 26), (24, 31, 42)),
    GpuCooling.FLOW_THROUGH: ((0, 12, 24), (24, 30, 41)),
    GpuCooling.BLOWER: ((16, 23, 31), (33, 41, 51)),
    GpuCooling.HYBRID: ((8, 18, 27), (24, 31, 41)),
    None: ((0, 16, 34), (0, 36, 55)),
}
"""One card, idle and training at about six tenths of its fans' speed, at 1 m: reviews put axial cards at 25 to 34,
blowers at 34 to 47 dBA."""

_COOLER_DEFAULT: tuple[Triple, Triple] = ((8, 16, 28), (14, 25, 40))
_PUMP_DEFAULT: Triple = (14, 21, 32)
"""20 dBA decoupled at half speed, 28 to 32 rigidly mounted at full speed."""
_HDD_DEFAULTS: tuple[Triple, Triple] = ((13, 20, 27), (18, 26, 33))
_PSU_DEFAULTS: tuple[tuple[float, Triple], ...] = ((0.3, (0, 14, 26)), (0.8, (8, 23, 36)), (float("inf"), (12, 28, 44)))
"""Up to a share of the rated power. Averages of certified units lie at 15 to 35 dBA; near the rating the same unit can
be 10 to 20 dB louder."""
_MODULE_DEFAULTS: tuple[tuple[float, Triple], ...] = (
    (0.5, (14, 24, 31)),
    (0.8, (24, 36, 44)),
    (float("inf"), (36, 48, 57)),
)
"""The same of redundant modules, which breathe through fans of 40 mm that never stop. Intel asks of those of its SC5650
chassis (technical product specification E39531, table 25) less than 4.0, 5.2 and 6.5 B of declared sound power at 40,
60 and 100 % of the load: 29, 41 and 54 dBA at 1 m, of which some 3 dB are the margin of declared values. Larger modules
reach above them: their fans alone are rated at 54 to 64 dBA."""
PSU_FAN_AT_1000_RPM: Triple = (17, 23, 28)
"""120 to 140 mm fans inside their PSU; an EVGA 450 BT measured 24 dBA at that speed."""
_PSU_FAN_ASSUMPTION = tr("PSU fans whose speed is known: 17 to 28 dBA at 1000 rpm and 1 m.")


def gpu_levels(part: Part, spec: GpuSpec) -> Levels:
    """A card with its own cooler; one without a fan is silent."""
    if spec.cooling in (GpuCooling.WATER_BLOCK, GpuCooling.PASSIVE):
        return dict.fromkeys(NOISE_LOADS, silent())
    defaults = _GPU_DEFAULTS.get(spec.cooling, _GPU_DEFAULTS[None])
    fields = ["noise"] if spec.cooling else ["noise", "cooling"]
    missing = tuple(f"{part.id}.{field}" for field in fields)
    levels = _from_points(part, spec.noise, COOLER_SLOPE, defaults, missing)
    if spec.fan_stop and not has_point(spec.noise, LoadCase.IDLE):
        levels[LoadCase.IDLE] = Band(0, 0, 14, "dBA", (tr("GPU fans that can stop do so at idle."),))
    return levels


def cooler_levels(part: Part, spec: CpuCoolerSpec) -> Levels:
    """A CPU cooler with all its fans, and the pump of a closed loop; fins in the air of a chassis are silent."""
    if spec.kind is CoolerKind.BLOCK or (spec.kind is CoolerKind.AIR and spec.fan_count == 0):
        return dict.fromkeys(NOISE_LOADS, silent())
    return _from_points(part, spec.noise, FAN_SLOPE, _COOLER_DEFAULT, (f"{part.id}.noise",))


def fan_levels(part: Part, spec: FanSpec, in_training: float | None = None) -> Levels:
    """A case or radiator fan."""
    points = [(point.rpm, point.level_dba) for point in spec.points or () if point.level_dba is not None]
    if points:
        return {load: fan_level(points, load, spec.min_rpm, in_training) for load in NOISE_LOADS}
    missing, top = f"{part.id}.points", max((point.rpm for point in spec.points or ()), default=None)
    return {load: unknown_fan_level(spec.size_mm, load, missing, in_training, top) for load in NOISE_LOADS}


def included_levels(case: Part, fan: IncludedFan, in_training: float | None = None) -> Levels:
    """A fan that came with the case."""
    if fan.level_dba is not None:
        points = [(fan.max_rpm or 1200.0, fan.level_dba)]
        return {load: fan_level(points, load, in_training=in_training) for load in NOISE_LOADS}
    missing = f"{case.id}.included_fans"
    return {load: unknown_fan_level(fan.size_mm, load, missing, in_training, fan.max_rpm) for load in NOISE_LOADS}


def pump_levels(part: Part, spec: PumpSpec) -> Levels:
    """A coolant pump at one speed."""
    return _from_points(part, spec.noise, COOLER_SLOPE, (_PUMP_DEFAULT, _PUMP_DEFAULT), (f"{part.id}.noise",))


def drive_levels(part: Part, spec: StorageSpec) -> Levels:
    """A hard disk."""
    return _from_points(part, spec.noise, COOLER_SLOPE, _HDD_DEFAULTS, (f"{part.id}.noise",))


def psu_levels(part: Part, spec: PsuSpec, share: dict[LoadCase, float | None]) -> Levels:
    """A PSU at its share of the rated power, None if unknown. Below its fan-stop threshold it is silent."""
    return {load: _psu_level(part, spec, load, share[load]) for load in NOISE_LOADS}


def _psu_level(part: Part, spec: PsuSpec, load: LoadCase, share: float | None) -> Band:
    if share is not None and spec.fan_stop_below_pct is not None and share * 100 < spec.fan_stop_below_pct:
        return Band(0, 0, 12, "dBA", (tr("PSU fans stop below the maker's threshold."),))
    measured = [point for point in spec.noise if point.load_w is not None]
    if share is not None and spec.power_w and len(measured) > 1:
        output_w = share * spec.power_w
        nearest = min(measured, key=lambda point: abs((point.load_w or 0) - output_w))
        return _spread(Band(nearest.level_dba, nearest.level_dba, nearest.level_dba, "dBA"))
    level = point_level(spec.noise, load, COOLER_SLOPE)
    if level is not None:
        return _spread(level)
    missing = (f"{part.id}.noise",)
    if share is not None and spec.power_w and spec.fan_speeds:
        return _fan_band(psu_fan_rpm(spec, share * spec.power_w)).noting([_PSU_FAN_ASSUMPTION], missing)
    if share is None:
        share = 0.0 if load is LoadCase.IDLE else 1.0
    defaults = _MODULE_DEFAULTS if spec.redundant else _PSU_DEFAULTS
    return Band(*next(triple for limit, triple in defaults if share < limit), "dBA", missing=missing)


def system_levels(part: Part, spec: SystemSpec) -> Levels:
    """A complete machine with fans of its own, from a small one to a loud workstation where nobody measured it."""
    return {load: _system_level(part, spec, load) for load in NOISE_LOADS}


def _system_level(part: Part, spec: SystemSpec, load: LoadCase) -> Band:
    level = point_level(spec.noise, load, COOLER_SLOPE)
    if level is not None:
        return _spread(level)
    triple = (0, 22, 35) if load is LoadCase.IDLE else (22, 36, 50)
    return Band(*triple, "dBA", missing=(f"{part.id}.noise",))


def psu_fan_rpm(spec: PsuSpec, load_w: float) -> float:
    """Along straight lines between the measured speeds, beyond them by the last one, and not above the highest."""
    points = [(point.load_w, point.rpm) for point in spec.fan_speeds]
    if load_w <= points[0][0] or len(points) == 1:
        return points[0][1]
    right = next((i for i, (watts, _) in enumerate(points) if watts >= load_w), len(points) - 1)
    (left_w, left_rpm), (right_w, right_rpm) = points[right - 1], points[right]
    rpm = left_rpm + (right_rpm - left_rpm) * (load_w - left_w) / (right_w - left_w)
    return min(rpm, spec.fan_max_rpm or rpm)


def _fan_band(rpm: float) -> Band:
    if rpm <= 0:
        return silent()
    shift = COOLER_SLOPE * log10(rpm / 1000)
    low, expected, high = (max(level + shift, RUNNING_FLOOR_DBA) for level in PSU_FAN_AT_1000_RPM)
    return Band(low, expected, high, "dBA")


def _from_points(
    part: Part, points: tuple[NoisePoint, ...], slope: float, defaults: tuple[Triple, Triple], missing: tuple[str, ...]
) -> Levels:
    levels = {}
    for load, default in zip(NOISE_LOADS, defaults, strict=True):
        level = point_level(points, load, slope)
        levels[load] = Band(*default, "dBA", missing=missing) if level is None else _spread(level)
        if level is not None and not has_point(points, load):
            levels[load] = levels[load].noting(missing=[f"{part.id}.noise"])
    return levels


def _spread(level: Band) -> Band:
    """Ratings of different makers and reviewers differ by 1.5 dB and more for the same thing."""
    if level.high <= 0:
        return level
    return Band(max(level.low - 1.5, 0), level.expected, level.high + 1.5, "dBA", level.assumptions, level.missing)
