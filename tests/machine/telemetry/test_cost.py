"""Measuring knows what it costs, slows down for a slow driver and no further than readings stay fresh."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.machine.telemetry.sampler import SLOWEST_INTERVAL_S, Cost, Pace


def after(pace: Pace, *lengths_s: float) -> float:
    for length_s in lengths_s:
        pace.note(length_s)
    return pace.interval_s


def test_three_long_ticks_in_a_row_halve_the_rate_and_one_does_not() -> None:
    assert after(Pace(1.0), 0.9, 0.9, 0.1, 0.9, 0.9) == 1.0
    assert after(Pace(1.0), 0.6, 0.6, 0.6) == 2.0


def test_the_rate_comes_back_after_a_while_of_short_ticks() -> None:
    pace = Pace(0.5)
    assert after(pace, *[0.4] * 3) == 1.0
    assert after(pace, *[0.05] * 29) == 1.0
    assert after(pace, 0.05) == 0.5


@given(st.floats(0.1, 60), st.lists(st.floats(0, 120), max_size=60))
def test_the_interval_is_never_shorter_than_chosen_nor_too_long_by_itself(
    chosen_s: float, lengths_s: list[float]
) -> None:
    pace = Pace(chosen_s)
    for length_s in lengths_s:
        before = pace.interval_s
        assert pace.note(length_s) == (pace.interval_s != before)
        assert chosen_s <= pace.interval_s <= max(chosen_s, SLOWEST_INTERVAL_S)


def test_the_cost_is_reported_in_quantiles_and_per_cent_of_a_core(monkeypatch: pytest.MonkeyPatch) -> None:
    now, used = [0.0], [0.0]
    monkeypatch.setattr("core.machine.telemetry.sampler.time.monotonic", lambda: now[0])
    monkeypatch.setattr("core.machine.telemetry.sampler.time.process_time", lambda: used[0])
    cost = Cost()
    for tick in range(100):
        now[0] += 1.0
        used[0] += 0.02
        assert cost.tick(0.005 if tick else 0.3) == (pytest.approx(2.0), pytest.approx(5 if tick else 300))
    assert cost.summary() == {"cpu_pct": 2.0, "tick_p50_ms": 5.0, "tick_p99_ms": 300.0}


def test_a_summary_of_nothing_is_zero() -> None:
    summary = Cost().summary()
    assert (summary["tick_p50_ms"], summary["tick_p99_ms"]) == (0, 0)
