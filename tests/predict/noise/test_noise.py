"""Noise of a whole machine: sources, bands, and what is missing."""

from itertools import pairwise
from math import log10
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.parts.specs import NoisePoint
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.card_edits import SetPowerLimit
from core.platform.errors import BadInput
from core.predict.conditions import Conditions, LoadCase
from core.predict.noise.sources import fan_level, level_at, point_level, psu_levels
from core.predict.prediction import Prediction, predict
from tests.rules.machines import SPECS, changed, good_build, part, with_line, without

CURVE = [(900.0, 14.0), (1500.0, 25.0)]
SOURCES = ("gpu", "fan", "pump", "cpu_cooler", "storage")


def with_fans(count: int) -> Build:
    return with_line(good_build(), part("fan"), count)


def source(prediction: Prediction, part_id: str) -> Any:
    return next(row for row in prediction.sources if row.part_id == part_id)


@pytest.mark.parametrize(("rpm", "level"), [(900, 14), (1500, 25), (3000, 25 + 55 * 0.30103), (100, 8)])
def test_fan_levels_pass_through_published_points_and_stop_at_the_floor(rpm: float, level: float) -> None:
    assert level_at(CURVE, rpm) == pytest.approx(level, abs=0.01)


@given(st.floats(200, 4000), st.floats(0, 1000))
def test_a_faster_fan_is_never_quieter(rpm: float, more: float) -> None:
    assert level_at(CURVE, rpm + more) >= level_at(CURVE, rpm) - 1e-9


@pytest.mark.parametrize(
    ("rpm", "level", "slower_rpm", "slower_level"),
    [(1500, 24.6, 1200, 19.2), (1500, 24.8, 1250, 19.7), (1500, 24.8, 800, 11.4), (3000, 41.3, 2000, 31.5)],
)
def test_slower_siblings_in_the_catalogue_are_predicted_from_the_fastest(
    rpm: float, level: float, slower_rpm: float, slower_level: float
) -> None:
    """Noctua NF-A14 PWM and FLX, NF-A14x25 G2 with adapter and LS, industrialPPC; the law scatters by 2.2 dB rms."""
    assert level_at([(rpm, level)], slower_rpm) == pytest.approx(slower_level, abs=2.2)


def test_a_fan_keeps_its_least_speed() -> None:
    assert fan_level(CURVE, LoadCase.IDLE, min_rpm=900).expected == pytest.approx(14)


def test_a_maximum_is_taken_down_to_three_quarters_speed_in_training() -> None:
    points = [NoisePoint(condition="maximum", level_dba=40)]
    band = point_level(points, LoadCase.TRAINING, 60)
    assert band.expected == pytest.approx(40 - 7.5, abs=0.05)


def test_training_is_louder_than_idle() -> None:
    prediction = predict(good_build())
    assert prediction.noise_load.expected > prediction.noise_idle.expected
    assert prediction.noise_load_in_room.expected > prediction.noise_load.expected


@pytest.mark.parametrize(
    ("card", "case", "excludes"),
    [
        ({"cooling": "passive"}, {"kind": "tower"}, True),
        ({"cooling": "passive"}, {"kind": "rack"}, False),
        ({"cooling": None, "form": "sxm"}, {"kind": "tower"}, True),
        ({"cooling": "open_air"}, {"kind": "tower"}, False),
        ({"cooling": "water_block"}, {"kind": "tower"}, False),
    ],
)
def test_a_silent_card_that_needs_the_fans_of_others_is_not_called_silent(
    card: dict[str, Any], case: dict[str, Any], excludes: bool
) -> None:
    build = changed(changed(without(good_build(), Category.GPU), "case", **case), "gpu", **card)
    assert any("has no fan: the noise excludes" in sentence for sentence in predict(build).assumptions) is excludes


