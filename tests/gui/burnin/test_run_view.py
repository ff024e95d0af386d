"""A run is followed from its recording, live and afterwards, and nothing it brings freezes or confuses the view."""

import threading
import time
from contextlib import closing
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester, QTest

from core.burnin.record.rows import (
    MACHINE,
    EventLevel,
    Outcome,
    Reason,
    ResultStatus,
    StageResult,
    StageStatus,
    Verdict,
)
from core.burnin.record.store import RunStore
from gui.burnin.run.event_log import EventModel
from gui.burnin.run.run_view import RunView
from gui.burnin.run.stage_strip import remaining_s
from tests.gui.burnin.fake_run import gpu


def test_a_run_written_by_another_thread_is_seen_as_it_grows(view, qtbot, watched, tmp_path):
    run = watched()
    stop = threading.Event()

    def write():
        with closing(RunStore(tmp_path)) as store:
            run.store, second = store, 1.0
            while not stop.is_set():
                run.tick(second, (0, min(1.0, second / 100)))
                second += 1
                time.sleep(0.02)

    store, writer = run.store, threading.Thread(target=write)
    writer.start()
    try:
        qtbot.waitUntil(lambda: view.recording.sampled_s >= 20)
    finally:
        stop.set()
        writer.join()
        run.store = store
    assert view.cards.cards[0].record.now("power_w") is not None
    assert "elapsed" in view.stages.times.text()


def test_a_verdict_appears_when_the_run_ends(view, qtbot, watched):
    run = watched()
    assert view.banner.isHidden()
    run.end(0, 1.0)
    run.finish(Outcome.FAIL, "GPU 1 computed <wrong> results.")
    qtbot.waitUntil(view.banner.isVisible)
    assert view.banner.title.text() == "FAIL (SIMULATED)"
    assert "&lt;wrong&gt;" in view.banner.reasons.text()
    assert not view.banner.close_run.isVisible()
    assert view.tools.window_choice.currentText() == "Whole run"


def test_opening_another_run_forgets_the_first(view, qtbot, watched, fake_run):
    first = watched()
    second = fake_run([gpu(0), gpu(1), gpu(2)], title="Second")
    second.tick(0.0)
    view.open(second.id)
    first.tick(5.0)
    qtbot.waitUntil(lambda: view.recording is not None)
    assert view.recording.run.id == second.id
    assert len(view.cards.cards) == 3


def test_a_deleted_run_is_reported_and_the_view_is_empty(view, qtbot, watched):
    run = watched()
    with qtbot.waitSignal(view.failed) as heard:
        run.store.delete(run.id)
    assert "no run" in heard.args[0]
    assert view.recording is None


def test_silence_of_a_run_is_said(view, qtbot, watched, monkeypatch):
    watched()
    monkeypatch.setattr("gui.burnin.run.run_view.STALE_S", 0.0)
    with qtbot.waitSignal(view.stale):
        pass
    assert "No data" in view.tools.state.text()


def test_a_card_says_throttling_in_words_only_when_it_is_abnormal(view, qtbot, watched):
    run = watched()
    run.load = 1.0
    run.tick(1.0)
    qtbot.waitUntil(lambda: view.recording.sampled_s == 1)
    assert view.cards.cards[0]._throttling.isHidden()
    run.mask = {0: 0x24}
    run.tick(2.0)
    qtbot.waitUntil(lambda: not view.cards.cards[0]._throttling.isHidden())
    assert view.cards.cards[0]._throttling.text() == "Thermal limit"


def test_simulated_devices_are_marked_on_card_and_run(view, watched):
    watched([gpu(0), gpu(1, id="GPU-1", simulated=False)])
    assert view._simulated.isVisible()
    marked = [card.findChildren(type(view._simulated)) != [] for card in view.cards.cards]
    assert marked == [True, False]


def test_stages_show_what_became_of_them(view, qtbot, watched):
    run = watched()
    run.end(0, 2.0)
    run.begin(1, 2.0)
    run.tick(5.0, (1, 0.5))
    qtbot.waitUntil(lambda: view.stages.items[1]._state.text().startswith("50 %"))
    states = [item._state.text() for item in view.stages.items]
    assert states[0] == "passed"
    assert states[2] == "pending"
    run.end(1, 6.0, result=ResultStatus.NOT_RUN)
    qtbot.waitUntil(lambda: view.stages.items[1]._state.text() == "NOT RUN")


def test_the_remaining_time_counts_what_is_still_to_come(fake_run):
    run = fake_run()
    run.end(0, 2.0)
    run.begin(1, 2.0)
    run.tick(5.0, (1, 0.5))
    seconds = [stage.seconds for stage in run.profile.stages]
    assert remaining_s(run.store.stages(run.id)) == pytest.approx(seconds[1] / 2 + sum(seconds[2:]))


