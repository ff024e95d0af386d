"""A sustained rate ignores the warm-up and the odd second."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.loads.meter import Meter


def rate_of(*steps: tuple[float, float]) -> float | None:
    meter = Meter()
    for amount, seconds in steps:
        meter.add(amount, seconds)
    return meter.rate()


def test_nothing_measured_is_unknown() -> None:
    assert rate_of() is None
    assert rate_of((5.0, 0.0)) is None


def test_a_run_too_short_for_a_bin_gives_its_mean() -> None:
    assert rate_of((1.0, 0.1), (3.0, 0.1)) == pytest.approx(20.0)


def test_a_fast_or_slow_start_does_not_count() -> None:
    warm = [(100.0, 1.0)] * 20
    assert rate_of(*[(300.0, 1.0)] * 5, *warm) == 100.0
    assert rate_of(*[(1.0, 1.0)] * 5, *warm) == 100.0


def test_one_disturbed_second_does_not_count() -> None:
    assert rate_of(*[(100.0, 1.0)] * 10, (3.0, 1.0), *[(100.0, 1.0)] * 10) == 100.0


@given(rate=st.floats(1e-3, 1e15), steps=st.lists(st.floats(0.01, 3), min_size=1, max_size=200))
def test_a_constant_rate_is_returned_however_it_is_cut(rate: float, steps: list[float]) -> None:
    assert rate_of(*((rate * seconds, seconds) for seconds in steps)) == pytest.approx(rate)
