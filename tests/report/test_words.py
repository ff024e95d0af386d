"""Figures, times and missing things in words."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.report.formatting import clock, duration, labelled, number, plain, quantity, stamp


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (0.123456, "0.123"),
        (1.5, "1.5"),
        (12.34, "12.3"),
        (99.99, "100"),
        (1695, "1695"),
        (12_346, "12\u202f346"),
    ],
)
def test_a_figure_has_three_significant_digits_and_no_tail(value: float, text: str) -> None:
    assert number(value) == text


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [(2.6, 3, "2.600"), (24576, 0, "24\u202f576"), (99.96, 1, "100.0"), (-0.5, 1, "-0.5")],
)
def test_a_metric_keeps_its_own_decimals(value: float, decimals: int, text: str) -> None:
    assert number(value, decimals) == text


@given(st.floats(min_value=1e-6, max_value=1e12))
def test_rounding_for_people_changes_less_than_one_per_cent(value: float) -> None:
    assert float(number(value).replace("\u202f", "")) == pytest.approx(value, rel=0.01)


def test_a_missing_figure_is_a_word_and_never_zero() -> None:
    assert quantity(None, "W") == "unknown"
    assert quantity(math.nan, "W", missing="not measured") == "not measured"
    assert quantity(0.0, "W") == "0\N{NO-BREAK SPACE}W"


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [(1, "slots", "1 slot"), (0, "slots", "0 slots"), (1, "PSUs", "1 PSU"), (1, "GB/s", "1 GB/s"), (1, "s", "1 s")],
)
def test_one_thing_is_not_many(value: float, unit: str, text: str) -> None:
    assert quantity(value, unit).replace("\N{NO-BREAK SPACE}", " ") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, "unknown"),
        (0, "0 s"),
        (0.5, "0.5 s"),
        (26, "26 s"),
        (60, "1 min"),
        (250, "4 min 10 s"),
        (86_399, "23 h 59 min"),
    ],
)
def test_durations_use_the_units_that_fit(seconds: float | None, text: str) -> None:
    assert duration(seconds) == text


def test_times_of_a_run_count_hours_beyond_a_day() -> None:
    assert clock(90_061.9) == "25:01:01"


def test_stamps_say_that_they_are_utc() -> None:
    assert stamp("2026-01-02T03:04:05.678+00:00") == "2026-01-02 03:04:05 UTC"
    assert stamp(None) == "unknown"


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("first_c", ("First", "°C")),
        ("rate_tflops", ("Rate", "TFLOP/s")),
        ("verification_pct", ("Verification", "%")),
        ("first_loss", ("First loss", "")),
        ("checks", ("Checks", "")),
    ],
)
def test_the_unit_is_read_from_the_name(name: str, words: tuple[str, str]) -> None:
    assert labelled(name) == words


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "unknown"),
        (True, "yes"),
        (3, "3"),
        (2.5, "2.5"),
        ([], "none"),
        (["a", 1], "a, 1"),
        ({"k": False}, "k no"),
    ],
)
def test_recorded_values_are_written_for_people(value: object, text: str) -> None:
    assert plain(value) == text