def test_the_event_model_keeps_qts_rules(qtbot, fake_run, recorded):
    run = fake_run()
    recording, follower = recorded(run)
    model = EventModel()
    QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.set_recording(recording)
    for number in range(3):
        run.event(number, f"温度 {number}", device=run.devices[1].id)
        recording.apply(follower.poll())
        model.refresh()
    assert model.rowCount() == 3
    texts = [model.index(2, column).data() for column in range(4)]
    assert texts == ["0:02", "Info", "GPU 1", "温度 2"]
    assert model.rowCount(model.index(0, 0)) == 0
    assert model.data(QModelIndex()) is None


def test_events_are_filtered_by_level_and_text(view, qtbot, watched):
    run = watched()
    run.event(1.0, "fan is loud", EventLevel.WARN)
    run.event(2.0, "风扇", EventLevel.ERROR)
    log = view.log
    qtbot.waitUntil(lambda: log.filter.rowCount() == 3)
    log._level.setCurrentIndex(1)
    assert log.filter.rowCount() == 2
    log._search.setText("风")
    assert log.filter.rowCount() == 1
    log._level.setCurrentIndex(0)
    log._search.setText("FAN")
    assert log.filter.rowCount() == 1


def test_a_card_says_all_its_figures_as_text_to_who_listens(view, watched, monkeypatch):
    watched()
    assert not view.cards.cards[0].accessibleDescription(), "nobody listens"
    monkeypatch.setattr("gui.widgets.figures.QAccessible", SimpleNamespace(isActive=lambda: True))
    view.cards.refresh()
    text = view.cards.cards[0].accessibleDescription()
    assert "Temperature now" in text
    assert "Throughput not measured" in text


def test_a_view_that_goes_away_ends_its_reader(qtbot, tmp_path, fake_run):
    run = fake_run()
    view = RunView(tmp_path)
    view.open(run.id)
    reader = view._reader
    view.deleteLater()
    qtbot.waitUntil(reader._stopped.is_set)
    reader._thread.join(5)
    assert not reader._thread.is_alive()


def test_a_skipped_stage_is_not_shown_as_done(view, qtbot, watched):
    run = watched()
    run.end(0, 1.0, status=StageStatus.SKIPPED, result=ResultStatus.STOPPED)
    item = view.stages.items[0]
    qtbot.waitUntil(lambda: item._state.text() == "skipped")
    assert item._progress._fraction == 0


@pytest.mark.parametrize(("profile", "shown"), [("quick-test", "1 minute"), ("every-check", "5 minutes")])
def test_a_short_run_begins_with_a_short_window(view, watched, profile, shown):
    watched(profile=profile)
    assert view.tools.window_choice.currentText() == shown


@pytest.fixture
def judged(view, qtbot, watched):
    """The reasons in the banner of a run with these verdicts of the machine and of its two cards."""

    def judge(outcome, machine=(), cards=((), ())):
        run = watched()
        verdicts = [Verdict(MACHINE, outcome, tuple(machine))]
        for device, reasons in zip(run.devices, cards, strict=True):
            worst = next((one.outcome for one in reasons if one.outcome is not Outcome.PASS), Outcome.PASS)
            verdicts.append(Verdict(device.id, worst, tuple(reasons)))
        run.store.finish(run.id, verdicts)
        qtbot.waitUntil(lambda: bool(view.recording.verdicts))
        return view.banner.reasons.text()

    return judge


def passes(*texts):
    return [Reason(Outcome.PASS, text) for text in texts]


def test_what_a_verdict_says_of_each_device_is_said_once(judged, view):
    listed = passes(*(f"{gpu(index).title}: PASS" for index in (0, 1)))
    slower = [*passes("All right."), Reason(Outcome.WARN, "4 % slower than the best.")]
    text = judged(Outcome.WARN, listed, (slower, slower))
    assert gpu(0).title not in text
    assert text.count("4 % slower than the best.") == 1
    assert "GPU 0, GPU 1" in text
    assert view.banner.title.text() == "WARN (SIMULATED)"


def test_devices_that_differ_each_have_their_own_lines_what_failed_first(judged):
    lost = [Reason(Outcome.FAIL, "One card fell off the bus.")]
    text = judged(Outcome.FAIL, lost, (passes("About 0."), [Reason(Outcome.FAIL, "About 1.")]))
    assert text.index("One card") < text.index("About 1.") < text.index("About 0.")
    assert "GPU 0, GPU 1" not in text


def test_of_many_findings_in_order_only_the_number_is_reported_and_reasons_carry_figure_limit_and_source(judged):
    hot = Reason(Outcome.WARN, "It came near its limit.", 3.0, 5.0, "K", "criterion of the profile")
    text = judged(Outcome.WARN, (), ([*passes(*(f"Stage {n} is right." for n in range(30))), hot], ()))
    assert "30 checks passed" in text
    assert "Stage 7" not in text
    assert "measured 3 K, limit 5 K; criterion of the profile" in text.replace("\N{NO-BREAK SPACE}", " ")


def test_devices_of_which_as_much_passed_share_a_line(judged):
    cards = [passes(*(f"GPU {card} is right in stage {n}." for n in range(30))) for card in (0, 1)]
    text = judged(Outcome.PASS, (), cards)
    assert text.count("30 checks passed") == 1
    assert "GPU 0, GPU 1" in text


