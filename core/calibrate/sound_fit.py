"""Fits what sound readings tell: the machine's level, and how it follows the cards' fans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, log10

from core.build.build import Build
from core.build.calibration import Calibration
from core.calibrate import refusal
from core.calibrate.heat_fit import fit_of
from core.calibrate.measurements import Measurements, SoundReading
from core.calibrate.outcome import CalibrationOutcome, Quantity
from core.calibrate.parameters import Parameter, ParameterKind, with_fitted
from core.calibrate.solve import solve
from core.language import tr
from core.predict.band import Band
from core.predict.conditions import Conditions, LoadCase
from core.predict.noise.acoustics import COOLER_SLOPE
from core.predict.noise.noise import noise_sources, total_noise
from core.predict.noise.sources import NOISE_LOADS
from core.predict.power import predict_power
from core.predict.state import operating_point
from core.predict.thermal.heat import CardHeat, Heat

READING_DB = 0.7
"""Standard error of a reading repeated with the same meter in the same place."""
METER_DB = 1.5
"""Of the meter itself: class 2 of IEC 61672 allows 1.4 dB at 1 kHz, a telephone's microphone more."""
LEAST_ABOVE_DB = 3.0
LEAST_RATIO = 1.25
SLOPE_RANGE = (50.0, COOLER_SLOPE, 70.0)

Shares = dict[tuple[str, int], float]
"""Measured shares of full fan speed by part id and number of the card."""


@dataclass(frozen=True, slots=True)
class _Stand:
    """The machine as it stood: its heat by the calibration of its temperatures."""

    build: Build
    dc_w: Mapping[LoadCase, Band]
    heat: Heat
    conditions: Conditions


def fit_sound(build: Build, measured: Measurements, fitted: Calibration, shares: Shares) -> CalibrationOutcome:
    """`fitted` holds what the temperatures told; the outcome's calibration adds to it."""
    clear = [sound for sound in measured.sounds if _above_db(sound) >= LEAST_ABOVE_DB]
    refusals = [refusal.not_above(s.level_dba, s.background_dba) for s in measured.sounds if s not in clear]
    if not clear:
        return CalibrationOutcome(fitted, (), (), tuple(refusals or [refusal.NO_SOUND]))
    stand = _stand(build, measured, fitted, shares)
    first = level_of(stand, clear[0], fitted)
    if first.expected <= 0:
        return CalibrationOutcome(fitted, (), (), (*refusals, refusal.SILENT))
    chosen = [Parameter(ParameterKind.LEVEL, tr("Level in training"), "dB", _offsets(first))]
    speeds = [sound.fan_share for sound in clear if sound.fan_share is not None]
    if speeds and max(speeds) >= LEAST_RATIO * min(speeds) and len(speeds) == len(clear):
        old = (SLOPE_RANGE[0] - COOLER_SLOPE, 0.0, SLOPE_RANGE[2] - COOLER_SLOPE)
        chosen.append(Parameter(ParameterKind.SLOPE, tr("Slope of the cards' level, over 60 dB per decade"), "dB", old))
    return _solved(stand, clear, chosen, fitted, refusals)


def _solved(
    stand: _Stand, clear: Sequence[SoundReading], chosen: list[Parameter], fitted: Calibration, refusals: list[str]
) -> CalibrationOutcome:
    alone = [machine_alone(sound) for sound in clear]
    sigma = [READING_DB / (1 - 10 ** (-_above_db(sound) / 10)) for sound in clear]

    def predict(x: Sequence[float]) -> list[float]:
        trial = with_fitted(fitted, chosen[: len(x)], x, [0.0] * len(x))
        return [level_of(stand, sound, trial).expected for sound in clear]

    solution = solve(predict, alone, sigma, [one.prior for one in chosen])
    if len(chosen) > 1 and solution.told[1] > chosen[1].prior:
        chosen = chosen[:1]
        solution = solve(predict, alone, sigma, [chosen[0].prior])
    if len(chosen) == 1:
        refusals = [*refusals, refusal.NO_SLOPE]
    errors = [hypot(solution.errors[0], METER_DB), *solution.errors[1:]]
    after = with_fitted(fitted, chosen, solution.values, errors)
    quantities = tuple(
        Quantity(
            tr("Level at {distance_m:g} m, without the room's", distance_m=sound.distance_m),
            "dBA",
            round(level, 1),
            *bands,
        )
        for sound, level in zip(clear, alone, strict=True)
        for bands in [(level_of(stand, sound, fitted), level_of(stand, sound, after))]
    )
    fits = tuple(fit_of(one, x, error) for one, x, error in zip(chosen, solution.values, errors, strict=True))
    return CalibrationOutcome(after, quantities, fits, tuple(refusals))


def machine_alone(sound: SoundReading) -> float:
    """The reading without its background, dBA: energies subtract."""
    return 10 * log10(10 ** (sound.level_dba / 10) - 10 ** (sound.background_dba / 10))


def level_of(stand: _Stand, sound: SoundReading, calibration: Calibration) -> Band:
    """The machine alone where the reading was taken, at the fan speeds that were measured."""
    conditions = replace(stand.conditions, distance_m=sound.distance_m, background_dba=sound.background_dba)
    heat = stand.heat
    if sound.fan_share is not None:
        heat = replace(heat, cards=tuple(_at_share(card, sound.fan_share) for card in heat.cards))
    build = replace(stand.build, calibration=calibration)
    return total_noise(noise_sources(build, conditions, stand.dc_w, heat), calibration.level_db)[1]


def _stand(build: Build, measured: Measurements, fitted: Calibration, shares: Shares) -> _Stand:
    power, usual = predict_power(build), Conditions(altitude_m=measured.altitude_m)
    conditions = usual if measured.room_c is None else replace(usual, room_c=measured.room_c)
    as_fitted = replace(build, calibration=fitted)
    points = {load: operating_point(as_fitted, conditions, power, load) for load in NOISE_LOADS}
    heat = points[LoadCase.TRAINING].heat
    cards = tuple(
        _at_share(card, share) if (share := shares.get((card.part_id, card.number))) is not None else card
        for card in heat.cards
    )
    return _Stand(build, {load: at.dc_w for load, at in points.items()}, replace(heat, cards=cards), conditions)


def _at_share(card: CardHeat, share: float) -> CardHeat:
    return card if card.fan_share.high <= 0 else replace(card, fan_share=Band(share, share, share, ""))


def _above_db(sound: SoundReading) -> float:
    return sound.level_dba - sound.background_dba


def _offsets(level: Band) -> tuple[float, float, float]:
    return level.low - level.expected, 0.0, level.high - level.expected
