"""The power limit that makes a machine fit, and what it costs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from core.build.mains import custom_circuit
from core.predict.conditions import Conditions
from core.predict.curves import limited
from core.predict.limit_for import circuit_goal, limit_for, noise_goal, temperature_goal
from core.predict.load import Load
from core.predict.prediction import predict
from tests.rules.machines import changed, good_build

HERE = Conditions()


def test_a_small_circuit_is_met_by_the_largest_limit_that_does() -> None:
    build = replace(good_build(), custom_circuit=custom_circuit(230, 5))
    found = limit_for(build, HERE, circuit_goal(build))
    assert found.share is not None
    assert found.after is not None
    assert found.after <= 1150 < predict(limited(build, found.share + 0.02)).wall_w[Load.TRAINING].high
    assert found.speed is not None
    assert found.speed.low < found.speed.high < 1
    assert "falls from" in found.message


def test_what_else_hangs_on_the_circuit_counts() -> None:
    build = replace(good_build(), other_loads_w=(3000.0,))
    assert circuit_goal(build).most == 680


def test_a_goal_that_is_met_needs_no_limit() -> None:
    found = limit_for(good_build(), HERE, circuit_goal(good_build()))
    assert found.share == 1
    assert found.speed is None
    assert "without a limit" in found.message


@pytest.mark.parametrize("goal", [noise_goal(10), temperature_goal(26)])
def test_a_goal_beyond_any_limit_says_so(goal: object) -> None:
    found = limit_for(good_build(), HERE, goal)  # type: ignore[arg-type]
    assert found.share is None
    assert "at any power limit" in found.message


def test_quieter_and_cooler_cost_power() -> None:
    now = predict(good_build())
    quieter = limit_for(good_build(), HERE, noise_goal(now.noise_load.expected - 3))
    hottest = now.heat.hottest
    assert hottest is not None
    cooler = limit_for(good_build(), HERE, temperature_goal(hottest.temperature_c.expected - 5))
    for found in (quieter, cooler):
        assert found.share is not None
        assert 0.3 < found.share < 1


def test_a_card_that_accepts_no_low_limit_stops_the_search() -> None:
    build = changed(good_build(), "gpu", power_limit_min_w=290)
    build = replace(build, custom_circuit=custom_circuit(230, 5))
    assert limit_for(build, HERE, circuit_goal(build)).share is None


def test_a_temperature_that_is_not_predicted_has_no_limit() -> None:
    build = changed(good_build(), "gpu", cooling="water_block")
    found = limit_for(build, HERE, temperature_goal(70))
    assert (found.before, found.share, found.after) == (None, None, None)
    assert found.message == "The hottest GPU is not predicted: no limit can be told that keeps it at 70 C."
    assert found.as_dict()["before"] is None
