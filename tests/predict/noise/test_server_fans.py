"""Fans that nobody lists, and fans of which only the speed is known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.specs import IncludedFan
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.predict.airflow.airflow import airflow
from core.predict.airflow.operating_point import rise_k
from core.predict.conditions import LoadCase
from core.predict.noise.sources import included_levels
from core.predict.prediction import predict
from tests.rules.machines import changed, good_build, part, with_line


def server(**changes: object) -> Build:
    unlisted = {"kind": "system", "included_fans": None, "rack_units": 4, "panels": "mesh"}
    return changed(good_build(), "case", **(unlisted | changes))


def test_the_fans_of_a_server_move_what_its_heat_needs() -> None:
    build = server()
    air = airflow(build)
    watts = predict(build).limits.dc_w[LoadCase.TRAINING].expected
    assert 10 < rise_k(watts, air.through_m3h.expected) < 16
    assert air.missing == ("case.included_fans",)
    assert air.groups == (), "how many fans there are, nobody knows"


def test_a_server_is_heard_although_nobody_lists_its_fans() -> None:
    prediction = predict(server())
    assert "case.included_fans" in prediction.missing
    assert prediction.noise_load.expected > 40
    assert prediction.noise_load.high - prediction.noise_load.low > 10, "a guess has a wide band"
    assert prediction.noise_idle.expected < prediction.noise_load.expected


@settings(deadline=None, max_examples=25)
@given(st.floats(120, 500), st.floats(5, 100))
def test_more_heat_makes_a_server_louder(watts: float, more: float) -> None:
    cool, hot = (predict(SetPowerLimit("gpu", limit).apply(server())) for limit in (watts, watts + more))
    assert hot.noise_load.expected >= cool.noise_load.expected - 0.05


def test_a_flatter_server_is_louder() -> None:
    flat, tall = (predict(server(rack_units=units)).noise_load.expected for units in (2, 8))
    assert flat > tall + 3, "the same air through a quarter of the height"


def test_fans_of_the_build_stand_for_those_that_nobody_lists() -> None:
    assert airflow(with_line(server(), part("fan"), 4)).groups != ()


@pytest.mark.parametrize("panels", ["mesh", "solid", "damped"])
def test_unknown_fans_of_a_closed_case_are_heard_behind_any_panel(panels: str) -> None:
    build = changed(good_build(), "case", included_fans=None, panels=panels)
    assert any(source.part_id == "case" for source in predict(build).sources)


def test_a_fan_of_known_speed_counts_with_its_level_at_that_speed() -> None:
    def level(rpm: float | None) -> float:
        fan = IncludedFan(place="front", size_mm=120, count=1, max_rpm=rpm)
        case = next(line.part for line in good_build().of(Category.CASE))
        return included_levels(case, fan)[LoadCase.TRAINING].expected

    slow, usual, fast = level(800), level(1500), level(4000)
    assert slow < usual < fast
    assert fast - usual == pytest.approx(23.4, abs=0.5), "55 dB per decade of speed"
