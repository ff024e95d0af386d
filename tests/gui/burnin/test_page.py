"""The burn-in page starts, attaches to, stops and closes runs."""

import os
import threading
import time
from contextlib import closing
from dataclasses import replace
from types import SimpleNamespace

import pytest
from PySide6.QtCore import QPoint, Qt, QThreadPool
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog, QPushButton, QToolButton

from core.burnin.record.rows import EventLevel, Outcome, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.lock import take_runner_lock
from core.burnin.sealing import seal_run
from core.machine.asbuilt.bus import BusCard, BusCause
from core.machine.telemetry.simulated.simulation import parse_simulation
from core.machine.telemetry.simulated.source import describe
from core.platform.errors import EnvironmentProblem
from gui.burnin.run import page as page_module
from gui.burnin.run.before_run import simulation_of
from gui.burnin.run.plan_bar import expected_load
from gui.burnin.words import clock, device_line
from gui.widgets import messages
from tests.gui.burnin.fake_run import CPU, gpu
from tests.patience import PATIENCE_S


class Sentences(list):
    """What is said in boxes; `answer` is the user's to each question, `careful` whether the last one was."""

    answer, careful = "start", False


@pytest.fixture(autouse=True)
def sentences(monkeypatch):
    heard = Sentences()

    def ask(parent, text, detail, choices, *, careful=False):
        heard.append(text)
        heard.careful = careful
        return heard.answer

    monkeypatch.setattr(messages, "ask", ask)
    monkeypatch.setattr(messages, "tell", lambda parent, text, detail="": heard.append(text))
    monkeypatch.setattr(messages, "show_error", lambda parent, error: heard.append(str(error)))
    return heard


@pytest.fixture
def shown(page, qtbot):
    page.show()
    qtbot.waitUntil(lambda: bool(page.plan.checks))
    return page


@pytest.fixture
def shown_with(page, qtbot, devices):
    """The page on a machine with other devices."""

    def show(present):
        devices.devices[:] = present
        page.show()
        qtbot.waitUntil(lambda: bool(page.plan.checks))
        page.wait = qtbot.waitUntil
        return page

    return show


@pytest.fixture
def running(page, qtbot, tmp_path, fake_run):
    """A run that somebody else started and that goes on."""
    with take_runner_lock(tmp_path):
        run = fake_run().started()
        page.show()
        qtbot.waitUntil(lambda: page.active_run() == run.id)
        yield run


def test_gpus_are_ticked_and_the_cpu_is_not(shown):
    assert [check.isChecked() for check in shown.plan.checks] == [True, True, False]
    assert "GPU-aaaa" in shown.plan.checks[0].toolTip()


@pytest.mark.parametrize("ticked", [False, True])
def test_a_machine_without_gpu_burns_its_cpu_only_if_it_is_ticked(shown_with, orders, ticked):
    page = shown_with([CPU])
    assert not page.plan.checks[0].isChecked()
    assert "No GPU to test" in page.plan.summary.text()
    page.plan.checks[0].setChecked(ticked)
    assert page.bar.start.isEnabled()
    page.start()
    page.wait(lambda: bool(orders))
    assert orders[0].devices == (("cpu",) if ticked else ())


def test_a_card_that_no_driver_serves_is_shown_and_can_be_left_out(shown_with, orders, monkeypatch):
    lost = BusCard("0000:03:00.0", "Radeon RX 7900 XTX", BusCause.OTHER_DRIVER, "amdgpu", pci_id="1002:744c")
    monkeypatch.setattr(page_module, "inspect", lambda _: SimpleNamespace(bus=(lost,)))
    page = shown_with([gpu(0, simulated=False, id="GPU-aaaa"), CPU])
    (out,) = page.plan.leave_out
    assert out.text() == "Leave out Radeon RX 7900 XTX @ 0000:03:00.0"
    assert "Its driver is amdgpu" in out.toolTip()
    assert "1 card on the bus cannot be tested" in page.plan.summary.text()
    assert page.plan.order().leave_out == ()
    out.setChecked(True)
    assert "cannot be tested" not in page.plan.summary.text()
    assert page.plan.order().leave_out == ("0000:03:00.0",)


