"""For each quantity of a measured case, how the product predicts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.parts.part import Part
from core.predict.band import Band
from core.validation import limits_and_peaks, machines, radiators, sound, speeds, supplies, temperature
from core.validation.cases import Measured
from core.validation.matching import Match, card_of, radiator_of, supply_of

NO_PART = "no part of the catalogue is named in it"

Found = tuple[str | None, Band | str]
"""The part that a case is about, and what is predicted or why nothing is."""
Model = Callable[[Measured, Sequence[Part]], Found]


def _of_card(model: Callable[[Measured, Match], Band | str]) -> Model:
    return _of_any_card(lambda case, match: NO_PART if match is None else model(case, match))


def _of_any_card(model: Callable[[Measured, Match | None], Band | str]) -> Model:
    def predict(case: Measured, parts: Sequence[Part]) -> Found:
        match = card_of(case, parts)
        return match.part.id if match else None, model(case, match)

    return predict


def _of(
    find: Callable[[Measured, Sequence[Part]], Part | None], model: Callable[[Measured, Part | None], Band | str]
) -> Model:
    def predict(case: Measured, parts: Sequence[Part]) -> Found:
        part = find(case, parts)
        return part.id if part else None, model(case, part)

    return predict


MODELS: Mapping[str, Model] = {
    "noise": _of_any_card(sound.noise),
    "LwA_minus_LpA": lambda case, _: (None, sound.power_over_pressure(case)),
    "gpu_temp": _of_card(temperature.chip),
    "gpu_temp_rise": _of_card(temperature.rise),
    "gpu_hotspot": _of_card(temperature.hot_spot),
    "board_power": _of_card(limits_and_peaks.board_power),
    "relative_performance": _of_card(limits_and_peaks.relative_speed),
    "training_speed": _of_card(speeds.training_speed),
    "gpu_peak_power": _of_card(limits_and_peaks.peak),
    "psu_efficiency": _of(supply_of, supplies.efficiency),
    "wall_power": _of(supply_of, machines.at_the_wall),
    "psu_fan_rpm": _of(supply_of, supplies.fan_rpm),
    "radiator_capacity": _of(radiator_of, radiators.watts_at_10_k),
}
