"""Readings beside the cards: at altitude, of sound, and of power at the wall."""

from dataclasses import replace

import pytest

from core.lab.calibrate import refusal
from core.lab.calibrate.fit import calibrate, machine_alone
from core.lab.calibrate.measurements import MeasuredCpu, Measurements, SoundReading, WallReading
from core.lab.calibrate.outcome import ParameterKind
from core.plan.calibration import Calibration, Offset
from core.plan.site_edits import SetCalibration
from core.predict.conditions import Conditions, LoadCase
from core.predict.noise.acoustics import energy_sum
from core.predict.prediction import FREE_FIELD, predict
from core.predict.thermal.calibrated import level_notes
from tests.lab.calibrate.benches import CLOSE, ROOM_C, machine, measured, truth

HIGH_M = 2500.0
WATTS = (180.0, 150.0, 190.0)
REAL = truth(1.15, 1.0, 0.6, 1.2)


def fitted(altitude_m: float) -> dict[ParameterKind, float]:
    """Factors, and the offset of the fans in K."""
    build = machine()
    outcome = calibrate(build, measured(build, REAL, WATTS, altitude_m=altitude_m))
    return {fit.parameter.kind: fit.new[1] / (fit.parameter.old[1] or 1.0) for fit in outcome.fits}


def test_the_same_machine_gives_the_same_corrections_at_any_height() -> None:
    low, high = fitted(0.0), fitted(HIGH_M)
    assert set(low) == set(high) >= {ParameterKind.RESISTANCE, ParameterKind.FANS, ParameterKind.FLOW}
    for kind, value in low.items():
        assert high[kind] == pytest.approx(value, rel=0.05, abs=0.1), kind


def test_a_run_at_altitude_predicts_what_was_measured_there_and_less_at_sea_level() -> None:
    build = machine((1, 5), power_limit_w=220)
    measurements = measured(build, REAL, (213.4, 213.4), altitude_m=HIGH_M)
    after = SetCalibration(calibrate(build, measurements).calibration).apply(build)
    there, below = (predict(after, Conditions(room_c=ROOM_C, altitude_m=height)).heat for height in (HIGH_M, 0.0))
    for card, seen, low in zip(there.cards, measurements.cards, below.cards, strict=True):
        assert card.temperature_c.expected == pytest.approx(seen.temperature_c, abs=1.5)
        assert low.temperature_c.expected < card.temperature_c.expected - 2


def test_who_leaves_the_height_out_counts_it_twice() -> None:
    """Why it is asked for: the cooler of thin air is taken for a worse one."""
    build = machine((1,))
    measurements = measured(build, REAL, (250.0,), altitude_m=HIGH_M)
    with_height, without_height = (
        calibrate(build, replace(measurements, minutes=45, room_c=ROOM_C, altitude_m=height)).calibration.resistance_of(
            "gpu"
        )
        for height in (HIGH_M, 0.0)
    )
    assert without_height.value > 1.05 * with_height.value


def test_fans_that_thin_air_drives_faster_are_no_louder_machine() -> None:
    build = machine()
    there = Conditions(distance_m=0.5, background_dba=20, altitude_m=HIGH_M)
    heard = predict(build, there).noise_load_in_room.expected
    reading = SoundReading(heard, 0.5, 20)
    outcome = calibrate(build, Measurements(run="a reading", altitude_m=HIGH_M, sounds=(reading,)))
    (level,) = outcome.fits
    assert level.new[1] == pytest.approx(0, abs=0.3)


ROOM_DBA = 25.0
AWAY = Conditions(distance_m=0.5, background_dba=ROOM_DBA)


def heard(level_db: float) -> float:
    """What a meter at half a metre would read, dBA."""
    real = Calibration(run="the truth", level_db=Offset(level_db, 1))
    return predict(SetCalibration(real).apply(machine()), AWAY).noise_load_in_room.expected


@pytest.mark.parametrize("offset_db", [-5.0, 0.0, 3.0, 6.0])
def test_an_offset_is_found_from_one_reading(offset_db: float) -> None:
    reading = SoundReading(heard(offset_db), AWAY.distance_m, ROOM_DBA)
    outcome = calibrate(machine(), Measurements(run="a reading", sounds=(reading,)))
    (one,) = outcome.fits
    assert one.new[1] == pytest.approx(offset_db, abs=1)
    assert 1.5 <= one.error <= 2


