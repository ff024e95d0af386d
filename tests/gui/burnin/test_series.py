"""Buckets behind the plots, and extremes, show the same as the samples they were made of."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gui.burnin.series import GAP_S, Growing, MetricSeries, nearest


@st.composite
def recordings(draw):
    """Rising times with jitter and pauses, and values with holes."""
    steps = draw(st.lists(st.sampled_from([0.1, 0.9, 1.0, 1.1, 2.0, 17.0, 900.0]), min_size=1, max_size=400))
    time_s = np.cumsum(steps) - steps[0]
    seed = draw(st.integers(0, 2**32 - 1))
    random = np.random.default_rng(seed)
    values = random.normal(50, 30, len(time_s)).astype(np.float32)
    values[random.random(values.shape) < draw(st.sampled_from([0, 0.1, 0.9]))] = np.nan
    return time_s, values


def filled(time_s, values, cuts=(), look=lambda series: None):
    """Appended in pieces, looked at after each."""
    times = Growing(np.float64)
    series = MetricSeries(times)
    edges = [0, *sorted(cuts), len(time_s)]
    for start, stop in itertools.pairwise(edges):
        times.append(time_s[start:stop])
        series.append(values[start:stop])
        look(series)
    return series


def same(left, right):
    np.testing.assert_array_equal(left, right)


@given(recordings(), st.data())
def test_appending_in_any_chunks_gives_the_same_pyramid(recording, data):
    time_s, values = recording
    cuts = data.draw(st.lists(st.integers(0, len(time_s)), max_size=8))
    buckets = data.draw(st.sampled_from([4, 50, 900]))
    whole = filled(time_s, values)
    pieces = filled(time_s, values, cuts, lambda series: series.window(0, time_s[-1], buckets))
    for buckets in (4, 50, 900):
        one, other = (series.window(0, time_s[-1], buckets) for series in (whole, pieces))
        assert one.aggregated == other.aggregated
        for name in ("time_s", "low", "high", "mean"):
            same(getattr(one, name), getattr(other, name))


@given(recordings(), st.floats(0, 1), st.floats(0, 1), st.integers(2, 60))
def test_lowest_and_highest_of_any_window_are_those_of_its_samples(recording, first, second, buckets):
    time_s, values = recording
    start_s, end_s = sorted((first * time_s[-1], second * time_s[-1]))
    picture = filled(time_s, values).window(start_s, end_s, buckets)
    if not picture.aggregated:
        shown = (time_s >= start_s) & (time_s <= end_s)
        assert np.isin(values[shown], picture.mean).sum() == np.isfinite(values[shown]).sum()
        return
    width = widths(picture, end_s - start_s, buckets)
    covered = (time_s // width >= start_s // width) & (time_s // width <= end_s // width)
    same(np.fmin.reduce(picture.low, initial=np.nan), np.fmin.reduce(values[covered], initial=np.nan))
    same(np.fmax.reduce(picture.high, initial=np.nan), np.fmax.reduce(values[covered], initial=np.nan))


def widths(picture, span_s, buckets):
    """The finest bucket of the pyramid that keeps to the number of buckets asked for."""
    width = 4.0
    while width < span_s / buckets:
        width *= 4
    return width


@given(recordings())
def test_mean_of_a_bucket_is_the_mean_of_its_measured_samples(recording):
    time_s, values = recording
    picture = filled(time_s, values).window(0, time_s[-1], 2)
    if not picture.aggregated:
        return
    width = widths(picture, time_s[-1], 2)
    for bucket, mean in enumerate(picture.mean):
        raw = values[time_s // width == bucket].astype(np.float64)
        expected = np.nanmean(raw) if np.isfinite(raw).any() else np.nan
        np.testing.assert_allclose(mean, expected, rtol=1e-6)


@given(recordings(), st.data())
def test_extremes_are_those_of_all_samples_however_often_they_are_asked_for(recording, data):
    time_s, values = recording
    cuts = data.draw(st.lists(st.integers(0, len(time_s)), max_size=8))
    extremes = filled(time_s, values, cuts, MetricSeries.extremes).extremes()
    measured = values[np.isfinite(values)].astype(np.float64)
    if not len(measured):
        assert extremes is None
        return
    assert (extremes.lowest, extremes.highest) == (measured.min(), measured.max())
    np.testing.assert_allclose(extremes.mean, measured.mean(), rtol=1e-9)


def test_what_was_never_measured_is_never_drawn():
    series = filled(np.arange(5000.0), np.full(5000, np.nan))
    for span in (60, 5000):
        assert np.isnan(series.window(0, span).mean).all()


def test_a_pause_of_the_recording_breaks_the_line():
    time_s = np.array([0, 1, 2, 60, 61.0])
    picture = filled(time_s, np.ones(5)).window(0, 61)
    assert np.isnan(picture.mean).tolist() == [False, False, False, True, False, False]
    assert (np.diff(picture.time_s) > 0).all()


def test_slow_but_steady_sampling_is_one_line():
    time_s = np.arange(0, 600, GAP_S * 2)
    picture = filled(time_s, np.ones(len(time_s))).window(0, 600)
    assert np.isfinite(picture.mean).all()


@pytest.mark.parametrize("span_s", [600, 3600, 24 * 3600])
def test_a_wide_window_costs_no_more_points_than_a_narrow_one(span_s):
    count = 24 * 3600
    series = filled(np.arange(count, dtype=np.float64), np.zeros(count))
    assert series.window(count - span_s, count).mean.shape[0] <= 1802


@settings(max_examples=30)
@given(recordings(), st.floats(0, 1000))
def test_the_sample_under_the_cursor_is_the_nearest_one(recording, time_s):
    times, _ = recording
    place = nearest(times, time_s)
    distance = np.abs(times - time_s)
    if distance.min() > GAP_S:
        assert place is None
    else:
        assert distance[place] == distance.min()