@pytest.mark.parametrize("height", [420, 520, 640])
def test_the_last_reason_that_is_seen_is_a_whole_line(view, qtbot, judged, height):
    judged(Outcome.FAIL, [Reason(Outcome.FAIL, f"Stage {number} was wrong.") for number in range(30)])
    view.banner.unfold.click()
    view.resize(view.width(), height)
    qtbot.wait(10)
    scroll = view.banner.reasons.parentWidget().parentWidget()
    lines = scroll.viewport().height() / scroll.fontMetrics().lineSpacing()
    assert lines == int(lines) >= 1


@pytest.mark.parametrize(("over", "drawable"), [(True, {"fan_pct"}), (False, {"fan_pct", "images_per_s"})])
def test_what_was_measured_can_be_drawn_and_of_a_run_that_goes_on_what_a_load_may_report(
    view, qtbot, watched, over, drawable
):
    run = watched()
    if over:
        run.finish()
        qtbot.waitUntil(view.banner.isVisible)
    view.tools.show_possible()
    actions = view.tools.metric_actions
    drawn_now = ("fan_pct", "images_per_s", "machine_power_w")
    assert {name for name in drawn_now if actions[name].isEnabled()} == drawable
    assert ("not measured" in actions["images_per_s"].text()) == over


def test_home_and_space_reach_the_picture_from_the_choice_of_window(view, watched):
    watched()
    chosen = view.tools.window_choice.currentText()
    for key, paused in ((Qt.Key.Key_Space, True), (Qt.Key.Key_Home, False)):
        QTest.keyClick(view.tools.window_choice, key)
        assert view.board.paused is paused
    assert view.tools.window_choice.currentText() == chosen


def test_each_cause_has_one_line_and_what_follows_from_it_is_folded(view, qtbot, watched):
    run = watched([gpu(index, serial=f"132{index}") for index in range(3)])
    lost = run.devices[1].id
    run.event(1.0, "The device was lost: gone", EventLevel.ERROR, "lost", lost)
    verdicts = [Verdict(MACHINE, Outcome.FAIL, ())]
    for device in run.devices:
        bad = Reason(Outcome.FAIL, "Preflight: The device was lost: gone", criterion="stage", stage=0)
        good = Reason(Outcome.PASS, "All right.")
        outcome = Outcome.FAIL if device.id == lost else Outcome.PASS
        verdicts.append(Verdict(device.id, outcome, (bad if device.id == lost else good,)))
    run.store.add_result(run.id, StageResult(0, lost, ResultStatus.FAILED, "The device was lost: gone"))
    run.store.finish(run.id, verdicts)
    qtbot.waitUntil(lambda: bool(view.banner.causes.lines))
    first, *rest = view.banner.causes.lines
    assert first.colour == "fail"
    assert first.what.startswith("GPU 1 lost at 0:01")
    assert "serial 1321" in first.rest
    assert rest[-1].what == "2 of 3 devices passed"
    assert not view.banner.reasons.isVisible()
    view.banner.unfold.click()
    assert view.banner.reasons.isVisible()
    view.banner.grab()


def test_a_lost_card_says_so_and_comes_first(view, qtbot, watched):
    run = watched([gpu(index) for index in range(3)])
    run.event(1.0, "The device was lost: gone", EventLevel.ERROR, "lost", run.devices[2].id)
    card = view.cards.cards[2]
    qtbot.waitUntil(lambda: card.state_button.text() == "LOST")
    assert "no longer finds it" in card._brief_text()
    assert view.cards._rows.itemAt(0).widget() is card


def test_one_card_can_be_seen_alone(view, watched):
    watched([gpu(index) for index in range(3)])
    view.cards.cards[1]._solo.click()
    assert [trace is None for trace in view.board.chart("power_w").curves.traces] == [True, False, True]
    view.cards.cards[1]._solo.click()
    assert [trace is None for trace in view.board.chart("power_w").curves.traces] == [False] * 3


def test_the_hottest_cards_come_first_where_it_is_wished(view, qtbot, watched):
    run = watched([gpu(index) for index in range(3)])
    run.values = lambda place, time_s: {"temperature_c": 50.0 + 10 * place}
    run.tick(1.0)
    qtbot.waitUntil(lambda: view.recording.sampled_s == 1.0)
    view.cards.hottest.click()
    order = [view.cards._rows.itemAt(place).widget().record.position for place in range(3)]
    assert order == [2, 1, 0]
    view.cards.hottest.click()
    assert view.cards._rows.itemAt(0).widget().record.position == 0


def test_a_run_that_was_stopped_offers_to_go_on(view, qtbot, watched):
    run = watched()
    run.event(1.0, "The user stopped the run.", EventLevel.WARN, "stop")
    run.finish(Outcome.INCOMPLETE, "The user stopped the run.")
    qtbot.waitUntil(view.banner.resume.isVisible)
    assert not view.banner.close_run.isVisible()
