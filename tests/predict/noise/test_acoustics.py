"""The laws of sound, against measured cases and as properties."""

from math import log10

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.predict.band import Band
from core.predict.noise.acoustics import (
    SILENT_DBA,
    ReferenceBox,
    Shift,
    energy_sum,
    identical,
    shifted,
    speed_shift,
    sum_bands,
    to_listener,
    to_one_metre,
    with_background,
    words,
)

audible = st.floats(5, 100)


def steady(level: float) -> Band:
    return Band(level, level, level, "dBA")


@pytest.mark.parametrize(
    ("singles", "together"),
    [((26.5, 26.5, 25), 31), ((22.5, 23, 19.5), 26), ((17.5, 19, 15), 21), ((21.5, 25), 26.5), ((17, 20), 21.5)],
)
def test_fans_measured_alone_sum_to_what_was_measured_together(singles: tuple[float, ...], together: float) -> None:
    """Silent PC Review, SilverStone FT03 and Fractal Define Mini at 1 m; within 1.2 dB down to 17 dBA."""
    assert energy_sum(singles) == pytest.approx(together, abs=1.3)


@pytest.mark.parametrize(
    ("levels", "total"), [((86, 86), 89), ((40, 34), 41), ((30, 20), 30.4), ((26.5, 26.5, 25), 30.8), ((), SILENT_DBA)]
)
def test_textbook_sums(levels: tuple[float, ...], total: float) -> None:
    assert energy_sum(levels) == pytest.approx(total, abs=0.05)


@given(st.lists(audible, max_size=8), st.floats(0, 100))
def test_another_source_never_makes_it_quieter(levels: list[float], more: float) -> None:
    assert energy_sum([*levels, more]) >= energy_sum(levels)


@given(audible, st.integers(1, 64))
def test_n_identical_sources_add_ten_log_n(level: float, count: int) -> None:
    assert identical(steady(level), count).expected == pytest.approx(level + 10 * log10(count))


@given(st.lists(audible, min_size=1, max_size=8))
def test_the_sum_is_at_least_the_loudest(levels: list[float]) -> None:
    assert energy_sum(levels) >= max(levels) - 1e-9


def test_silent_sources_stay_silent_in_any_number() -> None:
    assert sum_bands([steady(SILENT_DBA)] * 50).high == SILENT_DBA
    assert energy_sum([20, SILENT_DBA]) == pytest.approx(20)


@pytest.mark.parametrize(("distance_m", "drop_db"), [(0.5, 8.9), (1.0, 13.1), (2.0, 18.1)])
def test_a_mid_tower_radiates_through_the_box_surface_of_iso_3744(distance_m: float, drop_db: float) -> None:
    assert 10 * log10(ReferenceBox().surface_m2(distance_m)) == pytest.approx(drop_db, abs=0.05)


def test_a_reading_at_30_cm_falls_by_8_db_to_a_metre() -> None:
    assert to_one_metre(40, 0.3) == pytest.approx(32, abs=0.05)
    assert to_one_metre(40, 2) == pytest.approx(46, abs=0.05)
    assert to_one_metre(40, 1) == 40


@given(st.floats(0.1, 19), st.floats(0.01, 1))
def test_farther_away_is_quieter(distance_m: float, more_m: float) -> None:
    assert to_listener(distance_m + more_m, ReferenceBox()) < to_listener(distance_m, ReferenceBox())


def test_a_fifth_less_speed_is_about_5_db_less() -> None:
    assert speed_shift(0.8, 55) == pytest.approx(-5.3, abs=0.05)
    assert speed_shift(0.1, 55) == speed_shift(0.4, 55)


@given(st.floats(10, 60), st.lists(st.floats(-3, 3), min_size=1, max_size=4))
def test_shifts_add_and_uncertainties_add_in_squares(level: float, centres: list[float]) -> None:
    shifts = [Shift(centre - 1, centre, centre + 1) for centre in centres]
    band = shifted(steady(level), shifts, floor=-100)
    assert band.expected == pytest.approx(level + sum(centres))
    assert band.high - band.expected == pytest.approx(len(shifts) ** 0.5)


def test_a_running_fan_has_a_floor_and_a_stopped_one_has_none() -> None:
    quieter = [Shift(-20, -20, -20)]
    assert shifted(steady(15), quieter).low == 8
    assert shifted(steady(SILENT_DBA), quieter).high == SILENT_DBA


def test_the_room_adds_to_the_machine() -> None:
    assert with_background(steady(28), 28).expected == pytest.approx(31, abs=0.05)
    assert with_background(steady(18), 28).expected == pytest.approx(28.4, abs=0.05)


@pytest.mark.parametrize(
    ("level", "word"),
    [(15, "silent"), (22, "silent"), (25, "very quiet"), (34, "quiet"), (38, "audible"), (48, "loud"), (49, "server")],
)
def test_levels_have_words(level: float, word: str) -> None:
    assert words(level) == word
