"""Temperatures of whole machines: monotone where physics is, and as such machines are known to behave."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.specs import RadiatorSpec
from core.parts.vocabulary import Category, GpuCooling
from core.plan.build import Build
from core.plan.card_edits import PutOnRisers, SetPowerLimit
from core.plan.edits import RemovePart
from core.predict.band import Corner, hot_high, hot_low
from core.predict.conditions import Conditions
from core.predict.power import predict_power
from core.predict.thermal.coolers import at_speed, conductance
from core.predict.thermal.heat import CardHeat, Heat, predict_heat, setting_of
from core.predict.thermal.neighbours import STARVED_FLOW
from core.predict.thermal.steady import CASE_IN_LOOP, settle
from tests.lab.calibrate.benches import machine
from tests.rules.machines import part, with_line
from tests.shipped import templates

USUAL = Conditions()


def heat(build: Build, conditions: Conditions = USUAL) -> Heat:
    return predict_heat(build, conditions, predict_power(build))


def hottest(build: Build, conditions: Conditions = USUAL) -> CardHeat:
    card = heat(build, conditions).hottest
    assert card is not None
    return card


def strain(card: CardHeat) -> float:
    """What a hotter place shows as: degrees, and beyond the target the watts that are taken back."""
    return card.temperature_c.expected + 100 * (1 - card.kept_share)


def test_neighbours_without_a_gap_are_hotter_than_with_one_and_than_alone() -> None:
    near, gap, far = (strain(hottest(machine((1, low)))) for low in (3, 4, 7))
    assert near > gap + 5
    assert gap > far


def test_the_card_whose_fans_are_blocked_is_the_hotter_one() -> None:
    upper, lower = sorted(heat(machine((1, 3))).cards, key=lambda card: card.slot or 0)
    assert strain(upper) > strain(lower)


def test_blowers_side_by_side_suffer_less_than_open_air_cards() -> None:
    blower, open_air = (
        strain(hottest(machine((1, 3), kind))) - strain(hottest(machine((1, 6), kind)))
        for kind in ("blower", "open_air")
    )
    assert 0 < blower < 0.6 * open_air


def test_a_card_on_a_riser_has_no_neighbour() -> None:
    beside = machine((1, 3))
    card = next(line.part.id for line in beside.of(Category.GPU))
    assert strain(hottest(PutOnRisers(card, (3,)).apply(beside))) < strain(hottest(beside))


@settings(deadline=None, max_examples=30)
@given(st.floats(100, 400), st.floats(0, 100), st.floats(15, 35), st.floats(0, 8), st.floats(0, 2500))
def test_more_heat_is_never_cooler(watts: float, more: float, room_c: float, warmer: float, height_m: float) -> None:
    build = machine((1, 3, 6))
    card = next(line.part.id for line in build.of(Category.GPU))
    before = heat(SetPowerLimit(card, watts).apply(build), Conditions(room_c=room_c))
    after = heat(
        SetPowerLimit(card, watts + more).apply(build), Conditions(room_c=room_c + warmer, altitude_m=height_m)
    )
    for cooler, warmer_card in zip(before.cards, after.cards, strict=True):
        assert warmer_card.temperature_c.expected >= cooler.temperature_c.expected - 0.1
        assert warmer_card.kept_share <= cooler.kept_share + 0.002
        assert warmer_card.temperature_c.low <= warmer_card.temperature_c.expected <= warmer_card.temperature_c.high


def test_more_case_fans_never_warm_the_cards() -> None:
    few = heat(with_line(machine((1, 4)), part("fan"), 1)).case_air_c
    many = heat(with_line(machine((1, 4)), part("fan"), 8)).case_air_c
    assert many.expected < few.expected


def test_a_power_limit_cools() -> None:
    build = machine((1, 3))
    card = next(line.part.id for line in build.of(Category.GPU))
    assert strain(hottest(SetPowerLimit(card, 200).apply(build))) < strain(hottest(build)) - 5


def test_a_card_without_a_fan_is_only_predicted_where_a_chassis_blows_through_it() -> None:
    tower = heat(machine((1,), "passive"))
    assert not tower.cards
    assert tower.unknown == ("Test GPU has no fan: its temperature depends on the duct that is built for it.",)
    assert heat(with_line(machine((1,), "passive"), part("case", kind="rack"))).cards


def test_unknown_figures_widen_the_band_and_are_named() -> None:
    stated = hottest(machine((1,), thermal_resistance_k_per_w=0.12))
    unknown = hottest(machine((1,), width_slots=None, cooling=None))
    assert unknown.temperature_c.width > stated.temperature_c.width
    assert {"gpu.width_slots", "gpu.cooling"} <= set(unknown.temperature_c.missing)


def test_four_blowers_side_by_side_lose_some_power_as_the_devbox_did() -> None:
    cards = heat(templates()["digits-devbox"]).cards
    assert all(80 <= card.temperature_c.expected <= 88 for card in cards)
    assert all(0.75 <= card.kept_share <= 1 for card in cards)


def test_open_air_cards_over_each_other_are_starved_and_under_water_they_are_not() -> None:
    worst = hottest(templates()["six-rtx-3090-first-attempt"])
    assert worst.kept_share < 0.6
    quiet = heat(templates()["six-rtx-3090-quiet"])
    assert quiet.coolant_c.high < 55
    assert all(card.kept_share == 1 and card.temperature_c.high < 80 for card in quiet.cards)


def test_the_expected_watts_are_those_of_the_expected_run_where_the_ends_lie_on_one_side() -> None:
    build = templates()["researcher-pc"]
    setting = setting_of(build, USUAL, predict_power(build))
    expected = settle(setting.bodies, setting.air, Corner.EXPECTED).cards
    cards = heat(build).cards
    assert [card.power_w.expected for card in cards] == [state.power_w for state in expected]
    assert [card.temperature_c.expected for card in cards] == [state.chip_c for state in expected]


@pytest.mark.parametrize("case", Corner)
@pytest.mark.parametrize("name", ["dell-dss-8440", "six-rtx-3090-first-attempt", "digits-devbox"])
def test_the_steady_state_is_one(name: str, case: Corner) -> None:
    build = templates()[name]
    setting = setting_of(build, Conditions(room_c=40), predict_power(build))
    settled = settle(setting.bodies, setting.air, case)
    for body, state in zip(setting.bodies, settled.cards, strict=True):
        starved = body.cooler.kind is GpuCooling.BLOWER and body.around.starved
        share = max(state.share, 0.01) * (hot_low(STARVED_FLOW, case) if starved else 1.0)
        resistance = at_speed(hot_high(body.cooler.resistance, case), share)
        assert state.chip_c == pytest.approx(state.inlet_c + resistance * state.power_w, abs=0.15)


@pytest.mark.parametrize("case", Corner)
@pytest.mark.parametrize("fan_share", [0.2, 0.25, 0.3, 0.5, 1.0])
def test_cards_that_share_a_weak_loop_settle_where_heat_and_coolant_agree(fan_share: float, case: Corner) -> None:
    """Six cards that take back power swing the coolant of them all: the steps must not swing with it."""
    build = templates()["six-rtx-3090-quiet"]
    setting = setting_of(build, Conditions(fan_share=fan_share), predict_power(build))
    settled = settle(setting.bodies, setting.air, case)
    conductance = setting.air.loop.conductance
    assert conductance is not None and settled.coolant_c is not None
    watts = sum(state.power_w for state in settled.cards)
    air_c = 25 + CASE_IN_LOOP * (settled.case_c - 25)
    assert settled.coolant_c == pytest.approx(air_c + watts / hot_low(conductance, case), abs=0.3)
    for body, state in zip(setting.bodies, settled.cards, strict=True):
        over = hot_high(body.block, case) * state.power_w
        assert state.chip_c == pytest.approx(settled.coolant_c + over, abs=0.3)
        assert state.chip_c <= hot_high(body.cooler.target_c, case) + 0.3


@pytest.mark.parametrize("room_c", [0.0, 20.0, 40.0, 45.0, 50.0])
def test_ten_cards_held_at_their_target_stand_at_it_and_not_on_the_way_to_it(room_c: float) -> None:
    for card in heat(templates()["dell-dss-8440"], Conditions(room_c=room_c)).cards:
        assert card.temperature_c.high <= 84.5 + 0.1


@pytest.mark.parametrize("name", ["nvidia-dgx-1", "nvidia-dgx-1v"])
def test_modules_warm_the_air_and_are_named_as_not_predicted(name: str) -> None:
    build = templates()[name]
    (line,) = build.of(Category.GPU)
    predicted = heat(build)
    assert not predicted.cards
    assert predicted.unknown == (
        f"{line.part.title} is a module: its temperature depends on the system that it is built into.",
    )
    bare = heat(RemovePart(line.part.id).apply(build))
    assert predicted.case_air_c.expected > bare.case_air_c.expected + 1
    assert predicted.cpu_c.expected > bare.cpu_c.expected


def test_a_card_under_water_without_a_radiator_is_not_predicted() -> None:
    predicted = heat(templates()["nvidia-dgx-station"])
    assert not predicted.cards
    assert predicted.unknown == (
        "NVIDIA Tesla V100 DGXS 32GB is water-cooled: its temperature depends on radiators, and none is known.",
    )


@pytest.mark.parametrize("cooling", ["open_air", "blower"])
def test_thin_air_cools_a_card_less_even_on_an_open_frame(cooling: str) -> None:
    frame = with_line(machine((1,), cooling=cooling), part("case", kind="open_frame"))
    low, high = (hottest(frame, Conditions(altitude_m=height)) for height in (0.0, 3000.0))
    assert strain(high) > strain(low) + 1
    assert high.inlet_c.expected == pytest.approx(low.inlet_c.expected, abs=0.2)


def test_on_an_open_frame_six_cards_warm_the_air_around_them_more_than_one() -> None:
    one, four = (heat(with_line(machine(slots), part("case", kind="open_frame"))) for slots in ((1,), (1, 3, 5, 7)))
    assert 0.5 < one.case_air_c.expected - 25 < 2
    assert four.case_air_c.expected > one.case_air_c.expected + 1


def test_a_geforce_is_held_at_83_degrees_and_a_professional_blower_at_86() -> None:
    """NVIDIA's temperature targets: 83 to 84 C on GeForce."""
    geforce, professional = (
        hottest(machine((1, 3), "blower", product=product, power_limit_w=400)).temperature_c.expected
        for product in ("GeForce GTX 1080", "RTX A6000")
    )
    assert geforce == pytest.approx(83, abs=0.5)
    assert professional == pytest.approx(86, abs=0.5)


def test_a_radiator_without_any_flow_still_gives_heat_off() -> None:
    """Fans that the pressure in the case overcomes deliver nothing: the coolant is hot then, not infinitely so."""
    for flow_m3h in ((0.0, 0.0, 0.0), (0.0, 40.0, 80.0)):
        low, expected, high = conductance(RadiatorSpec(fan_size_mm=120, fan_positions=3), flow_m3h)
        assert 0 < low <= expected <= high