def test_the_order_carries_what_was_chosen(shown, qtbot, orders):
    shown.plan.checks[0].setChecked(False)
    shown.plan.profile.setCurrentIndex(shown.plan.profile.findData("every-check"))
    shown.plan.minutes.setValue(30)
    shown.bar.start.trigger()
    qtbot.waitUntil(lambda: bool(orders))
    (order,) = orders
    assert (order.profile, order.minutes, order.devices, order.simulate) == ("every-check", 30, ("GPU-bbbb",), None)


@pytest.mark.parametrize(("limit_w", "asks"), [(350.0, False), (600.0, True)])
def test_only_a_big_load_is_confirmed(shown_with, orders, sentences, limit_w, asks):
    page = shown_with([gpu(number, simulated=False, id=f"GPU-{number}", power_limit_w=limit_w) for number in (0, 1)])
    page.start()
    page.wait(lambda: bool(orders))
    assert any("1.2 kW" in text for text in sentences) == asks


def test_a_load_that_is_not_confirmed_does_not_start(shown_with, orders, sentences):
    page = shown_with([gpu(0, simulated=False, id="GPU-0", power_limit_w=1400.0)])
    sentences.answer = messages.CANCEL
    page.start()
    assert sentences
    assert not orders


def test_simulated_devices_draw_nothing():
    assert expected_load([gpu(0), gpu(1)]).power_w == 0


@pytest.mark.parametrize(
    ("ids", "simulation"),
    [
        (("SIM-0-rtx-3090", "SIM-1-rtx-3090"), "rtx-3090,rtx-3090"),
        (("SIM-0-rtx-3090", "SIM-1-rtx-3090-slow20", "cpu"), "rtx-3090,rtx-3090,fault=slow20@1"),
        (("cpu",), None),
        (("SIM-0-titan-x",), "titan-x"),
        (("GPU-8a", "cpu"), None),
    ],
    ids=str,
)
def test_simulated_devices_are_named_again_with_what_makes_them_slow_and_a_replay_is_not(ids, simulation):
    devices = [replace(gpu(0), id=id_, simulated=id_ != "cpu") for id_ in ids]
    assert simulation_of(devices) == simulation
    if simulation is not None:
        again = parse_simulation(simulation)
        named = [describe(place, model, again.faults).id for place, model in enumerate(again.models)]
        assert named == [id_ for id_ in ids if id_ != "cpu"]


def test_simulation_is_chosen_by_name(shown, qtbot, devices, monkeypatch, orders):
    monkeypatch.setattr("gui.burnin.run.before_run.ask_simulation", lambda parent, text, plan: ("6x3090", True))
    shown.choose_simulation()
    qtbot.waitUntil(lambda: len(shown.plan.checks) == 1)
    assert devices.requests == [None, "6x3090"]
    shown.start()
    qtbot.waitUntil(lambda: bool(orders))
    assert orders[0].simulate == "6x3090"


def test_a_runner_that_refuses_is_heard(shown, qtbot, monkeypatch, sentences):
    def refuse(data_dir, order):
        raise EnvironmentProblem("The disk is full.")

    monkeypatch.setattr(page_module, "start_run", refuse)
    shown.start()
    qtbot.waitUntil(lambda: "The disk is full." in sentences)
    assert shown.bar.start.isEnabled()


def test_devices_that_cannot_be_read_are_explained(page, qtbot, monkeypatch, sentences):
    def hang(simulate=None):
        raise EnvironmentProblem("The driver did not answer.")

    monkeypatch.setattr(page_module, "detect_devices", hang)
    page.show()
    qtbot.waitUntil(lambda: "The driver did not answer." in sentences)
    assert "No device" in page.plan.summary.text()


def test_a_run_started_elsewhere_appears_by_itself(page, running):
    assert not page.plan.isVisible()
    assert page.bar.stop.isEnabled()
    assert not page.bar.start.isEnabled()


def test_stop_and_skip_become_requests(page, qtbot, running):
    page.request_stop()
    page.skip_stage()
    qtbot.waitUntil(lambda: len(running.store.pending_requests(running.id)) == 2)
    assert {request.kind for request in running.store.pending_requests(running.id)} == {"stop", "skip"}


