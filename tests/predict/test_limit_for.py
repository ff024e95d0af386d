"""The power limit that makes a machine fit, and what it costs."""

from collections.abc import Callable
from dataclasses import replace
from math import inf, nan

import pytest

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPowerLimit
from core.plan.mains import custom_circuit
from core.platform.errors import BadInput
from core.predict.conditions import Conditions, LoadCase
from core.predict.curves import limited
from core.predict.limit_for import Goal, LimitFor, circuit_goal, limit_for, noise_goal, temperature_goal
from core.predict.prediction import predict
from core.predict.speed.networks import Network
from tests.rules.machines import changed, good_build, part, with_line, without
from tests.shipped import templates

HERE = Conditions()


def test_a_small_circuit_is_met_by_the_largest_limit_that_does() -> None:
    build = replace(good_build(), custom_circuit=custom_circuit(230, 5))
    answer = limit_for(build, HERE, circuit_goal(build))
    assert answer.after <= 1150 < predict(limited(build, answer.share + 0.02)).wall_w[LoadCase.TRAINING].high
    assert answer.speed.low < answer.speed.high < 1
    assert "falls from" in answer.message


def test_what_else_hangs_on_the_circuit_counts() -> None:
    build = replace(good_build(), other_loads_w=(3000.0,))
    assert circuit_goal(build).most == 680


@pytest.mark.parametrize(
    ("psus", "others", "most"),
    [
        ((1000,), (0, 0), 3680),  # the second circuit feeds nothing
        ((1000, 1000), (0, 0), 7360),
        ((1000, 1000), (180, 0), 7000),  # the first is full before the second is
        ((1000, 1000, 1000), (0, 0), 5520),  # two thirds of the load hang on the first
        ((500, 1500), (0, 0), 3680 / 0.75),
        ((None, 1000), (0, 0), 7360),
        ((), (0, 0), 3680),
        ((1000,), (4000,), 0),
    ],
)
def test_a_machine_may_draw_what_its_fullest_circuit_allows(
    psus: tuple[float | None, ...], others: tuple[float, ...], most: float
) -> None:
    build = replace(without(good_build(), Category.PSU), other_loads_w=others)
    for number, watts in enumerate(psus):
        build = with_line(build, part("psu", suffix=f"-{number}", power_w=watts))
    assert circuit_goal(build).most == pytest.approx(most)


def test_the_cost_is_reported_for_each_kind_of_network() -> None:
    """The memory keeps its clock: what waits for it loses less."""
    build = changed(good_build(), "gpu", fp32_tflops=35.6, memory_bandwidth_gbps=936)
    build = replace(build, custom_circuit=custom_circuit(230, 5))
    answer = limit_for(build, HERE, circuit_goal(build))
    assert set(answer.networks) == set(Network)
    for network, band in answer.networks.items():
        assert 0.3 < band.low < band.expected < band.high <= 1, network
        assert network.short in answer.message
    assert answer.networks[Network.LSTM].expected > answer.networks[Network.TRANSFORMER].expected, (
        "memory keeps its clock"
    )
    assert set(answer.as_dict()["networks"]) == {"cnn", "lstm", "transformer"}


@pytest.mark.parametrize(
    ("most", "phrases"), [(30.0, ("30.0 dBA", "30.4 dBA at the lowest")), (25.0, ("25 dBA", "30 dBA at the lowest"))]
)
def test_figures_that_differ_read_differently(most: float, phrases: tuple[str, ...]) -> None:
    """Not "stays above 30 dBA: 30 dBA at the lowest"."""
    answer = LimitFor(noise_goal(most), 41.2, None, {}, 30.4, None, least_w={"gpu": 100})
    assert all(words in answer.message for words in phrases)


def test_the_circuit_may_be_asked_for_another_load() -> None:
    build = replace(good_build(), custom_circuit=custom_circuit(230, 6))
    training, everything = (
        limit_for(build, HERE, circuit_goal(build, load)) for load in (LoadCase.TRAINING, LoadCase.EVERYTHING)
    )
    assert everything.share < training.share
    assert "with CPUs and GPUs busy at once" in everything.message


