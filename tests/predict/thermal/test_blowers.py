"""Blowers side by side: machines that are known to hold their power hold it, with the fan speed that this takes."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.parts.specs import GpuSpec
from core.parts.vocabulary import Category, GpuCooling
from core.plan.build import Build
from core.plan.line import Line
from core.predict.airflow.airflow import CaseAir, airflow
from core.predict.airflow.operating_point import SEA_LEVEL_DENSITY, density
from core.predict.band import Corner
from core.predict.conditions import Conditions
from core.predict.power import predict_power
from core.predict.prediction import predict
from core.predict.thermal.coolers import (
    BLOWER_RESERVE,
    OVER_TARGET_K,
    CoolantLoop,
    at_speed,
    cooler,
    cooler_of,
    fan_share,
    speed_for,
)
from core.predict.thermal.heat import CardHeat, predict_heat
from core.predict.thermal.neighbours import ALONE, Surroundings
from core.predict.thermal.steady import Air, Body, CardState, settle
from tests.shipped import parts_by_id

ROOM = 25.0


def tower(card: str, count: int, limit_w: float | None = None) -> Build:
    """Two-slot cards without a gap on a board of seven slots, in a large tower with four fans of 140 mm."""
    slots = (1, 3, 5, 7)[:count]
    parts = parts_by_id()
    lines = (
        Line(parts[card], count, slots, (), limit_w),
        Line(parts["asus-pro-ws-wrx80e-sage-se-wifi"]),
        Line(parts["amd-threadripper-pro-5975wx"]),
        Line(parts["samsung-32gb-rdimm-3200"], 8),
        Line(parts["phanteks-enthoo-pro-2"]),
        Line(parts["noctua-nh-u14s-tr4-sp3"]),
        Line(parts["noctua-nf-a14-pwm"], 4),
        Line(parts["samsung-990-pro-2tb"]),
        Line(parts["corsair-ax1600i"], 2),
    )
    return Build(name="tower", lines=lines, region="eu-230v-16a")


def cards(build: Build) -> tuple[CardHeat, ...]:
    return predict_heat(build, Conditions(room_c=ROOM), predict_power(build)).cards


HOLD = (
    ("gigabyte-rtx-3090-turbo-24g", 4, None),  # Puget Systems: 350 W each, 1717 W from the wall
    ("gigabyte-rtx-3090-turbo-24g", 4, 280.0),  # Puget Systems: limited, all the more
    ("gigabyte-rtx-3090-turbo-24g", 1, None),
    ("manli-rtx-4090-blower", 4, None),  # 450 W each under gpu-burn
    ("nvidia-rtx-a6000", 4, None),  # sold like that
    ("nvidia-rtx-6000-ada", 2, None),  # a snapshot: 289 and 283 W at 83 C
    ("nvidia-rtx-pro-6000-blackwell-max-q", 4, None),  # sold like that
    ("asus-turbo-gtx-1080-ti-11g", 4, None),
    ("asus-turbo-rtx-2080-ti-11g", 3, None),  # took the place of open-air cards that throttled
)


@pytest.mark.parametrize(("card", "count", "limit_w"), HOLD)
def test_blowers_that_hold_their_power_are_expected_to(card: str, count: int, limit_w: float | None) -> None:
    assert all(card.kept_share >= 0.97 for card in cards(tower(card, count, limit_w)))


def test_two_blowers_without_a_gap_settle_as_two_titan_x_did() -> None:
    """249 W at 86 C with 67 % fan, 225 W at 90 C with 88 %: which of them lacked air is not told."""
    starved, free = cards(tower("nvidia-titan-x-pascal", 2))
    assert starved.power_w.low < 225
    assert starved.power_w.expected == pytest.approx((249 + 225) / 2, rel=0.03)
    assert 0.6 < starved.fan_share.expected < 0.9
    assert free.fan_share.expected < starved.fan_share.expected


def test_the_fans_of_four_450_w_blowers_are_near_their_highest_and_heard() -> None:
    build = tower("manli-rtx-4090-blower", 4)
    heat = cards(build)
    assert all(card.fan_share.expected > 0.7 for card in heat if card.slot != 7)
    assert predict(build).noise_load.expected > 50


def test_open_air_cards_without_a_gap_still_lose_what_was_measured() -> None:
    """Three TITAN RTX: the one in the middle kept 146 of 280 W, the others 226 and 216."""
    top, middle, bottom = cards(tower("nvidia-titan-rtx", 3))
    assert middle.power_w.low < 146 < middle.power_w.high
    assert middle.kept_share < 0.85
    assert middle.kept_share < min(top.kept_share, bottom.kept_share)


def one(limit_w: float, *, starved: bool = False, reserve: float = 1.0, room_c: float = ROOM) -> CardState:
    """A blower by itself in free air, held at 83 C."""
    own = replace(cooler_of(GpuCooling.BLOWER, 2.0, 300.0, target_c=83.0), reserve=(reserve, reserve, reserve))
    around = Surroundings((), starved) if starved else ALONE
    air = Air(room_c, 0.0, CaseAir((1e9, 1e9, 1e9)), CoolantLoop(None), (0.0, 0.0, 0.0))
    return settle([Body(own, (limit_w, limit_w, limit_w), around)], air, Corner.EXPECTED).cards[0]


def test_a_fan_goes_to_its_reserve_before_power_is_taken_back() -> None:
    curve = cooler_of(GpuCooling.BLOWER, 2.0, 300.0).curve
    below, at, beyond = one(250), one(350), one(500)
    assert below.share == pytest.approx(fan_share(curve, below.chip_c), abs=0.01)
    assert (at.power_w, at.chip_c) == (pytest.approx(350, abs=0.5), pytest.approx(83, abs=0.2))
    assert 0.6 < at.share < 1
    assert (beyond.share, beyond.chip_c) == (pytest.approx(1.0, abs=0.01), pytest.approx(83, abs=0.2))
    assert beyond.power_w < 400
    assert BLOWER_RESERVE[1] == 1


@settings(deadline=None, max_examples=40)
@given(st.floats(80, 600), st.floats(0, 150), st.floats(0.6, 1), st.floats(0, 0.4), st.booleans())
def test_more_watts_or_less_air_never_slow_the_fan(
    watts: float, more: float, reserve: float, higher: float, starved: bool
) -> None:
    near = one(watts, starved=starved, reserve=reserve)
    assert one(watts + more, starved=starved, reserve=reserve).share >= near.share - 0.01
    assert one(watts, starved=True, reserve=reserve).share >= near.share - 0.01
    assert one(watts, starved=True, reserve=reserve).power_w <= near.power_w + 0.5
    assert one(watts, starved=starved, reserve=min(1.0, reserve + higher)).power_w >= near.power_w - 0.5


@given(st.floats(0.25, 1), st.floats(0, 2500))
def test_a_speed_is_found_back_from_its_resistance(share: float, height_m: float) -> None:
    if share * density(height_m) / SEA_LEVEL_DENSITY > 0.2:
        assert speed_for(at_speed(1.0, share, height_m), height_m) == pytest.approx(share, rel=0.01)


def test_blowers_carry_air_through_a_case_without_fans() -> None:
    """What they blow out of their brackets comes in through the openings: some 30 m3/h for a card of 300 W."""
    full = tower("nvidia-rtx-a6000", 4)
    bare = full.with_lines(tuple(line for line in full.lines if line.part.id != "noctua-nf-a14-pwm"))
    flows = []
    for count in (0, 2, 4):
        some = tower("nvidia-rtx-a6000", count) if count else full
        lines = tuple(
            line
            for line in some.lines
            if line.part.id != "noctua-nf-a14-pwm" and (count or line.part.category is not Category.GPU)
        )
        case_m3h = airflow(some.with_lines(lines)).case_m3h
        assert case_m3h is not None
        flows.append(case_m3h)
    none, two, four = flows
    assert all(a < b < c for a, b, c in zip(none, two, four, strict=True))
    assert 60 < four[1] - none[1] < 140
    assert all(card.kept_share >= 0.97 for card in cards(bare))


@settings(deadline=None, max_examples=15)
@given(st.integers(1, 4), st.floats(100, 300), st.floats(0, 100))
def test_more_watts_never_cool_a_blower(count: int, watts: float, more: float) -> None:
    """Its exhaust is that of its sold limit: a higher limit brings heat alone."""
    cold, warm = (cards(tower("nvidia-rtx-a6000", count, limit)) for limit in (watts, watts + more))
    for near, far in zip(cold, warm, strict=True):
        assert far.temperature_c.expected >= near.temperature_c.expected - 0.1


@pytest.mark.parametrize(
    ("card", "target_c"),
    [("nvidia-rtx-4090-founders-edition", 83), ("nvidia-rtx-5090-founders-edition", 90), ("nvidia-rtx-a6000", 86)],
)
def test_a_target_follows_the_generation(card: str, target_c: float) -> None:
    spec = parts_by_id()[card].spec
    assert isinstance(spec, GpuSpec)
    assert cooler(spec.model_copy(update={"temperature_target_c": None})).target_c[1] == target_c


def _spec(**changes: object) -> GpuSpec:
    usual = {
        "product": "RTX A5000",
        "cooling": GpuCooling.BLOWER,
        "compute_capability": "8.6",
        "width_slots": 2.0,
        "length_mm": 267.0,
        "power_limit_w": 230.0,
    }
    return GpuSpec.model_validate(usual | changes)


@pytest.mark.parametrize(
    "changes",
    [{"length_mm": 167.0}, {"width_slots": 1.0}, {"product": "GeForce RTX 3070"}, {"compute_capability": "7.5"}],
)
def test_a_full_size_professional_blower_cools_better_than_any_other_of_its_limit(changes: dict[str, object]) -> None:
    assert cooler(_spec()).resistance < cooler(_spec(**changes)).resistance
    largest, other = (cooler(_spec(power_limit_w=300.0, **more)).resistance for more in ({}, changes))
    assert largest == other


def test_a_blower_before_the_rtx_30_series_may_be_held_above_its_target_and_no_later_one() -> None:
    early, later, professional = (
        cooler(_spec(product=product, compute_capability=capability, temperature_target_c=84.0)).target_c
        for product, capability in (
            ("GeForce GTX 1080 Ti", "6.1"),
            ("GeForce RTX 3090", "8.6"),
            ("Quadro P6000", "6.1"),
        )
    )
    assert early == (83.0, 84.0, 85.0 + OVER_TARGET_K)
    assert later == professional == (83.0, 84.0, 85.0)
