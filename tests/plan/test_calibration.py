"""A calibration as a value and in the build file."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from core.plan.build import Build
from core.plan.calibration import NOTHING, Calibration, Factor, Offset
from core.plan.file import dump_build, parse_build
from core.plan.site_edits import SetCalibration
from core.platform.errors import BadInput

SOME = Calibration(run="run 7", on="2026-03-01", by="tower", coupling=Factor(0.7, 0.1), level_db=Offset(2.0, 1.5))

HAND_WRITTEN = """{"format": "rigwright-build", "version": 2, "name": "Rig", "calibration": {
 "run": "run 7", "on": "2026-03-01", "resistance": {"card": {"value": 1.1, "spread": 0.04}},
 "flow": {"value": 0.8, "spread": 0.2}, "flow_case": "tower", "level_db": {"value": -2.5, "error": 1.7}}}"""


def read(text: str) -> Build:
    return parse_build(text, lambda _: None)


def test_a_file_may_carry_a_calibration_written_by_hand() -> None:
    calibration = read(HAND_WRITTEN).calibration
    assert calibration.resistance_of("card") == Factor(1.1, 0.04)
    assert calibration.resistance_of("other") is None
    assert calibration.flow_in("tower") == Factor(0.8, 0.2)
    assert calibration.flow_in("other") is None
    assert calibration.level_db == Offset(-2.5, 1.7)
    assert calibration.source == "run 7 of 2026-03-01"


def test_one_without_height_or_room_was_made_at_sea_level() -> None:
    calibration = read(HAND_WRITTEN).calibration
    assert (calibration.altitude_m, calibration.room_c, calibration.replaces) == (0.0, None, "")
    assert calibration.circumstances == "at sea level"


@pytest.mark.parametrize("room_c", [None, 0.0, 24.5])
def test_circumstances_blocks_and_radiators_come_back_from_the_file(room_c: float | None) -> None:
    factors = (("block", Factor(1.2, 0.1)),), (("front", Factor(0.9, 0.1)), ("top", Factor(0.9, 0.1)))
    new = Calibration(
        "run 8", altitude_m=1500, room_c=room_c, replaces="run 7", blocks=factors[0], radiators=factors[1]
    )
    assert read(dump_build(SetCalibration(new).apply(Build()))).calibration == new


def test_a_loop_is_corrected_only_with_the_radiators_that_were_measured() -> None:
    calibration = Calibration("run 8", radiators=(("front", Factor(0.9, 0.1)), ("top", Factor(0.9, 0.1))))
    for part_ids, corrected in (
        (("front", "top"), True),
        (("top",), True),
        (("front", "rear"), False),
        (("rear",), False),
        ((), False),
    ):
        assert (calibration.radiators_of(part_ids) is not None) == corrected, part_ids


def test_a_build_without_one_is_written_without_a_word_of_it() -> None:
    assert not NOTHING
    assert "calibration" not in json.loads(dump_build(Build()))


def test_what_was_not_fitted_is_not_written() -> None:
    stored = json.loads(dump_build(SetCalibration(SOME).apply(Build())))["calibration"]
    assert set(stored) == {"run", "on", "by", "coupling", "level_db"}


def test_setting_one_can_be_taken_back() -> None:
    edit = SetCalibration(SOME)
    after = edit.apply(Build())
    assert after.calibration == SOME
    assert edit.inverse(Build()).apply(after) == Build()
    assert (edit.title, edit.inverse(Build()).title) == ("Calibrate from run 7", "Remove the calibration")


def test_a_range_reaches_two_standard_errors_to_either_side() -> None:
    assert Offset(2, 1.5).of(10) == (9, 12, 15)
    low, middle, high = Factor(1.2, 0.1).of(10)
    assert (low, middle, high) == (pytest.approx(9.825, abs=0.001), 12, pytest.approx(14.657, abs=0.001))


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda raw: raw["resistance"]["card"].update(value=0), "must be between 0.05 and 20, not 0"),
        (lambda raw: raw["resistance"]["card"].update(spread=-1), "spread .* between 0 and 1"),
        (lambda raw: raw["level_db"].update(value=1e9), "offset must be within 60"),
        (lambda raw: raw["level_db"].update(error=-1), "error of a calibrated offset"),
        (lambda raw: raw.pop("run"), "must name the run"),
        (lambda raw: raw.pop("flow_case"), "must name the case"),
        (lambda raw: raw.update(altitude_m=9000), "between -500 and 6000 m, not 9000"),
        (lambda raw: raw.update(room_c=80), "between -10 and 50 °C, not 80"),
        (lambda raw: raw.update(colour=1), "cannot be read at calibration.colour"),
        (lambda raw: raw["flow"].pop("spread"), "cannot be read at calibration.flow.spread"),
    ],
)
def test_a_damaged_one_is_reported_in_a_sentence(change: Callable[[dict[str, Any]], Any], sentence: str) -> None:
    raw = json.loads(HAND_WRITTEN)
    change(raw["calibration"])
    with pytest.raises(BadInput, match=sentence):
        read(json.dumps(raw))
