"""Thinning a series keeps its peaks and its gaps."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from core.report.time_chart import thin


def test_a_day_of_seconds_becomes_a_few_hundred_points_that_keep_the_peak() -> None:
    time_s = np.arange(86_400.0)
    values = np.full(len(time_s), 60.0)
    values[5_000] = 99.0
    thinned = thin(time_s, values)
    assert len(thinned.time_s) <= 361
    assert thinned.high.max() == 99.0
    assert thinned.low.min() == 60.0


def test_a_short_series_passes_unchanged() -> None:
    time_s = np.arange(30.0)
    thinned = thin(time_s, time_s**2)
    assert thinned.mean.tolist() == (time_s**2).tolist()
    assert thinned.low.tolist() == thinned.high.tolist()


def test_a_line_breaks_where_nothing_was_measured() -> None:
    time_s = np.arange(3_000.0)
    values = np.ones(len(time_s))
    values[1_000:2_000] = np.nan
    thinned = thin(time_s, values)
    assert np.isnan(thinned.mean).sum() == 1
    gap = int(np.flatnonzero(np.isnan(thinned.mean))[0])
    assert thinned.time_s[gap - 1] < 1_000
    assert thinned.time_s[gap + 1] >= 2_000


def test_a_metric_that_is_reported_every_second_tick_still_is_one_line() -> None:
    time_s = np.arange(100.0)
    values = np.where(time_s % 2 == 0, 5.0, np.nan)
    assert not np.isnan(thin(time_s, values).mean).any()


def test_nothing_measured_gives_no_point() -> None:
    assert len(thin(np.arange(5.0), np.full(5, np.nan)).time_s) == 0
    assert len(thin(np.empty(0), np.empty(0)).time_s) == 0


@given(
    st.lists(st.tuples(st.floats(0.1, 30), st.one_of(st.none(), st.floats(-100, 100))), min_size=1, max_size=200),
    st.integers(2, 20),
)
def test_extremes_and_order_survive_any_series(steps: list[tuple[float, float | None]], buckets: int) -> None:
    time_s = np.cumsum([step for step, _ in steps])
    values = np.array([np.nan if value is None else value for _, value in steps])
    thinned = thin(time_s, values, buckets=buckets)
    kept = np.isfinite(thinned.time_s)
    assert (np.diff(thinned.time_s[kept]) > 0).all()
    if np.isfinite(values).any():
        assert thinned.high[kept].max() == np.nanmax(values)
        assert thinned.low[kept].min() == np.nanmin(values)
    assert (thinned.low[kept] <= thinned.mean[kept] + 1e-9).all()
    assert (thinned.mean[kept] <= thinned.high[kept] + 1e-9).all()