def test_after_it_the_prediction_is_near_the_reading_and_narrow() -> None:
    build = machine()
    reading = SoundReading(heard(4), AWAY.distance_m, ROOM_DBA)
    outcome = calibrate(build, Measurements(run="a reading", on="2026-03-01", sounds=(reading,)))
    after = SetCalibration(outcome.calibration).apply(build)
    old, new = predict(build, AWAY), predict(after, AWAY)
    assert new.noise_load_in_room.expected == pytest.approx(reading.level_dba, abs=0.8)
    assert new.noise_load.width < old.noise_load.width
    assert new.noise_idle == old.noise_idle, "a reading in training tells nothing of idle"
    assert FREE_FIELD in old.assumptions
    assert FREE_FIELD not in new.assumptions
    assert level_notes(after)[0] in new.assumptions
    assert energy_sum(source.load.expected for source in new.sources) == pytest.approx(new.noise_load.expected)


def test_two_readings_at_different_fan_speeds_tell_the_slope() -> None:
    build = machine()
    real = Calibration(run="the truth", fan_slope_db=Offset(6, 0), level_db=Offset(2, 0))
    readings = tuple(_reading(real, share) for share in (0.4, 0.9))
    outcome = calibrate(build, Measurements(run="two readings", sounds=readings))
    slope = next(one for one in outcome.fits if one.parameter.kind is ParameterKind.SLOPE)
    assert abs(slope.new[1] - 6) <= 2 * slope.error
    assert outcome.calibration.fan_slope_db is not None
    for row in outcome.quantities:
        assert abs(row.after.expected - row.measured) < abs(row.before.expected - row.measured)


def _reading(real: Calibration, share: float) -> SoundReading:
    from core.lab.calibrate.fit import _stand, level_of

    reading = SoundReading(60, 0.5, 20, share)
    stand = _stand(machine(), Measurements(run="none"), Calibration(), {})
    alone = level_of(stand, reading, real).expected
    return replace(reading, level_dba=energy_sum((alone, 20)))


def test_the_rooms_energy_is_taken_off() -> None:
    assert machine_alone(SoundReading(40, 1, 37)) == pytest.approx(36.98, abs=0.01)
    assert machine_alone(SoundReading(40, 1, 10)) == pytest.approx(40, abs=0.01)


TRAINING, IDLE = LoadCase.TRAINING, LoadCase.IDLE


def test_without_measured_cards_it_stands_beside_the_prediction_of_the_load() -> None:
    build = machine()
    outcome = calibrate(build, Measurements(run="plug", walls=(WallReading(1200.0), WallReading(90.0, IDLE))))
    prediction = predict(build)
    under_load, idle = outcome.quantities
    assert (under_load.measured, under_load.unit, under_load.title) == (1200.0, "W", "Power at the wall, in training")
    assert under_load.before.expected == pytest.approx(prediction.wall_w[TRAINING].expected)
    assert (idle.measured, idle.after) == (90.0, idle.before)
    assert idle.before.expected == pytest.approx(prediction.wall_w[IDLE].expected)
    assert not outcome.calibration
    assert refusal.WALL_NOT_FITTED in outcome.refusals


def test_with_measured_cards_the_model_is_held_to_their_watts() -> None:
    build = machine()
    watts = (200.0, 210.0, 220.0)
    measurements = measured(build, truth(), watts)
    given_wall = replace(measurements, walls=(WallReading(900.0),), cpu=MeasuredCpu(60.0), room_c=ROOM_C)
    [wall] = [
        quantity
        for quantity in calibrate(build, given_wall).quantities
        if quantity.title.startswith("Power at the wall")
    ]
    planned = predict(build, Conditions(room_c=ROOM_C)).wall_w[TRAINING]
    assert wall.before.expected < planned.expected, "the cards drew less than their limits allow"
    assert wall.before.expected > sum(watts) + 60.0
    assert wall.before.width < planned.width


def test_a_reading_costs_no_other_fit() -> None:
    build = machine()
    measurements = measured(build, truth(1.2), (300.0,) * len(CLOSE))
    with_wall = replace(measurements, walls=(WallReading(1200.0),))
    assert calibrate(build, with_wall).fits == calibrate(build, measurements).fits