def test_a_goal_that_is_met_under_limits_that_are_set_says_so() -> None:
    build = SetPowerLimit("gpu", 200).apply(good_build())
    assert "under the limits that are set" in limit_for(build, HERE, circuit_goal(build)).message


def test_a_machine_without_cards_has_no_limit_that_helps() -> None:
    build = replace(without(good_build(), Category.GPU), custom_circuit=custom_circuit(230, 1))
    answer = limit_for(build, HERE, circuit_goal(build))
    assert (answer.share, answer.after, answer.least_w) == (None, None, {})
    assert answer.message.endswith("that the cards accept.")


@pytest.mark.parametrize(
    ("goal", "value"),
    [(noise_goal, -1), (noise_goal, 1e9), (noise_goal, nan), (temperature_goal, inf), (temperature_goal, -300)],
)
def test_what_nothing_reaches_is_no_goal(goal: Callable[[float], Goal], value: float) -> None:
    with pytest.raises(BadInput, match="is not a possible goal"):
        goal(value)


TEMPLATES = [("researcher-pc", "jp-100v-15a", 38.0, 70.0), ("six-rtx-3090-quiet", "us-120v-20a", 25.5, 55.0)]


@pytest.mark.parametrize(("name", "region", "noise_dba", "chip_c"), TEMPLATES)
def test_templates_are_made_to_fit_or_no_limit_is_said_to_help(
    name: str, region: str, noise_dba: float, chip_c: float
) -> None:
    build = replace(templates()[name], region=region)
    goals = (circuit_goal(build), noise_goal(noise_dba), temperature_goal(chip_c), noise_goal(12), temperature_goal(30))
    answers = [limit_for(build, HERE, goal) for goal in goals]
    for answer in answers:
        assert answer.before is not None and answer.after is not None
        if answer.share is not None:
            assert answer.after <= answer.goal.most
        else:
            assert answer.after > answer.goal.most
            assert answer.limits_w == {}
            assert all(watts > 0 for watts in answer.least_w.values())
            assert "at the lowest" in answer.message
    assert [answer.share is None for answer in answers[2:]] == [False, True, True]


def test_a_goal_that_is_met_needs_no_limit() -> None:
    answer = limit_for(good_build(), HERE, circuit_goal(good_build()))
    assert answer.share == 1
    assert answer.speed is None
    assert "without a limit" in answer.message


@pytest.mark.parametrize("goal", [noise_goal(10), temperature_goal(26)])
def test_a_goal_beyond_any_limit_says_so(goal: object) -> None:
    answer = limit_for(good_build(), HERE, goal)  # type: ignore[arg-type]
    assert answer.share is None
    assert "at any power limit" in answer.message


def test_quieter_and_cooler_cost_power() -> None:
    now = predict(good_build())
    quieter = limit_for(good_build(), HERE, noise_goal(now.noise_load.expected - 3))
    hottest = now.heat.hottest
    cooler = limit_for(good_build(), HERE, temperature_goal(hottest.temperature_c.expected - 5))
    for answer in (quieter, cooler):
        assert 0.3 < answer.share < 1


def test_a_card_that_accepts_no_low_limit_stops_the_search() -> None:
    build = changed(good_build(), "gpu", power_limit_min_w=290)
    build = replace(build, custom_circuit=custom_circuit(230, 5))
    answer = limit_for(build, HERE, circuit_goal(build))
    assert answer.share is None
    assert (answer.limits_w, answer.least_w) == ({}, {"gpu": 290})


def test_a_temperature_that_is_not_predicted_has_no_limit() -> None:
    build = changed(good_build(), "gpu", cooling="water_block")
    answer = limit_for(build, HERE, temperature_goal(70))
    assert (answer.before, answer.share, answer.after) == (None, None, None)
    assert answer.message == "The hottest GPU is not predicted: no limit can be named that keeps it at 70 °C."
    assert answer.as_dict()["before"] is None
