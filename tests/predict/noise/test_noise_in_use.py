"""Noise at the operating point, in a room, and what would make it less."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.plan.card_edits import SetPowerLimit
from core.platform.errors import BadInput
from core.predict.conditions import Conditions
from core.predict.noise.acoustics import ReferenceBox, absorption_m2, reflected_db
from core.predict.noise.noise import shares
from core.predict.prediction import predict
from tests.rules.machines import changed, good_build, part, with_line


def test_a_power_limit_makes_the_cards_quieter() -> None:
    limited = predict(SetPowerLimit("gpu", 200).apply(good_build()))
    assert limited.noise_load.expected < predict(good_build()).noise_load.expected - 1


@settings(deadline=None, max_examples=25)
@given(st.floats(120, 500), st.floats(0, 100), st.floats(15, 35), st.floats(0, 5))
def test_more_heat_is_never_quieter(watts: float, more: float, room_c: float, warmer: float) -> None:
    cool = predict(SetPowerLimit("gpu", watts).apply(good_build()), Conditions(room_c=room_c))
    hot = predict(SetPowerLimit("gpu", watts + more).apply(good_build()), Conditions(room_c=room_c + warmer))
    assert hot.noise_load.expected >= cool.noise_load.expected - 0.05


def test_a_level_measured_at_a_known_speed_is_taken_from_there() -> None:
    points = [{"condition": "load", "level_dba": 42, "rpm": 1200}]
    slow, fast = (
        predict(changed(good_build(), "gpu", noise=points, fan_max_rpm=limit)).noise_load for limit in (1500, 4800)
    )
    assert slow.expected < fast.expected, "1200 of 4800 rpm is far below what these cards need"


def test_a_small_room_throws_back_ten_decibels() -> None:
    """ISO 3744-type correction of a tower at 1 m: 12, 10, 8 and 6 dB for 5, 10, 15 and 30 m2."""
    box = ReferenceBox(0.25, 0.55, 0.55)
    for absorption, added in ((5, 12), (10, 10), (15, 8), (30, 6)):
        assert reflected_db(box, 1.0, absorption) == pytest.approx(added, abs=0.6)
    assert absorption_m2(40, 0.5) == pytest.approx(12.9, abs=0.1)


def test_the_level_in_the_room_rises_with_a_smaller_room_and_stays_without_one() -> None:
    free, hall, closet = (
        predict(good_build(), Conditions(room_volume_m3=volume)).noise_load_in_room for volume in (None, 300, 20)
    )
    assert free.expected < hall.expected < closet.expected
    with pytest.raises(BadInput, match="outside 5 to 100000 m³"):
        Conditions(room_volume_m3=1)


def test_the_shares_of_all_sources_sum_up_to_one() -> None:
    prediction = predict(good_build())
    assert sum(shares(prediction.sources)) == pytest.approx(1)
    assert [row["share"] for row in prediction.as_dict()["noise_sources"]] == sorted(
        (row["share"] for row in prediction.as_dict()["noise_sources"]), reverse=True
    )


def test_the_loudest_source_is_what_to_change_first() -> None:
    prediction = predict(good_build())
    assert prediction.quieter[0].startswith(prediction.sources[0].title)


def test_tones_are_named_and_not_added_to_the_level() -> None:
    small = part("fan", size_mm=80, points=[{"rpm": 6000, "level_dba": 40}])
    risks = predict(with_line(with_line(good_build(), small, 2), part("pump"))).tonal_risks
    assert any("whistles" in risk for risk in risks), "the cards are blowers"
    assert any("whine" in risk for risk in risks)
    assert any("beat" in risk for risk in risks)
    assert any("hums" in risk for risk in risks)


@pytest.mark.parametrize("share", [0.2, 0.3, 0.45, 0.7, 1.0])
def test_fans_that_are_set_to_be_slow_are_no_faster_idle_and_the_sentence_says_so(share: float) -> None:
    prediction = predict(good_build(), Conditions(fan_share=share))
    for source in prediction.sources:
        if "fan" in source.part_id:
            assert source.idle.expected <= source.load.expected
            assert source.idle.high <= source.load.high
    assert (
        f"Fans: 30 to 50 % of their highest speed at idle, {100 * share:.0f} % in training." in prediction.assumptions
    )


@pytest.mark.parametrize("tariff", [float("nan"), float("inf"), -0.1])
def test_a_tariff_that_is_no_price_is_refused(tariff: float) -> None:
    with pytest.raises(BadInput, match="Give the price of one kWh"):
        Conditions(tariff_per_kwh=tariff)
