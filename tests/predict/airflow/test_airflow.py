"""The air of whole machines: which fans sit where, what they move, and how it shows."""

import json
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.vocabulary import Category, Panels
from core.plan.build import Build
from core.predict.airflow.airflow import Airflow, FanGroup, airflow
from core.predict.airflow.flow_paths import FanRole, place_fans
from core.predict.conditions import Conditions
from core.predict.prediction import predict
from tests.rules import machines
from tests.rules.machines import changed, part, with_line, without

ONE_FAN = {"size_mm": 120, "max_rpm": 1200, "airflow_m3h": 80, "static_pressure_mmh2o": 1.4}


def good_build() -> Build:
    """With cards whose fans leave the case's air alone."""
    return changed(machines.good_build(), "gpu", cooling="open_air")


def group(air: Airflow, name: FanRole) -> FanGroup:
    return next(fans for fans in air.groups if fans.group is name)


def through(build: Build, share: float | None = None) -> float:
    band = airflow(build, share).through_m3h
    return band.expected


def with_fans(front: int, rear: int, **changes: object) -> Build:
    places = (("front", front), ("rear", rear))
    included = [{"place": place, "count": count, **ONE_FAN} for place, count in places if count]
    return changed(good_build(), "case", **({"included_fans": included} | changes))


def test_fans_of_the_case_blow_in_at_the_front_and_out_at_the_rear() -> None:
    air = airflow(good_build())
    intake, exhaust = group(air, FanRole.INTAKE), group(air, FanRole.EXHAUST)
    assert (intake.count, exhaust.count) == (3, 1)
    assert intake.rpm.expected == pytest.approx(750)
    assert intake.speed_share.expected == pytest.approx(0.75)
    assert 0.3 < intake.flow_m3h.expected / (3 * 110 * 0.75) < 0.45, "a solid front lets some 40 % through"
    assert air.inside_pa[1] > 0


def test_loose_fans_even_out_what_blows_in_and_out() -> None:
    air = airflow(with_line(with_fans(3, 0), part("fan"), 2))
    assert group(air, FanRole.INTAKE).count == 3
    assert group(air, FanRole.EXHAUST).count == 2
    assert through(with_line(with_fans(3, 0), part("fan"), 2)) > through(with_fans(3, 0))


def test_in_a_server_all_fans_stand_in_one_wall() -> None:
    tower, rack = (
        with_line(changed(good_build(), "case", kind=kind, included_fans=[], panels="mesh"), part("fan"), 6)
        for kind in ("tower", "rack")
    )
    assert [fans.count for fans in airflow(tower).groups] == [3, 3]
    assert [fans.count for fans in airflow(rack).groups] == [6]
    assert through(rack) > 1.2 * through(tower)


def test_radiators_take_the_fans_of_their_size_first() -> None:
    build = with_line(with_line(with_line(good_build(), part("radiator"), 2), part("fan"), 5), part("pump"))
    seats = place_fans(build)
    assert [seat.count for seat in seats.on_radiators] == [5]
    assert [places for _, places in seats.bare] == [1]
    assert airflow(build).notes == ("1 of the fan positions on Test RADIATOR have no fan and carry off no heat.",)
    big = part("fan", suffix="-140", size_mm=140)
    (line,) = [line for line, _ in place_fans(with_line(build, big, 4)).loose]
    assert line.part.id == "fan-140"


def test_a_radiator_that_no_fan_fits_is_predicted_with_usual_ones_and_says_so() -> None:
    build = with_line(with_line(good_build(), part("radiator", length_mm=420, fan_size_mm=140)), part("fan"), 3)
    air = airflow(build)
    assert air.notes == ("No fan of the build fits Test RADIATOR: typical ones are assumed on it.",)
    assert group(air, FanRole.RADIATOR).count == 3


def test_a_radiator_with_several_rows_of_fans_stands_beside_the_case_and_moves_no_air_through_it() -> None:
    large = part("radiator", length_mm=360, fan_positions=9)
    beside = with_line(with_line(good_build(), large), part("fan"), 9)
    air = airflow(beside)
    assert group(air, FanRole.BESIDE).count == 9
    assert through(beside) == pytest.approx(through(good_build()))
    inside = with_line(with_line(good_build(), part("radiator")), part("fan"), 3)
    assert group(airflow(inside), FanRole.RADIATOR).flow_m3h.expected < group(air, FanRole.BESIDE).flow_m3h.expected / 3
    assert through(inside) > through(good_build())


