"""Sound readings: the machine's level, and how it follows the cards' fans."""

from dataclasses import replace

import pytest

from core.build.calibration import Calibration, Offset
from core.build.site_edits import SetCalibration
from core.calibrate.fit import calibrate
from core.calibrate.measurements import Measurements, SoundReading
from core.calibrate.parameters import ParameterKind
from core.calibrate.sound_fit import machine_alone
from core.predict.conditions import Conditions
from core.predict.noise.acoustics import energy_sum
from core.predict.prediction import FREE_FIELD, predict
from core.predict.thermal.calibrated import level_notes
from tests.calibrate.benches import machine

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
    from core.calibrate.sound_fit import _stand, level_of

    reading = SoundReading(60, 0.5, 20, share)
    stand = _stand(machine(), Measurements(run="none"), Calibration(), {})
    alone = level_of(stand, reading, real).expected
    return replace(reading, level_dba=energy_sum((alone, 20)))


def test_the_rooms_energy_is_taken_off() -> None:
    assert machine_alone(SoundReading(40, 1, 37)) == pytest.approx(36.98, abs=0.01)
    assert machine_alone(SoundReading(40, 1, 10)) == pytest.approx(40, abs=0.01)
