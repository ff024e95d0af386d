"""The whole prediction: energy, heat and JSON."""

import json

import pytest

from core.predict.conditions import Conditions, LoadCase
from core.predict.prediction import predict
from tests.rules.machines import good_build


def test_energy_heat_and_cost_follow_the_wall_power() -> None:
    prediction = predict(good_build(), Conditions(tariff_per_kwh=0.3))
    watts = prediction.wall_w[LoadCase.TRAINING].expected
    assert prediction.heat_btu_h.expected == pytest.approx(3.412 * watts)
    assert prediction.energy_kwh_per_day.expected == pytest.approx(watts * 0.024)
    assert prediction.energy_cost_per_day == pytest.approx(watts * 0.024 * 0.3)
    assert predict(good_build()).energy_cost_per_day is None


def test_a_prediction_becomes_json_with_stable_keys() -> None:
    stored = json.loads(json.dumps(predict(good_build()).as_dict()))
    assert {"dc_w", "wall_w", "noise_load_dba", "noise_sources", "assumptions", "missing"} <= set(stored)
    assert set(stored["wall_w"]) == {load.value for load in LoadCase}
    assert stored["noise_load_dba"]["word"] in {"silent", "very quiet", "quiet", "audible", "loud", "server"}


def test_a_fully_known_machine_lacks_nothing_and_still_says_its_assumptions() -> None:
    prediction = predict(good_build())
    assert prediction.missing == ()
    assert any("Training" in text for text in prediction.assumptions)
    assert any("free-field" in text for text in prediction.assumptions)
