"""Energy, money and heat; curves over time and over the power limit."""

from itertools import pairwise

import pytest

from core.predict.band import Band
from core.predict.conditions import Conditions
from core.predict.cost import Energy
from core.predict.curves import limited, over_fans, over_limits, over_time
from core.predict.prediction import predict
from tests.rules.machines import changed, good_build, part, with_line

WALL = Band(2000, 2200, 2400, "W")


def test_2200_watts_day_and_night_are_1606_kilowatt_hours_a_month() -> None:
    energy = Energy(WALL, tariff=0.30)
    assert energy.kwh(730).expected == pytest.approx(1606)
    cost = energy.cost(24)
    assert cost.expected == pytest.approx(15.84)
    assert Energy(WALL).cost(24) is None
    assert Energy(WALL).as_dict()["cost"] == {"hour": None, "day": None, "month": None}


def test_2200_watts_warm_a_closed_room_by_fifteen_to_forty_kelvin() -> None:
    rise = Energy(WALL).room_rise_k
    assert 13 < rise.low < 16
    assert 40 < rise.high < 50
    assert Energy(WALL).heat_btu_h.expected == pytest.approx(7506, rel=0.001)
    assert Energy(WALL).cooling_w.expected == pytest.approx(733, rel=0.01)


def test_cards_warm_up_from_the_room_to_their_steady_state() -> None:
    prediction = predict(good_build(), Conditions(room_c=22))
    for curve, card in zip(over_time(prediction, range(0, 241)), prediction.heat.cards, strict=True):
        assert curve.expected_c[0] == pytest.approx(22)
        assert curve.expected_c[-1] == pytest.approx(card.temperature_c.expected, abs=0.1)
        assert all(later >= earlier for earlier, later in pairwise(curve.expected_c))
        assert all(a <= b <= c for a, b, c in zip(curve.low_c, curve.expected_c, curve.high_c, strict=True))


def test_a_lower_limit_draws_less_and_is_never_louder_or_hotter() -> None:
    rows = over_limits(good_build(), Conditions())
    assert [row.share for row in rows] == sorted(row.share for row in rows)
    for lower, higher in pairwise(rows):
        assert lower.wall_w[1] < higher.wall_w[1]
        assert lower.noise_dba[1] <= higher.noise_dba[1] + 0.05
        assert lower.hottest_c[1] <= higher.hottest_c[1] + 0.1


def test_faster_fans_move_more_air_are_louder_and_never_warm_the_machine() -> None:
    build = with_line(
        with_line(changed(good_build(), "gpu", cooling="water_block"), part("radiator"), 2), part("fan"), 6
    )
    rows = over_fans(with_line(build, part("pump")), Conditions())
    assert [row.share for row in rows] == sorted(row.share for row in rows)
    for slow, fast in pairwise(rows):
        assert slow.case_m3h is not None and fast.case_m3h is not None
        assert slow.radiators_m3h is not None and fast.radiators_m3h is not None
        assert slow.coolant_c is not None and fast.coolant_c is not None
        assert slow.hottest_c is not None and fast.hottest_c is not None
        assert fast.case_m3h[1] > slow.case_m3h[1]
        assert fast.radiators_m3h[1] > slow.radiators_m3h[1]
        assert fast.noise_dba[1] >= slow.noise_dba[1]
        assert fast.coolant_c[1] < slow.coolant_c[1]
        assert fast.hottest_c[1] <= slow.hottest_c[1] + 0.1
        assert (fast.kept_share or 0) >= (slow.kept_share or 0) - 0.002
    assert rows[0].as_dict()["share"] == 0.2


def test_a_machine_without_fans_has_no_curve_over_their_speed() -> None:
    assert over_fans(changed(good_build(), "case", kind="open_frame"), Conditions()) == ()


def test_no_card_is_limited_below_what_it_accepts() -> None:
    build = changed(good_build(), "gpu", power_limit_min_w=200)
    assert [line.limit_w for line in limited(build, 0.5).lines if line.part.id == "gpu"] == [200]


def test_cards_of_unknown_limit_stay_as_they_are() -> None:
    build = changed(good_build(), "gpu", power_limit_w=None)
    assert limited(build, 0.5) == build