def fall_silent(run, seconds):
    """As if the runner of a fake run had given its last sign of life so long ago."""
    with run.store._db.atomic():
        run.store._db.execute("UPDATE beats SET monotonic_s = ?", (time.monotonic() - seconds,))


@pytest.mark.parametrize("answer", ["end", "cancel"])
def test_a_silent_runner_is_reported_and_stop_offers_to_end_it_from_outside(page, qtbot, running, sentences, answer):
    states = []
    page.run_state_changed.connect(lambda text, _: states.append(text))
    assert not page.view.banner.isVisible()
    fall_silent(running, 12)
    qtbot.waitUntil(page.view.banner.isVisible)
    assert f"The runner (process {os.getpid()}) has not answered for 1" in page.view.banner.brief.text()
    assert "If it is frozen, its loads have ended by themselves." in page.view.banner.brief.text()
    assert not page.view.banner.report.isVisible()
    assert "its runner has not answered for 1" in states[-1]
    sentences.answer = answer
    page.request_stop()
    assert sentences == ["End run 1 by force?"]
    if answer == "end":
        qtbot.waitUntil(lambda: page.view.banner.title.text() == "INTERRUPTED (SIMULATED)")
        assert "ended from outside" in page.view.banner.brief.text()
    assert running.store.pending_requests(running.id) == [], "nobody would heed a request"
    status = RunStatus.INTERRUPTED if answer == "end" else RunStatus.RUNNING
    assert running.store.run(running.id).status is status


def test_a_runner_that_answers_again_takes_the_banner_away(page, qtbot, running):
    fall_silent(running, 12)
    qtbot.waitUntil(page.view.banner.isVisible)
    running.tick(1.0)
    qtbot.waitUntil(lambda: not page.view.banner.isVisible())


def test_a_remark_goes_into_the_record(page, qtbot, running, monkeypatch):
    monkeypatch.setattr(QInputDialog, "getText", lambda *args, **kwargs: ("  风扇换了 ", True))
    page.bar.mark.trigger()
    qtbot.waitUntil(lambda: bool(running.store.pending_requests(running.id)))
    (request,) = running.store.pending_requests(running.id)
    assert (request.kind, request.argument) == ("mark", "风扇换了")


def test_the_state_of_the_run_is_told_to_the_window(page, qtbot, running):
    states = []
    page.run_state_changed.connect(lambda text, active: states.append((text, active)))
    running.end(0, 2.0)
    running.begin(1, 2.0)
    qtbot.waitUntil(lambda: any("Idle baseline" in text and "left" in text and active for text, active in states))
    running.finish(Outcome.PASS)
    qtbot.waitUntil(lambda: bool(states) and not states[-1][1])
    assert page.active_run() is None
    assert page.plan.controls.isVisible()


def test_a_runner_that_vanished_is_noticed_and_its_run_closed(page, qtbot, tmp_path, fake_run, monkeypatch):
    monkeypatch.setattr("gui.burnin.run.reader.QUIET_POLL_S", 0.1)
    run = fake_run().started()
    run.event(0.5, "last words", EventLevel.INFO)
    page.show()
    qtbot.waitUntil(lambda: page.view.recording is not None)
    assert page.view.recording.run.status is RunStatus.INTERRUPTED
    assert "ended unexpectedly" in page.view.banner.brief.text()
    page.view.banner.close_run.click()
    qtbot.waitUntil(lambda: page.view.banner.title.text() == "INCOMPLETE (SIMULATED)")
    with closing(RunStore(tmp_path)) as store:
        assert store.run(run.id).status is RunStatus.FINISHED


@pytest.mark.parametrize("burned", [2, 1])
def test_an_interrupted_run_can_go_on_with_all_devices_that_it_was_started_beside(
    page, qtbot, fake_run, orders, burned
):
    run = fake_run(burned=burned).started()
    page.show()
    qtbot.waitUntil(lambda: page.view.recording is not None)
    page.view.banner.resume.click()
    qtbot.waitUntil(lambda: bool(orders))
    assert (orders[0].resume, orders[0].simulate) == (run.id, "rtx-3090,rtx-3090")


