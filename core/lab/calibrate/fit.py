"""Calibrates a build by a run: every parameter that the run determines, and a sentence for each that it does not.

Heat is fitted in `heat_fit`; here what sound readings tell, the machine's level and how it follows the cards' fans.
Power at the wall is shown beside the model, before and after, and not fitted: what a meter at the wall tells is the sum
of the rest of the machine and the losses of its PSUs, one figure for two unknowns, and nothing of the heat that a
calibration corrects.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import hypot, log10

from core.lab.calibrate import refusal
from core.lab.calibrate.bench import CardGroup, bench_of, groups_of
from core.lab.calibrate.heat_fit import fit_heat, fit_of
from core.lab.calibrate.measurements import Measurements, SoundReading, WallReading, is_steady
from core.lab.calibrate.outcome import CalibrationOutcome, Parameter, ParameterKind, Quantity, with_fitted
from core.lab.calibrate.solve import solve
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.calibration import NOTHING, Calibration
from core.predict.band import Band
from core.predict.components import summed
from core.predict.conditions import Conditions, LoadCase
from core.predict.noise.acoustics import COOLER_SLOPE
from core.predict.noise.noise import noise_sources, total_noise
from core.predict.noise.sources import NOISE_LOADS
from core.predict.power import drawn_at_the_wall, predict_power
from core.predict.prediction import operating_point
from core.predict.thermal.heat import CardHeat, Heat
from core.predict.thermal.steady import gpu_cards
from core.words import tr, trc

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
    if len(chosen) > 1 and solution.from_data[1] > chosen[1].prior:
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
