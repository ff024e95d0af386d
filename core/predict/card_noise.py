"""How loud cards are at the fan speeds that their temperatures ask for.

A review tells the level of one card alone. Beside warm neighbours its fans turn faster, under a power limit slower: the
level follows the speed by `COOLER_SLOPE` dB per decade, from the speed that the card alone would have had.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import log10

from core.parts.part import Part
from core.parts.specs import GpuSpec, NoisePoint
from core.parts.vocabulary import NoiseCondition
from core.predict.acoustics import COOLER_SLOPE, RUNNING_FLOOR_DBA, energy_sum, to_one_metre
from core.predict.band import Band
from core.predict.components import GPU_TRAINING
from core.predict.load import Load
from core.predict.sources import Levels, gpu_levels
from core.predict.thermal.case_air import CaseAir
from core.predict.thermal.coolers import Cooler, cooler
from core.predict.thermal.neighbours import ALONE
from core.predict.thermal.spread import Case
from core.predict.thermal.steady import Air, Body, settle
from core.predict.thermal.water import Loop

REVIEW_ROOM_C = 23.0
_REVIEW = Air(REVIEW_ROOM_C, 0.0, CaseAir(None), Loop(None), (0.0, 0.0, 0.0))


def card_levels(part: Part, spec: GpuSpec, fan_shares: Sequence[Band], slope: float = COOLER_SLOPE) -> Levels:
    """The mean level of a line's air-cooled cards; `fan_shares` are those in training, of full speed.

    `slope` in dB per decade of speed.
    """
    levels = gpu_levels(part, spec)
    busy = levels[Load.TRAINING]
    if busy.high <= 0 or not fan_shares:
        return levels
    loudest = _loudest(spec.noise)
    if loudest is not None and not _has_load_point(spec.noise):
        busy, reference = Band(loudest - 1.5, loudest, loudest + 1.5, "dBA"), 1.0
    else:
        reference = _reference(spec)
    moved = sorted(
        _mean(level, [share / reference for share in shares], slope)
        for level, shares in (
            (busy.low, [band.low for band in fan_shares]),
            (busy.expected, [band.expected for band in fan_shares]),
            (busy.high, [band.high for band in fan_shares]),
        )
    )
    training = Band(moved[0], moved[1], moved[2], "dBA", busy.assumptions, busy.missing)
    return levels | {Load.TRAINING: training.noting([_speed_assumption(slope)])}


def _speed_assumption(slope: float) -> str:
    return f"GPU fans turn as fast as the predicted temperatures ask for, {slope:.0f} dB per decade of speed."


def _mean(level: float, ratios: Sequence[float], slope: float) -> float:
    """Energetic mean of cards whose fans turn at these ratios to the speed of `level`, dBA."""
    if level <= 0:
        return level
    levels = [max(level + slope * log10(max(ratio, 0.3)), RUNNING_FLOOR_DBA) for ratio in ratios]
    return energy_sum(levels) - 10 * log10(len(levels))


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
    return settle([body], _REVIEW, Case.EXPECTED).cards[0].share


def _loudest(points: Sequence[NoisePoint]) -> float | None:
    levels = [
        to_one_metre(point.level_dba, point.distance_m) for point in points if point.condition is NoiseCondition.MAXIMUM
    ]
    return max(levels, default=None)


def _has_load_point(points: Sequence[NoisePoint]) -> bool:
    return any(point.condition is NoiseCondition.LOAD for point in points)