@pytest.mark.parametrize(("share", "most_lw_dba"), [(0.4, 40), (0.6, 52), (1.0, 65)])
def test_redundant_modules_are_as_loud_as_their_specifications_let_them_be(share: float, most_lw_dba: float) -> None:
    """Intel SC5650 TPS, table 25: declared sound power of a module by load. A quiet PSU for the desk stays below."""
    module, desk = (part("psu", redundant=redundant, noise=[], fan_stop_below_pct=None) for redundant in (True, False))
    level, quiet = (
        psu_levels(psu, psu.spec, {LoadCase.IDLE: share, LoadCase.TRAINING: share})[LoadCase.TRAINING]
        for psu in (module, desk)
    )
    assert level.low < most_lw_dba - 11 < level.high
    assert level.expected < most_lw_dba - 11
    assert level.expected > quiet.expected


@pytest.mark.parametrize("volume_m3", [None, 40.0, 300.0])
def test_the_machine_is_never_louder_from_further_away(volume_m3: float | None) -> None:
    """The floor of a running fan is that at 1 m: it falls with the distance like everything else."""
    build = changed(good_build(), "gpu", noise=[])
    heard = [predict(build, Conditions(distance_m=m, room_volume_m3=volume_m3)) for m in (0.1, 0.5, 1, 3, 8, 20)]
    for near, far in pairwise(heard):
        for level in ("noise_idle", "noise_load", "noise_idle_in_room", "noise_load_in_room"):
            before, after = getattr(near, level), getattr(far, level)
            assert after.low <= before.low + 1e-9, level
            assert after.expected <= before.expected + 1e-9, level
            assert after.high <= before.high + 1e-9, level


@pytest.mark.parametrize("category", SOURCES)
def test_one_more_source_never_makes_the_machine_quieter(category: str) -> None:
    """A case fan more cools the cards, whose fans may then turn more slowly: only idle is sure to be louder."""
    before = predict(good_build())
    after = predict(with_line(good_build(), part(category, suffix="-more")))
    pairs = ((before.noise_idle, after.noise_idle), (before.noise_load, after.noise_load))
    for one, other in pairs[: 1 if category == "fan" else 2]:
        assert other.low >= one.low - 1e-9 and other.expected >= one.expected - 1e-9 and other.high >= one.high - 1e-9


@given(st.integers(1, 60))
def test_n_fans_are_ten_log_n_louder_than_one(count: int) -> None:
    one, many = (source(predict(with_fans(n)), "fan") for n in (1, count))
    expected = 10 * log10(count)
    assert many.load.expected - one.load.expected == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize(
    ("category", "field"),
    [("gpu", "noise"), ("psu", "noise"), ("cpu_cooler", "noise"), ("case", "included_fans"), ("case", "panels")],
)
def test_a_missing_noise_figure_is_named_and_widens_the_band(category: str, field: str) -> None:
    empty = () if field == "noise" else None
    stated, unknown = predict(good_build()), predict(changed(good_build(), category, **{field: empty}))
    assert f"{category.replace('_', '-')}.{field}" in unknown.missing
    if field != "included_fans":  # known fans also cool, so that the cards' own noise differs
        assert unknown.noise_load.width >= stated.noise_load.width - 1e-9
    assert unknown.noise_idle.width >= stated.noise_idle.width - 1e-9


@pytest.mark.parametrize("cooling", ["water_block", "passive"])
def test_a_card_without_fans_is_no_source(cooling: str) -> None:
    build = with_line(changed(good_build(), "gpu", cooling=cooling, noise=()), part("radiator"))
    assert all(row.part_id != "gpu" for row in predict(build).sources)


def test_water_blocks_silence_the_cards_that_they_fit() -> None:
    blocked = with_line(good_build(), part("water_block"), 3)
    assert source(predict(blocked), "gpu").count == 1
    assert predict(blocked).noise_load.expected < predict(good_build()).noise_load.expected


