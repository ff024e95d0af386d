"""Power at the wall beside the model: shown before and after, not fitted.

What a meter at the wall tells is the sum of the rest of the machine and the losses of its PSUs: one figure for two
unknowns, and nothing of the heat that a calibration corrects.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.build.build import Build
from core.build.calibration import Calibration
from core.calibrate.measurements import Measurements, WallReading
from core.calibrate.outcome import Quantity
from core.language import tr
from core.parts.vocabulary import Category
from core.predict.band import Band
from core.predict.components import summed
from core.predict.conditions import Conditions, LoadCase
from core.predict.power import drawn_at_the_wall, predict_power
from core.predict.state import operating_point


def wall_quantities(uncalibrated: Build, measured: Measurements, fitted: Calibration) -> Iterator[Quantity]:
    """One for each reading. Under load with the measured watts of the cards and the processor, where they are known."""
    for reading in measured.walls:
        before, after = (
            _at_the_wall(replace(uncalibrated, calibration=calibration), measured, reading)
            for calibration in (uncalibrated.calibration, fitted)
        )
        title = tr("Power at the wall, {load}", load=reading.load.phrase)
        yield Quantity(title, "W", round(reading.power_w, 1), before, after)


def _at_the_wall(build: Build, measured: Measurements, reading: WallReading) -> Band:
    usual = Conditions(altitude_m=measured.altitude_m)
    conditions = usual if measured.room_c is None else replace(usual, room_c=measured.room_c)
    limits = predict_power(build)
    point = operating_point(build, conditions, limits, reading.load)
    measured_w = {} if reading.load is LoadCase.IDLE else _known_w(build, measured)
    predicted_w = [
        (part.category, point.part_w[part.part_id]) for part in limits.components if part.category not in measured_w
    ]
    return drawn_at_the_wall(build, summed([*predicted_w, *measured_w.items()]))


def _known_w(build: Build, measured: Measurements) -> dict[Category, Band]:
    """By category what all its parts drew, where each of them was measured."""
    measured_w: dict[Category, Band] = {}
    cards_w = sum(card.power_w for card in measured.cards)
    if measured.cards and len(measured.cards) == build.count(Category.GPU):
        measured_w[Category.GPU] = Band(cards_w, cards_w, cards_w, "W")
    if measured.cpu is not None and build.count(Category.CPU) == 1:
        measured_w[Category.CPU] = Band(measured.cpu.power_w, measured.cpu.power_w, measured.cpu.power_w, "W")
    return measured_w
