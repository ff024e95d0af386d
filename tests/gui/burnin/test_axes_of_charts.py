"""Times, ticks, ranges and windows that charts are drawn by."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtWidgets import QWidget

from core.chart import ticks, value_step
from gui.burnin.chart.axes import SCALES, Scale, fitting
from gui.burnin.chart.metric_chart import Readout, ReadoutValue
from gui.burnin.chart.view import TimeWindow
from gui.burnin.words import clock, time_step_s, whole_run_s


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0:00"), (5, "0:05"), (65, "1:05"), (3600, "1:00:00"), (90061, "25:01:01"), (-60, "−1:00"), (-0.2, "0:00")],
)
def test_spans_of_time_are_written_as_clocks(seconds, text):
    assert clock(seconds) == text


@given(st.floats(1, 1e7), st.integers(1, 30))
def test_ticks_are_never_more_than_fit(span, most):
    assert len(ticks(0, span, time_step_s(span, most))) <= most + 1
    assert len(ticks(0, span, value_step(span, most))) <= most + 1


@given(st.floats(0, 1e7))
def test_the_axis_of_a_whole_run_holds_the_run_and_little_more(elapsed_s):
    held = whole_run_s(elapsed_s)
    assert held >= elapsed_s
    assert held <= max(elapsed_s * 1.5, 65)


values = st.tuples(st.floats(-1e5, 1e5), st.floats(0, 1e5)).map(lambda pair: (pair[0], pair[0] + pair[1]))


@given(values, st.booleans())
def test_an_axis_holds_its_values(extremes, from_zero):
    low, high = fitting(Scale(from_zero=from_zero), extremes, None)
    assert low <= extremes[0]
    assert high >= extremes[1]
    assert high - low >= 1


@given(values)
def test_an_axis_stays_while_the_values_fit(extremes):
    first = fitting(Scale(), extremes, None)
    middle = (extremes[0] + extremes[1]) / 2
    assert fitting(Scale(), extremes, first) == first
    assert fitting(Scale(), (middle, middle), (middle - 1e9, middle + 1e9))[1] < middle + 1e9


def test_power_and_speed_begin_at_zero_and_shares_end_at_a_hundred():
    assert fitting(SCALES["power_w"], (300, 340), None)[0] == 0
    low, high = fitting(SCALES["utilisation_pct"], (40, 60), None)
    assert low < 0
    assert 100 < high < 110


class FakeRecording:
    def __init__(self, last_s, running=True):
        self.last_s = self.sampled_s = last_s
        self.running = running


def test_a_following_window_counts_back_from_now():
    window = TimeWindow(60)
    assert window.seen(FakeRecording(500)) == (-60, 0, 500)
    assert window.follows_moving


def test_a_finished_run_is_seen_from_end_to_end():
    assert TimeWindow(None).seen(FakeRecording(123.0, running=False)) == (0, 123.0, 0)


def test_zooming_keeps_the_time_under_the_mouse_and_leaves_follow():
    window, recording = TimeWindow(300), FakeRecording(1000)
    window.zoom(recording, 0.5, -100)
    start, end, origin = window.seen(recording)
    assert not window.follows
    assert end - start == pytest.approx(150)
    assert (900 - (start + origin)) / 150 == pytest.approx(200 / 300)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.1, 10), st.floats(-2000, 2000)), max_size=20))
def test_nobody_gets_lost_beyond_the_recording(moves):
    window, recording = TimeWindow(300), FakeRecording(1000)
    for zoom, factor, place in moves:
        if zoom:
            window.zoom(recording, factor, place)
        else:
            window.pan(recording, place)
        start, end, origin = window.seen(recording)
        assert end > start
        assert math.isfinite(end - start)
        assert start + origin <= 1005
        assert end + origin >= -5
        assert end - start <= 1010 + 1e-6
    window.follow(60)
    assert window.seen(recording) == (-60, 0, 1000)


def test_values_beside_a_chart_have_room_for_long_names(qtbot):
    page = QWidget()
    qtbot.addWidget(page)
    readout = Readout(0, page)
    usual = readout.sizeHint().width()
    readout.show_values("now", [ReadoutValue(0, "GPU 0", 45.0)])
    assert readout.sizeHint().width() == usual
    readout.show_values("now", [ReadoutValue(0, "The longest name of a run", 45.0)])
    name = readout.fontMetrics().horizontalAdvance("The longest name of a run")
    assert readout.sizeHint().width() > name
