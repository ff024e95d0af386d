"""The charts show the recording, follow it, and let the user look elsewhere."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from core.burnin.record.rows import EventLevel
from gui.burnin.chart.board import DEFAULT_METRICS
from gui.burnin.chart.strips import BUCKETS, heat_of
from gui.burnin.chart.view import Arrangement, cells
from gui.burnin.series import DrawnSamples, nearest
from tests.gui.burnin.fake_run import CPU, gpu


@pytest.fixture
def live(board, fake_run, recorded):
    """A board that follows a run of 100 seconds, with a window of one minute."""
    run = fake_run()
    run.load = 1.0
    run.ticks(range(100))
    recording, follower = recorded(run)
    board.set_recording(recording)
    board.set_window(60.0)

    def more(time_s):
        run.tick(time_s)
        recording.apply(follower.poll())
        board.refresh()

    board.more = more
    board.recording = recording
    board.run = run
    return board


def curve(board, metric, device=0):
    return board.chart(metric).curves.traces[device]


def shot(board, metric):
    return board.chart(metric).grab().toImage()


def span(board, metric="power_w"):
    return tuple(board.chart(metric).view.viewRange()[0])


def test_every_chosen_metric_has_one_chart_with_a_curve_per_device(live):
    assert list(live._charts) == [(metric, None) for metric in DEFAULT_METRICS]
    for metric in DEFAULT_METRICS:
        assert len(live.chart(metric).curves.traces) == 2


def test_curves_carry_the_recorded_values_in_seconds_before_now(live):
    drawn = curve(live, "temperature_c")
    record = live.recording.devices[0]
    np.testing.assert_allclose(drawn.x[-60:], record.times.all[-60:] - 99)
    np.testing.assert_array_equal(drawn.mean[-60:], record.series["temperature_c"].values[-60:])


def test_a_new_sample_moves_the_curve_and_not_the_axis(live):
    before = span(live)
    live.more(100.0)
    assert span(live) == before == (-60, 0)
    assert curve(live, "power_w").x[-1] == 0


def test_zooming_leaves_follow_and_all_charts_go_together(live, qtbot):
    with qtbot.waitSignal(live.follow_changed) as heard:
        live.chart("power_w").view.zoomed.emit(0.5, -30.0)
    assert heard.args == [False]
    assert len({span(live, metric) for metric in DEFAULT_METRICS}) == 1
    assert span(live) == pytest.approx((54, 84))
    live.more(100.0)
    assert span(live) == pytest.approx((54, 84))


def test_going_live_returns_to_now(live):
    live.chart("power_w").view.panned.emit(-40.0)
    assert not live.follows
    live.go_live()
    assert live.follows
    assert span(live) == (-60, 0)


def test_a_paused_picture_stands_still_while_the_recording_goes_on(live):
    live.set_paused(True)
    before = curve(live, "power_w").mean.copy()
    live.more(100.0)
    np.testing.assert_array_equal(curve(live, "power_w").mean, before)
    assert live.recording.sampled_s == 100
    live.set_paused(False)
    assert curve(live, "power_w").mean[-1] == np.float32(live.recording.devices[0].now("power_w"))


def test_the_whole_run_is_seen_from_its_start_on_a_round_axis(live):
    live.set_window(None)
    assert span(live) == (0, 100)
    live.more(99.5)
    assert span(live) == (0, 100)
    live.more(100.0)
    assert span(live) == (0, 110)


def test_the_cursor_reads_all_curves_on_all_charts_at_one_time(live):
    live.chart("power_w").hovered.emit(-10.0)
    for metric in ("temperature_c", "power_w", "clock_mhz"):
        chart = live.chart(metric)
        record = live.recording.devices[1]
        value = record.series[metric].values[nearest(record.times.all, 89.0)]
        assert chart._cursor.isVisible()
        assert chart.readout.when == "1:29"
        assert ("GPU 1", f"{value:.0f}") in chart.readout.lines()
    live.chart("power_w").left.emit()
    assert not live.chart("clock_mhz")._cursor.isVisible()


def test_the_cursor_can_be_moved_by_keys(live):
    chart = live.chart("temperature_c")
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.readout.when == "1:39"
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert chart.readout.when == "1:38"
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    assert not live.follows
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert chart._cursor.isHidden()
    assert chart.readout.when == "now"


def test_a_metric_that_was_never_measured_says_so(board, fake_run, recorded):
    run = fake_run([CPU])
    run.tick(0.0)
    board.set_recording(recorded(run)[0])
    assert "not measured" in board.chart("power_w")._backdrop._scenery.notice
    assert board.chart("utilisation_pct")._backdrop._scenery.notice == ""


def test_limits_of_equal_cards_are_drawn_once(live):
    limits = live.chart("temperature_c")._backdrop._scenery.limits
    assert [(limit.value, limit.text) for limit in limits] == [(83, "target"), (95, "slowdown")]
    assert [limit.value for limit in live.chart("power_w")._backdrop._scenery.limits] == [350]


def test_unknown_limits_are_not_drawn(board, fake_run, recorded):
    run = fake_run([gpu(0, temperature_target_c=None, temperature_slowdown_c=None, power_limit_w=None)])
    run.tick(0.0)
    board.set_recording(recorded(run)[0])
    assert board.chart("temperature_c")._backdrop._scenery.limits == ()
    assert board.chart("power_w")._backdrop._scenery.limits == ()


def test_a_long_window_draws_means_between_extremes(board, fake_run, recorded):
    run = fake_run(profile="every-check")
    run.play(until_s=590)
    run.ticks(range(601, 4000, 2))
    board.set_recording(recorded(run)[0])
    board.set_window(3600.0)
    drawn = curve(board, "power_w")
    assert (drawn.low <= drawn.mean).all()
    assert (drawn.low < drawn.high).any()
    assert 100 < len(drawn.x) < 1000
    without = shot(board, "power_w")
    board.set_hidden({0, 1})
    assert shot(board, "power_w") != without, "the curves are seen"


def test_charts_are_chosen_and_keep_the_order_of_the_list(live):
    live.set_metrics(("power_w", "fan_pct"))
    assert list(live._charts) == [("fan_pct", None), ("power_w", None)]
    live.set_metrics(())
    assert not live._charts


def test_charts_have_names_for_those_who_cannot_see_them(live):
    for metric in DEFAULT_METRICS:
        assert "chart" in live.chart(metric).accessibleName()
        assert live.chart(metric).accessibleDescription()
        assert live.chart(metric).focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_a_watched_cpu_does_not_stretch_the_axis_of_the_cards(board, fake_run, recorded):
    run = fake_run([gpu(0), CPU], burned=1)
    values = run.values
    run.values = lambda place, time_s: {**values(place, time_s), **({"clock_mhz": 4650.0} if place else {})}
    run.load = 1.0
    run.ticks(range(30))
    board.set_recording(recorded(run)[0])
    _, high = board.chart("clock_mhz").view.viewRange()[1]
    assert 1700 < high < 2500
    assert ("CPU", "4650") in board.chart("clock_mhz").readout.lines()


def test_a_failed_card_stands_out_and_is_marked_on_every_chart(live):
    before = live.chart("power_w").curves.pens
    run = live.run
    run.event(99.5, "The device was lost: gone", EventLevel.ERROR, "lost", run.devices[1].id)
    live.more(100.0)
    after = live.chart("power_w").curves.pens
    assert after[1].widthF() > before[1].widthF()
    assert after[0].color().alphaF() < 0.5 < after[1].color().alphaF()
    for metric in DEFAULT_METRICS:
        marks = live.chart(metric)._backdrop._scenery.marks
        assert [(mark.time_s, mark.text) for mark in marks] == [(99.5, "GPU 1 LOST")]


def test_the_values_beside_a_chart_are_ordered_by_height(live):
    figures = [float(text) for _, text in live.chart("power_w").readout.lines()]
    assert figures == sorted(figures, reverse=True)


def test_each_card_can_have_a_chart_of_its_own_over_one_range(live):
    live.set_arrangement(Arrangement.EACH, "power_w")
    charts = [live.chart("power_w", position) for position in (0, 1)]
    assert len({tuple(chart.view.viewRange()[1]) for chart in charts}) == 1
    assert [trace is None for trace in charts[1].curves.traces] == [True, False]
    live.set_hidden({0})
    assert list(live._charts) == [("power_w", 1)]


def test_a_strip_of_heat_has_a_row_per_card_and_a_click_asks_for_it_alone(live, qtbot):
    live.set_arrangement(Arrangement.HEAT, "temperature_c")
    strip = live.heat_strip("temperature_c")
    assert strip.heat.shade.shape == (2, BUCKETS)
    live.grab()
    with qtbot.waitSignal(live.solo_wanted) as heard:
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(200, strip.height() - 10))
    assert heard.args == [1]


@pytest.mark.parametrize(("devices", "across"), [(1, 1), (4, 2), (8, 3), (16, 4)])
def test_charts_of_single_cards_fill_a_grid(devices, across):
    grid = cells(Arrangement.EACH, (), "power_w", range(devices))
    assert len({(cell.row, cell.column) for cell in grid}) == devices
    assert max(cell.column for cell in grid) + 1 == across


@given(st.lists(st.floats(20, 95), min_size=2, max_size=16))
def test_heat_is_the_distance_from_the_median(temperatures):
    time_s = np.arange(0.0, 100.0)
    rows = [np.full(100, value, np.float32) for value in temperatures]
    heat = heat_of([DrawnSamples(time_s, row, row, row, aggregated=False) for row in rows], 0.0, 100.0, "temperature_c")
    np.testing.assert_allclose(np.median(heat.distance, axis=0), 0.0, atol=1e-6)
    assert np.abs(heat.shade).max() <= 1.0
    hottest = int(np.argmax(np.float32(temperatures)))
    assert (heat.distance[hottest] >= heat.distance.max(axis=0) - 1e-6).all()


def test_stages_are_named_above_their_segments(live):
    run = live.run
    run.begin(0, 40.0)
    live.more(100.0)
    assert live._lanes[0].named() == [run.profile.stages[0].title or "Preflight"]
    start, end = live._lanes[0]._segments[0][:2]
    left, right = live.chart("temperature_c").edges()
    assert start == pytest.approx(left, abs=2)
    assert end == pytest.approx(right, abs=2)
