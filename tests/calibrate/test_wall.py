"""Power at the wall stands beside the model, before and after, with the watts that were measured; nothing is fitted."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.calibrate import refusal
from core.calibrate.fit import calibrate
from core.calibrate.measurements import MeasuredCpu, Measurements, WallReading, read_measurements
from core.errors import BadInput
from core.predict.conditions import Conditions, LoadCase
from core.predict.prediction import predict
from tests.calibrate.benches import CLOSE, ROOM_C, machine, measured, truth

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


def test_a_measurement_file_may_have_it(tmp_path: Path) -> None:
    path = tmp_path / "measured.json"
    walls = [{"power_w": 1240}, {"load": "idle", "power_w": 95}]
    path.write_text(json.dumps({"format": "rigwright-measurements", "version": 1, "wall": walls}))
    assert read_measurements(path).walls == (WallReading(1240.0), WallReading(95.0, IDLE))
    path.write_text(json.dumps({"format": "rigwright-measurements", "version": 1, "wall": [{"power_w": 0}]}))
    with pytest.raises(BadInput, match="wall_w of 0 is not possible"):
        read_measurements(path)


def test_a_reading_costs_no_other_fit() -> None:
    build = machine()
    measurements = measured(build, truth(1.2), (300.0,) * len(CLOSE))
    with_wall = replace(measurements, walls=(WallReading(1200.0),))
    assert calibrate(build, with_wall).fits == calibrate(build, measurements).fits
