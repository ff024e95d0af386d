"""Calibrates a build by a run: every parameter that the run determines, and a sentence for each that it does not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.build.build import Build
from core.build.calibration import NOTHING, Calibration
from core.calibrate import refusal
from core.calibrate.bench import bench_of
from core.calibrate.card_matching import CardGroup, groups_of
from core.calibrate.heat_fit import fit_heat
from core.calibrate.measurements import Measurements, is_steady
from core.calibrate.outcome import CalibrationOutcome
from core.calibrate.sound_fit import Shares, fit_sound
from core.calibrate.wall import wall_quantities
from core.language import trc
from core.predict.thermal.bodies import gpu_cards

COLDER_K = 2.0
"""By how much two thermometers may differ."""


def calibrate(build: Build, measured: Measurements) -> CalibrationOutcome:
    """Fits from the model's own ranges; what an earlier run fitted counts no more.

    Raises BadInput where the measured cards are not those of the build.
    """
    bare = replace(build, calibration=NOTHING)
    empty = Calibration(
        run=measured.run,
        on=measured.on,
        by=measured.by,
        simulated=measured.simulated,
        altitude_m=measured.altitude_m,
        room_c=measured.room_c,
        replaces=build.calibration.source if build.calibration else "",
    )
    drifts_k = [card.drift_k for card in measured.cards]
    if measured.cards and not is_steady(measured.minutes, drifts_k):
        walls = tuple(wall_quantities(bare, measured, empty))
        refused = (refusal.not_steady(measured.minutes, drifts_k),)
        return CalibrationOutcome(empty, walls, (), refused, measured.doubts)
    groups = groups_of(bare, measured.cards) if measured.cards else ()
    heat = _heat(bare, measured, groups, empty)
    sound = fit_sound(bare, measured, heat.calibration, _shares(bare, groups))
    return CalibrationOutcome(
        sound.calibration,
        (*heat.quantities, *sound.quantities, *wall_quantities(bare, measured, sound.calibration)),
        (*heat.fits, *sound.fits),
        (*heat.refusals, *sound.refusals, *((refusal.WALL_NOT_FITTED,) if measured.walls else ())),
        (*measured.doubts, *heat.remarks),
    )


def _heat(bare: Build, measured: Measurements, groups: tuple[CardGroup, ...], empty: Calibration) -> CalibrationOutcome:
    if not groups:
        return CalibrationOutcome(empty, (), (), (refusal.NO_CARDS,))
    if measured.room_c is None:
        return CalibrationOutcome(empty, (), (), (refusal.NO_ROOM,))
    cold = tuple(_colder(measured, measured.room_c))
    if cold:
        return CalibrationOutcome(empty, (), (), cold)
    return fit_heat(bench_of(bare, measured, groups, measured.room_c), empty)


def _colder(measured: Measurements, room_c: float) -> Iterator[str]:
    """What would pass for an excellent cooler, and is a slip of the pen."""
    figures = [
        (trc("measured", "a chip"), min((card.temperature_c for card in measured.cards), default=None)),
        (trc("measured", "intake air of the cards"), measured.case_air_c),
        (trc("measured", "coolant"), measured.coolant_c),
        (trc("measured", "a processor"), measured.cpu.temperature_c if measured.cpu else None),
    ]
    for what, value_c in figures:
        if value_c is not None and value_c < room_c - COLDER_K:
            yield refusal.colder(what, value_c, room_c)


def _shares(bare: Build, groups: tuple[CardGroup, ...]) -> Shares:
    cards = gpu_cards(bare)
    return {
        (cards[index].part.id, cards[index].number): group.fan_share
        for group in groups
        if group.fan_share is not None
        for index in group.indices
    }
