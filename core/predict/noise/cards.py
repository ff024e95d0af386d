"""How loud cards are at the fan speeds that their temperatures ask for.

A review tells the level of one card alone. Beside warm neighbours its fans turn faster, under a power limit slower: the
level follows the speed by `COOLER_SLOPE` dB per decade, from the speed that the card alone would have had.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import fsum, log10

from core.language import tr
from core.parts.part import Part
from core.parts.specs import GpuSpec, NoisePoint
from core.parts.vocabulary import NoiseCondition
from core.predict.band import Band, Corner
from core.predict.components import GPU_TRAINING
from core.predict.conditions import LoadCase
from core.predict.noise.acoustics import COOLER_SLOPE, Shift, shifted, to_one_metre
from core.predict.noise.sources import AT_FULL_SPEED, Levels, gpu_levels
from core.predict.thermal.case_air import CaseAir
from core.predict.thermal.coolers import Cooler, cooler
from core.predict.thermal.neighbours import ALONE
from core.predict.thermal.steady import Air, Body, settle
from core.predict.thermal.water import CoolantLoop

REVIEW_ROOM_C = 23.0
SLOWEST = 0.3
"""Of the speed that a level is known at; below it the law does not hold."""
_REVIEW = Air(REVIEW_ROOM_C, 0.0, CaseAir(None), CoolantLoop(None), (0.0, 0.0, 0.0))


def card_levels(part: Part, spec: GpuSpec, fan_shares: Sequence[Band], slope: float = COOLER_SLOPE) -> Levels:
    """The mean level of a line's air-cooled cards; `fan_shares` are those in training, of full speed.

    `slope` in dB per decade of speed. What is unknown of a card's level and of its fans' speed is independent.
    """
    levels = gpu_levels(part, spec)
    if levels[LoadCase.TRAINING].high <= 0 or not fan_shares:
        return levels
    busy, reference = _at_known_speed(spec, levels[LoadCase.TRAINING])
    ends = zip(*((band.low, band.expected, band.high) for band in fan_shares), strict=True)
    faster = Shift(*(_mean_shift([share / reference for share in shares], slope) for shares in ends))
    return levels | {LoadCase.TRAINING: shifted(busy, (faster,)).noting([_speed_assumption(slope)])}


def _at_known_speed(spec: GpuSpec, training: Band) -> tuple[Band, float]:
    """A level with the share of full speed that belongs to it: measured in training, at most, or usual for its kind."""
    loudest = _loudest(spec.noise)
    if not spec.noise and (usual := AT_FULL_SPEED.get(spec.cooling)):
        return Band(*usual, "dBA", training.assumptions, training.missing), 1.0
    if loudest is not None and not _has_load_point(spec.noise):
        return Band(loudest - 1.5, loudest, loudest + 1.5, "dBA"), 1.0
    return training, _reference(spec)


def _speed_assumption(slope: float) -> str:
    return tr(
        "GPU fans run as fast as the predicted temperatures require, {slope:.0f} dB per decade of speed.", slope=slope
    )


def _mean_shift(ratios: Sequence[float], slope: float) -> float:
    """Energetic mean over cards whose fans turn at these ratios to the speed of a level, dB over that level."""
    shifts = [slope * log10(max(ratio, SLOWEST)) for ratio in ratios]
    return 10 * log10(fsum(10 ** (shift / 10) for shift in shifts) / len(shifts))


def _reference(spec: GpuSpec) -> float:
    """The share of full speed at which the card's training level was measured, or would have been."""
    rpm = next((point.rpm for point in spec.noise if point.condition is NoiseCondition.LOAD and point.rpm), None)
    if rpm is not None and spec.fan_max_rpm is not None:
        return min(1.0, rpm / spec.fan_max_rpm)
    return _alone(cooler(spec), spec.power_limit_w or 300.0)


@lru_cache(maxsize=512)
def _alone(own: Cooler, limit_w: float) -> float:
    """The fan of a card alone on a test bench at its own limit, as a share of full speed."""
    low, middle, high = (share * limit_w for share in GPU_TRAINING)
    body = Body(own, (low, middle, high), ALONE)
    return settle([body], _REVIEW, Corner.EXPECTED).cards[0].share


def _loudest(points: Sequence[NoisePoint]) -> float | None:
    levels = [
        to_one_metre(point.level_dba, point.distance_m) for point in points if point.condition is NoiseCondition.MAXIMUM
    ]
    return max(levels, default=None)


def _has_load_point(points: Sequence[NoisePoint]) -> bool:
    return any(point.condition is NoiseCondition.LOAD for point in points)
