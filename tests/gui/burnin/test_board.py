"""The charts show the recording, follow it, and let the user look elsewhere."""

import numpy as np
import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtTest import QTest

from gui.burnin.board import DEFAULT_METRICS, ChartBoard
from gui.burnin.series import nearest
from gui.theme import Mode, theme
from tests.gui.burnin.fake_run import CPU, gpu


@pytest.fixture
def board(qtbot):
    board = ChartBoard()
    qtbot.addWidget(board)
    board.resize(900, 600)
    board.show()
    return board


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
    return board


def curve(board, metric, device=0):
    return board.chart(metric).curves.traces[device]


def shot(board, metric):
    return board.chart(metric).grab().toImage()


def span(board, metric="power_w"):
    return tuple(board.chart(metric).view.viewRange()[0])


def test_every_chosen_metric_has_one_chart_with_a_curve_per_device(live):
    assert set(live._charts) == set(DEFAULT_METRICS)
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


def test_the_wheel_and_the_drag_reach_the_board(live):
    class Wheel:
        def pos(self):
            return QPointF(100, 50)

        def delta(self):
            return 120

        def accept(self):
            pass

    live.chart("power_w").view.wheelEvent(Wheel())
    start, end = span(live)
    assert not live.follows
    assert end - start < 60


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


def test_a_hidden_device_has_no_curve(live):
    live.set_device_visible(1, False)
    assert curve(live, "power_w", 1) is None
    assert curve(live, "power_w", 0) is not None
    live.set_device_visible(1, True)
    assert curve(live, "power_w", 1) is not None


def test_the_cursor_reads_all_curves_on_all_charts_at_one_time(live):
    live.chart("power_w").hovered.emit(-10.0)
    for metric in ("temperature_c", "power_w", "clock_mhz"):
        chart = live.chart(metric)
        record = live.recording.devices[1]
        value = record.series[metric].values[nearest(record.times.all, 89.0)]
        assert chart._cursor.isVisible()
        assert "1:29" in chart._readout.text()
        assert f"{value:.0f}" in chart._readout.text()
    live.chart("power_w").left.emit()
    assert not live.chart("clock_mhz")._cursor.isVisible()


def test_the_cursor_can_be_moved_by_keys(live):
    chart = live.chart("temperature_c")
    chart.setFocus()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert "1:39" in chart._readout.text()
    QTest.keyClick(chart, Qt.Key.Key_Left)
    assert "1:38" in chart._readout.text()
    QTest.keyClick(chart, Qt.Key.Key_Plus)
    assert not live.follows
    QTest.keyClick(chart, Qt.Key.Key_Escape)
    assert chart._readout.isHidden()


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
    board.set_device_visible(0, False)
    board.set_device_visible(1, False)
    assert shot(board, "power_w") != without, "the curves are seen"


def test_charts_are_chosen_and_keep_the_order_of_the_list(live):
    live.set_metrics(("power_w", "fan_pct"))
    assert list(live._charts) == ["fan_pct", "power_w"]
    live.set_metrics(())
    assert not live._charts


def test_curves_differ_by_colour_and_dash_and_follow_the_theme(live):
    first, second = live.chart("power_w").curves.pens
    assert first.color() != second.color()
    assert first.style() != second.style()
    theme().set_mode(Mode.DARK)
    try:
        assert live.chart("power_w").curves.pens[0].color() == theme().series(0)
        live.grab()
    finally:
        theme().set_mode(Mode.SYSTEM)


def test_charts_have_names_for_those_who_cannot_see_them(live):
    for metric in DEFAULT_METRICS:
        assert "chart" in live.chart(metric).accessibleName()
        assert live.chart(metric).accessibleDescription()
        assert live.chart(metric).focusPolicy() == Qt.FocusPolicy.StrongFocus


def test_a_hidden_board_draws_nothing_and_catches_up(live):
    live.hide()
    drawn = live._drawn
    live.more(100.0)
    assert live._drawn == drawn
    live.show()
    assert live._drawn[2] == 100
