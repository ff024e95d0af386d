"""Bands keep their order and remember what they rest on."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.predict.band import Band, independent, total

levels = st.lists(st.floats(0, 1e5), min_size=3, max_size=3).map(sorted)
bands = levels.map(lambda v: Band(v[0], v[1], v[2], "W"))


@given(bands, bands)
def test_a_sum_of_bands_is_a_band_of_the_sums(one: Band, other: Band) -> None:
    both = one + other
    assert both.low <= both.expected <= both.high
    assert both.expected == pytest.approx(one.expected + other.expected)
    assert both.width == pytest.approx(one.width + other.width, abs=1e-6)


@given(bands, levels)
def test_a_scaled_band_stays_in_order(band: Band, factors: list[float]) -> None:
    scaled = band.times(*factors)
    assert scaled.low <= scaled.expected <= scaled.high


def test_a_sum_remembers_assumptions_and_missing_figures_once() -> None:
    one = Band(1, 2, 3, "W", ("warm room",), ("gpu.power_limit_w",))
    assert (one + one).assumptions == ("warm room",)
    assert (one + Band(0, 0, 0, "W", ("cold",))).missing == ("gpu.power_limit_w",)


@pytest.mark.parametrize("figures", [(2, 1, 3), (1, 3, 2), (float("nan"), 1, 2), (1, 2, float("inf"))])
def test_figures_out_of_order_or_not_finite_are_refused(figures: tuple[float, float, float]) -> None:
    with pytest.raises(ValueError, match="not a band"):
        Band(*figures, "W")


def test_watts_and_decibels_do_not_add() -> None:
    with pytest.raises(ValueError, match="cannot add dBA to W"):
        total((Band(1, 1, 1, "dBA"),), "W")


@given(st.lists(bands, max_size=6))
def test_what_errs_each_for_itself_adds_up_to_no_wider_a_band(several: list[Band]) -> None:
    apart, alike = independent(several, "W"), total(several, "W")
    assert apart.expected == alike.expected
    assert alike.low <= apart.low <= apart.expected <= apart.high <= alike.high
    widest = max((band.high - band.expected for band in several), default=0.0)
    assert apart.high - apart.expected >= widest * (1 - 1e-9) - 1e-9 * abs(apart.expected)


def test_independent_distances_add_up_by_their_squares() -> None:
    summed = independent((Band(97, 100, 104, "W", ("a",)), Band(46, 50, 53, "W", missing=("x.y",))), "W")
    assert (summed.low, summed.expected, summed.high) == (145, 150, 155)
    assert (summed.assumptions, summed.missing) == (("a",), ("x.y",))