def test_a_new_run_tells_of_an_earlier_one_that_broke_off(shown, qtbot, fake_run, orders):
    shown.start()
    qtbot.waitUntil(lambda: len(orders) == 1)
    assert shown.notice.isHidden()
    broken = fake_run().started()
    shown.start()
    qtbot.waitUntil(shown.notice.isVisible)
    sentence = f"Run {broken.id} was interrupted and has no verdict. Resume it later on the Runs page."
    assert shown.notice.text() == sentence
    assert orders[-1].resume is None


def test_a_runner_that_vanishes_under_the_eyes_is_noticed(page, qtbot, tmp_path, fake_run, monkeypatch):
    monkeypatch.setattr("gui.burnin.run.run_view.STALE_S", 0.2)
    monkeypatch.setattr(page_module, "LOST_AFTER_S", 0.2)
    lock = take_runner_lock(tmp_path)  # first, as a runner does: the page may be looking already
    run = fake_run().started()
    page.show()
    qtbot.waitUntil(lambda: page.active_run() == run.id)
    lock.release()
    qtbot.waitUntil(lambda: page.view.banner.title.text() == "INTERRUPTED (SIMULATED)")
    assert page.active_run() is None


def test_the_run_is_compared_with_the_build_only_when_wanted(shown, qtbot, orders):
    assert shown.plan.compare.isHidden()
    shown.set_build_source(lambda: "the build")
    shown.start()
    qtbot.waitUntil(lambda: len(orders) == 1)
    qtbot.waitUntil(lambda: shown.view.run_id is None)
    shown.plan.compare.setChecked(True)
    shown.start()
    qtbot.waitUntil(lambda: len(orders) == 2)
    assert [order.build for order in orders] == [None, "the build"]


def test_space_and_home_work_wherever_nothing_else_wants_them(page, running):
    page.bar.setFocus()
    QTest.keyClick(page, Qt.Key.Key_Space)
    assert page.view.board.paused
    QTest.keyClick(page, Qt.Key.Key_Home)
    assert not page.view.board.paused


def buttons(page):
    return {button.text() for button in page.bar.findChildren(QToolButton) if button.isVisible()}


def test_only_the_buttons_that_fit_the_state_are_shown_and_have_their_keys(page, running):
    assert buttons(page) == {"Stop", "Skip stage", "Remark…"}
    page.bar.show_state(active=False, startable=True)
    assert buttons(page) == {"Start"}
    keys = {action.text(): action.shortcut().toString() for action in page.run_actions()}
    assert (keys["Start"], keys["Stop"]) == ("F5", "Shift+F5")


@pytest.mark.parametrize(("count", "width", "rows"), [(6, 1424, 2), (6, 984, 3), (1, 984, 2)])
def test_plan_and_start_take_as_few_rows_as_the_width_allows(shown_with, count, width, rows):
    page = shown_with([gpu(index) for index in range(count)])
    page.resize(width, 700)
    tops = {check.mapTo(page, QPoint(0, 0)).y() for check in page.plan.checks}
    start = next(button for button in page.bar.findChildren(QToolButton) if button.text() == "Start")
    top_row = start.mapTo(page, QPoint(0, 0)).y()
    assert abs(top_row - page.plan.profile.mapTo(page, QPoint(0, 0)).y()) < 4
    assert len(tops) + 1 <= rows
    assert page.minimumSizeHint().width() <= 984


def test_a_run_that_begins_under_the_focus_hands_the_keys_to_its_charts(page, qtbot, tmp_path, fake_run):
    page.show()
    page.plan.profile.setFocus()
    with take_runner_lock(tmp_path):
        run = fake_run().started()
        page._look()
        qtbot.waitUntil(lambda: page.active_run() == run.id)
    assert page.focusWidget() is page.view.board


def test_the_title_stands_beside_the_buttons_of_a_run_and_above_one_that_is_over(page, qtbot, running):
    stop = next(button for button in page.bar.findChildren(QToolButton) if button.text() == "Stop")
    row = page.view.title_row
    assert row.geometry().top() <= stop.mapTo(page, QPoint(0, 0)).y() <= row.geometry().bottom()
    running.finish()
    qtbot.waitUntil(lambda: row.parent() is page.view)
    assert page.plan.controls.isVisible()