def test_fans_that_stop_are_silent_at_idle() -> None:
    build = changed(good_build(), "gpu", fan_stop=True, noise=[{"condition": "load", "level_dba": 40}])
    assert source(predict(build), "gpu").idle.expected == 0


def test_a_psu_below_its_threshold_is_silent() -> None:
    build = changed(good_build(), "psu", fan_stop_below_pct=95)
    assert source(predict(build), "psu").load.expected == 0


SPEEDS = [{"load_w": 400, "rpm": 0}, {"load_w": 800, "rpm": 600}, {"load_w": 1200, "rpm": 1000}]


@pytest.mark.parametrize(
    ("output_w", "level_dba"),
    [(400, 0.0), (600, 8.0), (800, 23 - 13.3), (1000, 23 - 5.8), (1200, 23), (1400, 23 + 4.8)],
)
def test_a_psu_is_as_loud_as_its_fan_is_fast_at_that_output(output_w: float, level_dba: float) -> None:
    build = changed(good_build(), "psu", power_w=1600, noise=(), fan_stop_below_pct=None, fan_speeds=SPEEDS)
    [(line, spec)] = build.psus()
    level = psu_levels(line.part, spec, {LoadCase.IDLE: 0.0, LoadCase.TRAINING: output_w / 1600})
    assert level[LoadCase.IDLE].high == 0
    assert level[LoadCase.TRAINING].expected == pytest.approx(level_dba, abs=0.1)
    assert level[LoadCase.TRAINING].missing == ("psu.noise",)


def test_a_damped_case_is_quieter_than_an_open_one() -> None:
    """Where the cards have fan speed to spare: hot ones turn faster in a damped case and may be louder."""
    cool = SetPowerLimit("gpu", 150).apply(good_build())
    levels = [predict(changed(cool, "case", panels=p)).noise_load.expected for p in ("damped", "solid", "open")]
    assert levels == sorted(levels)


@given(st.floats(0.2, 10), st.floats(0.1, 5))
def test_the_machine_is_quieter_farther_away(distance_m: float, more_m: float) -> None:
    near, far = (predict(good_build(), Conditions(distance_m=d)) for d in (distance_m, distance_m + more_m))
    assert far.noise_load.expected <= near.noise_load.expected


@given(st.randoms(use_true_random=False))
def test_the_order_of_lines_does_not_matter(random: Any) -> None:
    build = with_fans(3)
    lines = list(build.lines)
    random.shuffle(lines)
    assert predict(build.with_lines(tuple(lines))).as_dict() == predict(build).as_dict()


@given(st.sets(st.sampled_from([(c, f) for c in SPECS for f in SPECS[c] if f not in ("product",)]), max_size=5))
def test_bands_are_in_order_whatever_is_unknown(unknown: set[tuple[str, str]]) -> None:
    build = with_line(with_fans(2), part("pump"))
    for category, field in unknown:
        line = build.line(category.replace("_", "-"))
        if line is None:
            continue
        default = type(line.part.spec).model_fields[field].default
        spec = line.part.spec.model_copy(update={field: default})
        build = with_line(build, line.part.model_copy(update={"spec": spec}))
    prediction = predict(build)
    for band in (prediction.noise_idle, prediction.noise_load, *prediction.wall_w.values()):
        assert 0 <= band.low <= band.expected <= band.high


def test_an_empty_build_is_silent() -> None:
    assert predict(Build()).noise_load.high == 0


@pytest.mark.parametrize("fields", [{"distance_m": 0}, {"background_dba": 120}])
def test_impossible_conditions_are_refused_in_words(fields: dict[str, float]) -> None:
    with pytest.raises(BadInput):
        Conditions(**fields)


def test_fins_without_a_fan_make_no_noise() -> None:
    silent, fan = (predict(changed(good_build(), "cpu_cooler", fan_count=count, noise=())).sources for count in (0, 1))
    assert "cpu-cooler" not in {source.part_id for source in silent}
    assert "cpu-cooler" in {source.part_id for source in fan}
