"""Power: sums, efficiency against published points, and monotone behaviour."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.specs import PsuSpec
from core.parts.vocabulary import Category, EfficiencyLevel
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.plan.edits import SetDetails
from core.plan.line import Line
from core.plan.mains import BY_ID
from core.predict.band import Band
from core.predict.conditions import LoadCase
from core.predict.power import predict_power, psu_load
from core.predict.psu import EIGHTY_PLUS, power_factor, wall_power
from tests.rules.machines import SPECS, good_build, part, with_line, without

LEVELS = [level.value for level in EfficiencyLevel]


def psu(**changes: Any) -> tuple[Line, PsuSpec]:
    made = part("psu", **changes)
    assert isinstance(made.spec, PsuSpec)
    return Line(made), made.spec


def wall(dc_w: float, mains_v: float = 115, **changes: Any) -> Band:
    return wall_power((psu(**changes),), Band(dc_w, dc_w, dc_w, "W"), mains_v)


@pytest.mark.parametrize("high_line", [False, True])
@pytest.mark.parametrize("level", LEVELS)
def test_certified_points_lie_within_the_band_of_their_level(level: str, high_line: bool) -> None:
    for load_pct, percent in EIGHTY_PLUS[high_line][EfficiencyLevel(level)]:
        dc = 10 * load_pct
        band = wall(dc, 230 if high_line else 115, power_w=1000, efficiency_level=level)
        assert band.low < dc / (percent / 100) <= band.high


def test_gold_at_115_v_and_half_load_takes_the_published_ninety_per_cent() -> None:
    assert wall(500, power_w=1000, efficiency_level="gold").expected == pytest.approx(500 / 0.907, rel=0.001)


@pytest.mark.parametrize(("dc_w", "percent"), [(20, 68.4), (40, 81.0), (60, 84.3), (80, 86.7)])
def test_the_low_load_points_measured_on_an_850_w_psu_lie_within_the_band(dc_w: float, percent: float) -> None:
    """Corsair HX850 at 20 to 80 W."""
    band = wall(dc_w, power_w=850, efficiency_level="gold")
    assert band.low <= dc_w / (percent / 100) <= band.high


def test_own_points_count_more_than_the_level() -> None:
    points = [{"load_pct": pct, "efficiency_pct": eff, "input_v": 115} for pct, eff in ((20, 92), (50, 94), (100, 91))]
    band = wall(500, power_w=1000, efficiency_level="bronze", efficiency=points)
    assert band.expected == pytest.approx(500 / 0.94, rel=0.001)


def test_points_at_115_v_are_taken_to_230_v_with_a_wider_band() -> None:
    points = [{"load_pct": pct, "efficiency_pct": eff, "input_v": 115} for pct, eff in ((20, 92), (50, 94), (100, 91))]
    own, other = (wall(500, volts, power_w=1000, efficiency=points) for volts in (115, 230))
    assert other.expected < own.expected
    assert other.width > own.width


@given(st.floats(1, 1100), st.sampled_from([*LEVELS, None]), st.sampled_from([115, 230]))
def test_the_wall_gives_more_than_the_parts_take_and_bands_are_in_order(
    dc_w: float, level: str | None, mains_v: float
) -> None:
    band = wall(dc_w, mains_v, power_w=1000, efficiency_level=level)
    assert dc_w < band.low <= band.expected <= band.high


@given(st.floats(1, 1500), st.floats(0.1, 500), st.sampled_from(LEVELS))
def test_more_load_never_takes_less_from_the_wall(dc_w: float, more_w: float, level: str) -> None:
    less, more = wall(dc_w, power_w=1000, efficiency_level=level), wall(dc_w + more_w, power_w=1000)
    same = wall(dc_w + more_w, power_w=1000, efficiency_level=level)
    assert less.low < same.low and less.expected < same.expected and less.high < same.high
    assert more.unit == "W"


@given(st.floats(50, 2000))
def test_two_equal_psus_lose_what_one_of_twice_the_size_loses(dc_w: float) -> None:
    pair = wall_power(((Line(part("psu", power_w=1000), 2), psu(power_w=1000)[1]),), Band(dc_w, dc_w, dc_w, "W"), 115)
    assert pair.expected == pytest.approx(wall(dc_w, power_w=2000).expected)


@pytest.mark.parametrize(
    ("region", "watts"),
    [
        ("us-120v-15a", 1440),
        ("us-120v-20a", 1920),
        ("us-208v-20a", 3328),
        ("eu-230v-16a", 3680),
        ("uk-230v-13a", 2990),
        ("cn-220v-10a", 2200),
        ("cn-220v-16a", 3520),
    ],
)
def test_circuits_carry_what_is_published(region: str, watts: float) -> None:
    assert BY_ID[region].continuous_w == pytest.approx(watts)


def test_an_unknown_level_is_named_and_widens_the_band() -> None:
    stated, unknown = wall(800, power_w=1000), wall(800, power_w=1000, efficiency_level=None)
    assert unknown.width > stated.width
    assert unknown.missing == ("psu.efficiency_level",)


def test_a_build_without_a_psu_still_has_a_band_and_says_why() -> None:
    power = predict_power(without(good_build(), Category.PSU))
    assert any("No PSU" in text for text in power.wall_w[LoadCase.TRAINING].assumptions)
    assert power.wall_w[LoadCase.TRAINING].low > power.dc_w[LoadCase.TRAINING].low


def test_loads_are_ordered_and_components_add_up() -> None:
    power = predict_power(good_build())
    idle, training, all_core, everything = (power.wall_w[load].expected for load in LoadCase)
    assert idle < training < everything
    assert idle < all_core < everything
    parts = sum(component.dc_w[LoadCase.TRAINING].expected for component in power.components)
    assert power.dc_w[LoadCase.TRAINING].expected == pytest.approx(parts)


def test_no_limit_holds_a_card_below_what_it_draws_when_idle() -> None:
    power = predict_power(SetPowerLimit("gpu", 1.0).apply(good_build()))
    assert power.dc_w[LoadCase.EVERYTHING].expected >= power.dc_w[LoadCase.ALL_CORE].expected


def test_four_300_w_cards_train_at_97_per_cent_of_their_limits() -> None:
    gpus = next(component for component in predict_power(good_build()).components if component.part_id == "gpu")
    assert gpus.dc_w[LoadCase.TRAINING].expected == pytest.approx(4 * 300 * 0.97)


def test_current_is_apparent_power_over_voltage() -> None:
    power = predict_power(SetDetails(region="us-120v-15a").apply(good_build()))
    band = power.apparent_va[LoadCase.TRAINING]
    assert power.current_a[LoadCase.TRAINING].expected == pytest.approx(band.expected / 120)
    assert 0.95 <= power.wall_w[LoadCase.TRAINING].expected / band.expected <= 0.99


FIELDS = [
    ("gpu", "power_limit_w"),
    ("gpu", "idle_power_w"),
    ("cpu", "sustained_power_w"),
    ("cpu", "idle_power_w"),
    ("motherboard", "idle_power_w"),
    ("motherboard", "load_power_w"),
    ("ram", "module_power_w"),
    ("ram", "modules"),
    ("storage", "active_power_w"),
    ("storage", "idle_power_w"),
    ("psu", "efficiency_level"),
    ("psu", "power_w"),
    ("case", "included_fans"),
    ("cpu_cooler", "fan_power_w"),
    ("cpu_cooler", "fan_count"),
]


def test_a_missing_figure_widens_the_band_and_is_named() -> None:
    stated = predict_power(good_build()).wall_w
    for category, field in FIELDS:
        bands = predict_power(with_line(good_build(), part(category, **{field: None}))).wall_w
        assert all(bands[load].width >= stated[load].width for load in LoadCase), (category, field)
        figures = {figure for load in LoadCase for figure in bands[load].missing}
        assert f"{category.replace('_', '-')}.{field}" in figures


@given(st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(random: Any) -> None:
    build = good_build()
    lines = list(build.lines)
    random.shuffle(lines)
    shuffled, usual = predict_power(build.with_lines(tuple(lines))), predict_power(build)
    assert (shuffled.components, shuffled.wall_w, shuffled.current_a) == (
        usual.components,
        usual.wall_w,
        usual.current_a,
    )


@given(st.sampled_from(sorted(set(SPECS) - {"motherboard", "case", "psu"})))
def test_one_more_part_never_draws_less(category: str) -> None:
    build = good_build()
    more = with_line(build, part(category, suffix="-more"))
    for load in LoadCase:
        before, after = predict_power(build).dc_w[load], predict_power(more).dc_w[load]
        assert after.expected >= before.expected
        assert after.high >= before.high


def test_an_empty_build_draws_nothing_from_its_parts() -> None:
    assert predict_power(Build()).dc_w[LoadCase.EVERYTHING].high == 0


@given(st.floats(0.001, 1.2), st.floats(0, 0.2))
def test_more_load_never_takes_less_current_and_the_power_factor_has_no_step(share: float, more: float) -> None:
    one, other = (predicted_va(value) for value in (share, share + more))
    for before, after in zip(one, other, strict=True):
        assert before <= after + 1e-9
    close = power_factor(share + 1e-6)
    assert all(abs(a - b) < 1e-4 for a, b in zip(power_factor(share), close, strict=True))


def predicted_va(share: float) -> tuple[float, ...]:
    band, factors = wall(850 * share, power_w=850, efficiency_level="gold"), power_factor(share)
    return tuple(
        watts / factor for watts, factor in zip((band.low, band.expected, band.high), factors[::-1], strict=True)
    )


@given(st.floats(100, 590), st.floats(1, 200))
def test_a_higher_limit_of_one_card_never_lowers_the_psu_load(limit_w: float, more_w: float) -> None:
    loads = []
    for watts in (limit_w, limit_w + more_w):
        build = SetPowerLimit("gpu", watts).apply(good_build())
        load = psu_load(build, predict_power(build))
        assert load is not None
        loads.append(load)
    assert loads[0].training_share <= loads[1].training_share
    assert loads[0].worst_share <= loads[1].worst_share
    assert loads[0].training_share <= loads[0].worst_share