def test_the_devices_are_told_to_the_window(page, qtbot, devices):
    lines = []
    page.devices_changed.connect(lines.append)
    page.show()
    qtbot.waitUntil(lambda: lines == ["2 × RTX 3090"])
    page.plan.simulated = "1x3090"
    page.detect()
    qtbot.waitUntil(lambda: lines[1:] == ["RTX 3090 (SIMULATED)"])
    assert "no hardware is loaded" in page.plan.summary.text()


@pytest.mark.parametrize(("present", "line"), [([CPU], "AMD EPYC 7402P"), ([], "")], ids=["CPU", "nothing"])
def test_a_machine_without_gpu_is_told_by_its_cpu(present, line):
    assert device_line(present) == line


def test_nothing_can_be_started_without_a_device(shown):
    (step,) = shown._pages.widget(0).findChildren(QPushButton)
    assert step.isEnabled()
    for check in shown.plan.checks:
        check.setChecked(False)
    assert not step.isEnabled()
    assert not shown.bar.start.isEnabled()


def test_a_driver_that_starts_up_is_told_of_in_the_bar_until_the_devices_are_there(page, qtbot, monkeypatch, devices):
    monkeypatch.setattr("gui.burnin.run.run_bar.TELL_AFTER_S", 0.05)
    monkeypatch.setattr("gui.burnin.run.run_bar.waits_for_driver", lambda: True)
    answer = threading.Event()
    find = page_module.detect_devices

    def slow(simulate=None):
        answer.wait(PATIENCE_S)
        return find(simulate)

    monkeypatch.setattr(page_module, "detect_devices", slow)
    page.show()
    qtbot.waitUntil(lambda: "Waiting for the NVIDIA driver" in page.plan.summary.text())
    answer.set()
    qtbot.waitUntil(lambda: bool(page.plan.checks))
    qtbot.wait(100)
    assert "Waiting" not in page.plan.summary.text()


def test_a_long_run_is_stopped_only_after_a_question(page, qtbot, tmp_path, fake_run, sentences):
    sentences.answer = messages.CANCEL
    with take_runner_lock(tmp_path):
        run = fake_run(profile="every-check")
        run.begin(0, 0.0)
        run.tick(5.0)
        page.show()
        qtbot.waitUntil(lambda: page.active_run() == run.id)
        page.bar.stop.trigger()
        assert not run.store.pending_requests(run.id)
        assert sentences.careful
        sentences.answer = "stop"
        page.bar.stop.trigger()
        qtbot.waitUntil(lambda: [one.kind for one in run.store.pending_requests(run.id)] == ["stop"])
    assert sentences == [f"Stop run {run.id} after 0:05 of {clock(run.profile.seconds)}?"] * 2


def test_a_search_that_was_overtaken_by_another_wish_is_not_heard(page, qtbot, monkeypatch):
    goes_on = threading.Event()

    def detect(simulate=None):
        if simulate is None:
            goes_on.wait(PATIENCE_S)
        return [gpu(0)] if simulate else [gpu(1, simulated=False, id="GPU-late")]

    monkeypatch.setattr(page_module, "detect_devices", detect)
    page.show()
    page.plan.simulated = "1x3090"
    page.detect()
    qtbot.waitUntil(lambda: [device.id for device in page.plan.present] == [gpu(0).id])
    goes_on.set()
    QThreadPool.globalInstance().waitForDone(int(1000 * PATIENCE_S))
    qtbot.wait(50)
    assert [device.id for device in page.plan.present] == [gpu(0).id]


def test_a_run_without_signature_is_reported_until_it_is_signed(page, qtbot, running):
    running.finish()
    banner = page.view.banner
    qtbot.waitUntil(lambda: "Run 1 is not signed" in banner.brief.text(), timeout=30000)
    assert "rigwright seal 1" in banner.brief.text()
    assert "Run 1 is not signed" in banner.accessibleDescription()
    seal_run(running.store, running.id)
    qtbot.waitUntil(lambda: not banner.brief.isVisible(), timeout=30000)
