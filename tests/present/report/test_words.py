"""Figures, times and missing things in words."""

import pytest

from core.predict.band import Band
from core.present.report.formatting import band_text, clock, duration, labelled, plain, stamp, two_lines


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
        ("rate_tflops", ("Rate", "TFLOPS")),
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


@pytest.mark.parametrize(
    ("band", "text"),
    [
        (Band(11.8, 12.5, 19.94, "A"), "12.5 A (11.8 to 19.9)"),
        (Band(11.8, 12.5, 20, "A"), "12 A (12 to 20)"),
        (Band(4.2, 8.7, 15, "%"), "9 % (4 to 15)"),
        (Band(3, 3, 3, ""), "3"),
        (Band(8.5, 8.5, 8.5, "GB"), "8.5 GB"),
        (Band(1, 2.5, 4, ""), "2.5 (1.0 to 4.0)"),
    ],
)
def test_a_band_has_the_decimals_of_its_higher_end(band: Band, text: str) -> None:
    assert band_text(band).replace("\N{NO-BREAK SPACE}", " ") == text


def test_a_heading_breaks_where_its_halves_are_most_alike_and_in_chinese_before_its_unit() -> None:
    headings = ("Used, %", "Apparent power, VA", "From the PSUs, W", "Temperature", "电源输出，W")
    assert [*map(two_lines, headings)] == [
        "Used, %", "Apparent\npower, VA", "From the\nPSUs, W", "Temperature", "电源输出，\nW",
    ]  # fmt: skip