def test_in_the_open_nothing_crosses_a_case_and_radiators_work_on() -> None:
    frame = changed(good_build(), "case", kind="open_frame")
    assert airflow(frame).groups == ()
    assert airflow(without(good_build(), Category.CASE)).case_m3h is None
    wet = with_line(with_line(frame, part("radiator")), part("fan"), 3)
    assert [fans.group for fans in airflow(wet).groups] == [FanRole.BESIDE]


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 4), st.integers(0, 4), st.sampled_from([*Panels, None]), st.floats(0.2, 1), st.floats(0, 0.8))
def test_faster_fans_never_move_less_air_through_a_machine(
    front: int, rear: int, panels: Panels | None, share: float, more: float
) -> None:
    build = with_fans(front, rear, panels=panels)
    slow, fast = airflow(build, share), airflow(build, min(1.0, share + more))
    assert slow.case_m3h is not None and fast.case_m3h is not None
    assert all(after >= before * (1 - 1e-6) for before, after in zip(slow.case_m3h, fast.case_m3h, strict=True))
    assert slow.case_m3h == tuple(sorted(slow.case_m3h))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 4), st.integers(0, 4), st.floats(0.2, 1))
def test_more_open_panels_never_let_less_through(front: int, rear: int, share: float) -> None:
    order = (Panels.DAMPED, Panels.SOLID, Panels.MESH, Panels.OPEN)
    flows = [airflow(with_fans(front, rear, panels=panels), share).case_m3h for panels in order]
    for tight, wide in pairwise(flows):
        assert tight is not None and wide is not None
        assert all(after >= before * (1 - 1e-6) for before, after in zip(tight, wide, strict=True))


def test_unknown_pressures_and_flows_widen_the_band_and_are_named() -> None:
    stated, soft, unrated = (
        airflow(with_fans(2, 1, included_fans=[{"place": "front", "count": 3, **ONE_FAN, **less}]))
        for less in ({}, {"static_pressure_mmh2o": None}, {"static_pressure_mmh2o": None, "airflow_m3h": None})
    )
    widths = [air.through_m3h.width if air.through_m3h else 0.0 for air in (stated, soft, unrated)]
    assert widths == sorted(widths)
    assert widths[0] < widths[1] < widths[2]
    assert (stated.missing, soft.missing, unrated.missing) == ((), ("case.included_fans",), ("case.included_fans",))
    assert (soft.unrated, unrated.unrated) == ((), ("case.included_fans",))


def test_thin_air_keeps_the_flow_lowers_the_pressure_and_carries_less_heat() -> None:
    sea, high = (predict(good_build(), Conditions(altitude_m=height)) for height in (0.0, 3000.0))
    assert high.heat.air.case_m3h == sea.heat.air.case_m3h
    low_pa, sea_pa = (group(prediction.heat.air, FanRole.INTAKE).pressure_pa.expected for prediction in (high, sea))
    assert low_pa == pytest.approx(0.742 * sea_pa, rel=0.01)
    assert high.heat.case_air_c.expected > sea.heat.case_air_c.expected + 1


def test_a_fan_turns_no_slower_than_it_can() -> None:
    lazy = with_line(changed(good_build(), "case", included_fans=[]), part("fan", min_rpm=900), 2)
    turning = group(airflow(lazy, 0.2), FanRole.INTAKE)
    assert turning.rpm.expected == pytest.approx(900)


def test_the_operating_point_stands_in_the_prediction_as_json() -> None:
    stored = json.loads(json.dumps(predict(good_build()).as_dict()["air"]))
    assert stored["case_m3h"]["unit"] == "m³/h"
    assert [row["group"] for row in stored["groups"]] == ["intake", "exhaust"]
    assert {"fans", "flow_m3h", "pressure_pa", "speed_share", "rpm"} <= set(stored["groups"][0])
    assert stored["groups"][0]["pressure_pa"]["unit"] == "Pa"
