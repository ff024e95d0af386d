"""Watching a burn-in, expectations 11 to 20: guards, stop, loss, verdict, export, comparison, resumption, terminal."""

import csv
import json
import os
import subprocess
import sys
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QInputDialog

from core.burnin.record.rows import MACHINE, EventLevel, Outcome, Reason, RunStatus, Verdict
from core.burnin.record.store import RunStore
from gui.burnin.run.before_run import SimulateDialog
from gui.shell.pages import BURNIN, RUNS
from gui.widgets.background import call_later
from tests.gui.burnin.fake_run import FakeRun, finished_run, gpu
from tests.patience import PATIENCE_S

PROFILE = """
name = "hot"
title = "Hot"
description = "A limit that every loaded card passes."
guards = { temperature_c = 40, temperature_for_s = 2 }
stages = [{ kind = "gemm", seconds = 60 }]
"""
SHIFT = Qt.KeyboardModifier.ShiftModifier


def processes_of(folder: Path) -> list[psutil.Process]:
    """What works on this data folder."""
    words = ((process, " ".join(process.info["cmdline"] or [])) for process in psutil.process_iter(["cmdline"]))
    return [process for process, line in words if str(folder) in line]


@pytest.fixture
def burning(qtbot: Any, window: Any, data_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Two simulated cards with a limit of 40 °C, started with F5."""
    (tmp_path / "hot.toml").write_text(PROFILE)
    monkeypatch.setattr(
        "gui.burnin.run.plan_bar.QFileDialog.getOpenFileName", lambda *_: (str(tmp_path / "hot.toml"), "")
    )
    window.pages.setCurrentIndex(BURNIN)
    page = window.pages.require_burnin()
    qtbot.waitUntil(lambda: bool(page.plan.checks))
    page.plan.profile.setFocus()
    page.plan.profile.setCurrentIndex(page.plan.profile.count() - 1)
    assert page.plan.profile.currentText() == "hot.toml"

    def answer() -> None:
        dialog = next(child for child in page.findChildren(SimulateDialog) if child.isVisible())
        qtbot.keyClicks(dialog.text, "2x3090")
        qtbot.keyClick(dialog.text, Qt.Key.Key_Return)

    call_later(page, answer, 100)
    qtbot.mouseClick(page.plan.simulate, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [device.simulated for device in page.plan.chosen] == [True, True])
    window.activateWindow()
    qtbot.waitUntil(lambda: window.isActiveWindow() and page.bar.start.isEnabled())
    qtbot.keyClick(page, Qt.Key.Key_F5)
    qtbot.waitUntil(lambda: page.active_run() is not None)
    yield page
    page.stop_now()
    with suppress(TimeoutError):
        qtbot.waitUntil(lambda: not processes_of(data_dir))
    for process in processes_of(data_dir):
        process.kill()
    page.view.clear()


@pytest.mark.process
def test_11_and_12_heat_that_lasts_stops_the_load_loudly_and_stop_leaves_nothing(
    burning: Any, qtbot: Any, window: Any, data_dir: Path
) -> None:
    page, failures = burning, []
    page.milestones.first_failure.connect(failures.append)
    recording = page.view.recording

    def hot() -> list[Any]:
        return [event for event in recording.events if "Too hot for" in str(event.message)]

    qtbot.waitUntil(lambda: bool(hot()))
    first = hot()[0]
    card = recording.device(first.device_id)
    over = card.times.all[card.series["temperature_c"].values >= 40]
    assert first.time_s - over[0] >= 1.5, "not by one spike"
    assert "limit 40 °C" in str(first.message)
    assert float(np.median(np.diff(recording.devices[0].times.all))) == pytest.approx(1.0, abs=0.3), "one a second"
    qtbot.waitUntil(lambda: bool(failures))
    assert any("Too hot" in page.view.log.filter.index(row, 3).data() for row in range(page.view.log.filter.rowCount()))
    assert processes_of(data_dir)
    qtbot.keyClick(page, Qt.Key.Key_F5, SHIFT)
    qtbot.waitUntil(lambda: page.active_run() is None)
    qtbot.waitUntil(lambda: not processes_of(data_dir))
    with closing(RunStore(data_dir)) as store:
        assert store.run(recording.run.id).status is RunStatus.FINISHED
        assert store.verdicts(recording.run.id)[0].outcome is not Outcome.PASS


def test_13_a_lost_card_is_a_result_and_the_others_go_on(watch: Any) -> None:
    watched = watch([gpu(index) for index in range(3)])
    lost = watched.run.devices[2]
    watched.run.event(30.0, "The device was lost: gone", EventLevel.ERROR, "lost", lost.id)
    card = watched.page.view.cards.cards[2]
    watched.until(lambda: card.state_button.text() == "LOST")
    watched.sample(31.0)
    assert watched.page.active_run() == watched.run.id
    assert watched.page.view.cards.cards[0].record.now("power_w") is not None
    watched.run.store.finish(
        watched.run.id,
        [Verdict(MACHINE, Outcome.FAIL, ()), Verdict(lost.id, Outcome.FAIL, (Reason(Outcome.FAIL, "Lost."),))],
    )
    watched.until(watched.page.view.banner.isVisible)
    assert watched.page.view.banner.causes.lines[0].what.startswith("GPU 2 lost at 0:30")


def test_14_a_sensor_that_is_not_there_is_not_measured_and_never_zero(watch: Any) -> None:
    watched = watch([gpu(0, id="GPU-0"), gpu(1)], seconds=1)
    values = watched.run.values
    watched.run.values = lambda place, time_s: {**values(place, time_s), **({} if place else {"power_w": None})}
    watched.page.view.cards._reset.click()
    watched.sample(1.0)
    cells = watched.page.view.cards.cards[0]._figures._cells["power_w"]
    watched.until(lambda: [cell.text() for cell in cells] == ["–"] * 4)
    assert {cell.toolTip() for cell in cells} == {"Not measured"}


def test_15_it_is_cheap_nothing_is_drawn_unseen(watch: Any) -> None:
    watched = watch()
    board = watched.page.view.board
    watched.key(Qt.Key.Key_PageUp, Qt.KeyboardModifier.ControlModifier)
    drawn = board._drawn
    watched.sample(30.0)
    assert board._drawn == drawn
    watched.key(Qt.Key.Key_PageDown, Qt.KeyboardModifier.ControlModifier)
    watched.until(lambda: board._drawn[2] == 30.0)


def test_16_the_verdict_says_of_each_card_why_in_words(watch: Any) -> None:
    watched = watch()
    slow = Reason(Outcome.WARN, "It is slower than its peers.", 4.0, 3.0, "%", "criterion of the profile")
    fine = Reason(Outcome.PASS, "All results were right.")
    verdicts = [
        Verdict(MACHINE, Outcome.WARN, ()),
        *(
            Verdict(device.id, outcome, (fine, *extra))
            for device, outcome, extra in zip(
                watched.run.devices, (Outcome.PASS, Outcome.WARN), ((), (slow,)), strict=True
            )
        ),
    ]
    watched.run.store.finish(watched.run.id, verdicts)
    banner = watched.page.view.banner
    watched.until(banner.isVisible)
    watched.click(banner.unfold)
    reasons = banner.reasons.text().replace("\N{NO-BREAK SPACE}", " ")
    assert banner.reasons.isVisible()
    assert "GPU 1" in reasons
    assert "It is slower than its peers." in reasons
    assert "measured 4 %, limit 3 %" in reasons
    assert banner.title.text() == "WARN (SIMULATED)"


def test_17_samples_charts_and_report_are_files(watch: Any, answers: Any, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr("gui.widgets.files.show_file", lambda path: None)
    watched = watch()
    picture, table, lines = watched.page.view.tools.out_actions
    for action, name in ((picture, "charts.png"), (table, "samples.csv"), (lines, "samples.jsonl")):
        answers.save_path = tmp_path / name
        assert action in watched.page.view.tools.out.menu().actions()
        action.trigger()
        watched.until(answers.save_path.exists)
    seen = QImage(str(tmp_path / "charts.png"))
    assert seen.width() == watched.page.view.board.width()
    with (tmp_path / "samples.csv").open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 30 * 2
    assert {row["device"] for row in rows} == {watched.run.devices[0].title, watched.run.devices[1].title}
    record = watched.page.view.recording.devices[0]
    shown = [float(row["power_w"]) for row in rows if row["device_id"] == record.device.id]
    assert shown == pytest.approx(record.series["power_w"].values, abs=0.01)
    first = json.loads((tmp_path / "samples.jsonl").read_text().splitlines()[0])
    assert first["run"] == watched.run.id
    watched.run.finish()
    watched.until(watched.page.view.banner.report.isVisible)
    answers.save_path = tmp_path / "report.pdf"
    watched.click(watched.page.view.banner.report)
    watched.until(answers.save_path.exists)
    assert answers.save_path.read_bytes().startswith(b"%PDF")


def test_18_runs_stand_beside_each_other_and_carry_notes(
    window: Any, qtbot: Any, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        finished_run(data_dir)
    window.pages.setCurrentIndex(RUNS)
    page = window.pages.runs
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    page.table.setFocus()
    page.table.setCurrentIndex(page.sorted.index(0, 0))

    def write(dialog: QInputDialog) -> int:
        dialog.setTextValue("new paste on card 1")
        return QInputDialog.DialogCode.Accepted

    monkeypatch.setattr(QInputDialog, "exec", write)
    qtbot.mouseClick(page.note, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: "new paste on card 1" in [row.run.note for row in page.model.rows])
    qtbot.keyClick(page.table, Qt.Key.Key_Down, SHIFT)
    qtbot.waitUntil(lambda: page.comparison.chart is not None)
    assert page.comparison.isVisible()
    assert page.comparison.run_ids == (1, 2)
    assert page.comparison.table.model().rowCount() > 0


def test_19_an_interrupted_run_goes_on_or_is_judged_by_what_it_has(
    window: Any, qtbot: Any, data_dir: Path, orders: list[Any]
) -> None:
    with closing(FakeRun(data_dir)) as run:
        run.begin(0, 0.0)
        run.tick(0.0)
    window.pages.setCurrentIndex(BURNIN)
    page = window.pages.require_burnin()
    qtbot.waitUntil(lambda: page.view.banner.title.text() == "INTERRUPTED (SIMULATED)")
    qtbot.mouseClick(page.view.banner.resume, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: [order.resume for order in orders] == [run.id])
    qtbot.mouseClick(page.view.banner.close_run, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: page.view.banner.title.text() == "INCOMPLETE (SIMULATED)")
    assert len(page.view.recording.devices[0].times.all) == 1, "what was recorded is kept"


@pytest.mark.process
def test_20_the_same_without_a_window_as_json_with_an_exit_code(data_dir: Path) -> None:
    without = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "QT_QPA_PLATFORM")}
    words = ("burn", "--simulate", "1x3090", "--stage", "idle", "--minutes", "0.1", "--json")
    done = subprocess.run(
        [sys.executable, "-m", "core.cli", *words, "--data-dir", str(data_dir)],
        env=without, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    summary = json.loads(done.stdout)
    assert summary["run"] == 1
    outcome = next(verdict["outcome"] for verdict in summary["verdicts"] if verdict["device_id"] == MACHINE)
    assert done.returncode == {"pass": 0, "warn": 0, "fail": 1, "incomplete": 4}[outcome.lower()], done.stderr
