"""For each quantity of a measured case, how the product predicts it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from core.parts.part import Part
from core.predict.band import Band
from core.validation import electrical, limits_and_peaks, radiators, sound, temperature
from core.validation.cases import Measured
from core.validation.facts import card_of, radiator_of, supply_of

Model = Callable[[Measured, Part | None], Band | None]
Finder = Callable[[Measured, Sequence[Part]], Part | None]


@dataclass(frozen=True, slots=True)
class Quantity:
    """What is measured, which part of the catalogue the case is about, and the model."""

    model: Model
    part: Finder | None = None
    needs_part: bool = True


def _of_card(model: Callable[[Measured, Part], Band | None]) -> Model:
    return lambda case, part: None if part is None else model(case, part)


MODELS: Mapping[str, Quantity] = {
    "noise": Quantity(sound.noise, card_of, needs_part=False),
    "LwA_minus_LpA": Quantity(sound.power_over_pressure),
    "gpu_temp": Quantity(_of_card(temperature.chip), card_of),
    "gpu_temp_rise": Quantity(_of_card(temperature.rise), card_of),
    "gpu_hotspot": Quantity(_of_card(temperature.hot_spot), card_of),
    "board_power": Quantity(electrical.board_power, card_of),
    "relative_performance": Quantity(limits_and_peaks.relative_speed, card_of),
    "gpu_peak_power": Quantity(limits_and_peaks.peak, card_of),
    "psu_efficiency": Quantity(electrical.efficiency, supply_of, needs_part=False),
    "psu_fan_rpm": Quantity(electrical.fan_rpm, supply_of),
    "radiator_capacity": Quantity(radiators.watts_at_10_k, radiator_of, needs_part=False),
}
