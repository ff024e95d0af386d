"""A run at altitude: what is fitted holds at sea level, and the height is not counted twice."""

import pytest

from core.build.calibration import Calibration
from core.build.site_edits import SetCalibration
from core.calibrate.fit import calibrate
from core.calibrate.measurements import Measurements, SoundReading
from core.calibrate.parameters import ParameterKind
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from tests.calibrate.benches import ROOM_C, machine, measured, truth

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
    given = measured(build, REAL, (213.4, 213.4), altitude_m=HIGH_M)
    after = SetCalibration(calibrate(build, given).calibration).apply(build)
    there, below = (predict(after, Conditions(room_c=ROOM_C, altitude_m=height)).heat for height in (HIGH_M, 0.0))
    for card, seen, low in zip(there.cards, given.cards, below.cards, strict=True):
        assert card.temperature_c.expected == pytest.approx(seen.temperature_c, abs=1.5)
        assert low.temperature_c.expected < card.temperature_c.expected - 2


def test_who_leaves_the_height_out_counts_it_twice() -> None:
    """Why it is asked for: the cooler of thin air is taken for a worse one."""
    build = machine((1,))
    given = measured(build, REAL, (250.0,), altitude_m=HIGH_M)
    told, untold = (
        calibrate(build, Measurements(given.run, given.cards, 45, ROOM_C, height)).calibration.resistance_of("gpu")
        for height in (HIGH_M, 0.0)
    )
    assert told is not None
    assert untold is not None
    assert untold.value > 1.05 * told.value


def test_height_and_room_are_kept_with_the_calibration() -> None:
    build = machine()
    calibration = calibrate(build, measured(build, REAL, WATTS, altitude_m=HIGH_M)).calibration
    assert (calibration.altitude_m, calibration.room_c) == (HIGH_M, ROOM_C)
    assert calibration.circumstances == "at 2500 m, in a room at 24 °C"
    assert Calibration().circumstances == "at sea level"


def test_fans_that_thin_air_drives_faster_are_no_louder_machine() -> None:
    build = machine()
    there = Conditions(distance_m=0.5, background_dba=20, altitude_m=HIGH_M)
    heard = predict(build, there).noise_load_in_room.expected
    reading = SoundReading(heard, 0.5, 20)
    outcome = calibrate(build, Measurements(run="a reading", altitude_m=HIGH_M, sounds=(reading,)))
    (level,) = outcome.fits
    assert level.new[1] == pytest.approx(0, abs=0.3)
