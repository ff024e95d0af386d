"""Levels of fans and of parts that publish noise points, at 1 m in free space, machine idle and training."""

from __future__ import annotations

from collections.abc import Sequence
from math import log10

from core.parts.specs import NoisePoint
from core.parts.vocabulary import NoiseCondition
from core.predict.acoustics import (
    FAN_SLOPE,
    RUNNING_FLOOR_DBA,
    SILENT_DBA,
    speed_shift,
    to_one_metre,
)
from core.predict.band import Band
from core.predict.load import Load

SPEED_SHARE: dict[Load, tuple[float, float, float]] = {
    Load.IDLE: (0.30, 0.40, 0.50),
    Load.TRAINING: (0.70, 0.75, 0.80),
}
"""Case, radiator and cooler fans as a share of their highest speed."""
SPEEDS_ASSUMPTION = "Fans: 30 to 50 % of their highest speed idle, 70 to 80 % in training."

Shares = tuple[float, float, float]
RpmLevel = tuple[float, float]


def fan_speeds(load: Load, in_training: float | None) -> Shares:
    """low, expected, high speed of case and radiator fans over their highest; `in_training` where somebody set it.

    Idle they turn no faster than they are set to turn in training.
    """
    busy = load is not Load.IDLE
    if in_training is None:
        return SPEED_SHARE[Load.TRAINING if busy else Load.IDLE]
    if busy:
        return in_training, in_training, in_training
    low, expected, high = SPEED_SHARE[Load.IDLE]
    return min(low, in_training), min(expected, in_training), min(high, in_training)


def speeds_assumption(in_training: float | None) -> str:
    """What is taken for the fans' speeds, in a sentence."""
    if in_training is None:
        return SPEEDS_ASSUMPTION
    return f"Fans: 30 to 50 % of their highest speed idle, {100 * in_training:.0f} % in training."


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
    points: Sequence[RpmLevel], load: Load, min_rpm: float | None = None, in_training: float | None = None
) -> Band:
    """One fan with published points of (rpm, dBA at 1 m), at the shares of its highest speed above."""
    top = max(rpm for rpm, _ in points)
    speeds = [max(share * top, min_rpm or 0) for share in fan_speeds(load, in_training)]
    low, expected, high = sorted(level_at(points, speed) for speed in speeds)
    return Band(low, expected, high, "dBA", (speeds_assumption(in_training),))


def unknown_fan_level(size_mm: float | None, load: Load, missing: str, in_training: float | None = None) -> Band:
    """A fan without published points: what fans of its size reach at full speed, taken to the load's speed."""
    full = _full_speed_default(size_mm)
    low, expected, high = (
        max(level + speed_shift(share, FAN_SLOPE), RUNNING_FLOOR_DBA)
        for level, share in zip(full, fan_speeds(load, in_training), strict=True)
    )
    return Band(low, expected, high, "dBA", (speeds_assumption(in_training),), (missing,))


def point_level(points: Sequence[NoisePoint], load: Load, slope: float) -> Band | None:
    """The level from a part's noise points at 1 m, None without any.

    Training takes the load point, or the maximum slowed down to three quarters of the speed. Idle without an idle
    point takes the loudest guess down to 40 % of the speed, with a wide band.
    """
    wanted = NoiseCondition.IDLE if load is Load.IDLE else NoiseCondition.LOAD
    exact = _at(points, wanted)
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


def has_point(points: Sequence[NoisePoint], load: Load) -> bool:
    """Whether the part tells its level for this load, or its maximum."""
    wanted = NoiseCondition.IDLE if load is Load.IDLE else NoiseCondition.LOAD
    return any(point.condition in (wanted, NoiseCondition.MAXIMUM) for point in points)


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
