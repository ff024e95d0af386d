"""Past runs are listed, opened, annotated and deleted."""

import sqlite3
from contextlib import closing

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QInputDialog, QPlainTextEdit

from core.burnin.record.rows import InterruptionKind, Outcome
from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from gui.burnin.words import device_summary
from gui.history.comparison import differences, shared_devices
from gui.history.comparison import read_runs as compared_runs
from gui.history.page import RunsPage
from gui.history.runs import RunColumn, read_past, read_runs
from gui.widgets import messages
from tests.gui.burnin.fake_run import FakeRun, finished_run, gpu


@pytest.fixture
def runs(tmp_path):
    """Three runs: passed, failed, and one that goes on."""
    finished_run(tmp_path)
    finished_run(tmp_path, Outcome.FAIL, devices=[gpu(0)], title="电源 test")
    with closing(FakeRun(tmp_path)) as run:
        run.begin(0, 0.0)
        run.tick(0.0)
        yield run


@pytest.fixture
def page(qtbot, tmp_path, runs):
    page = RunsPage(tmp_path)
    QAbstractItemModelTester(page.model, QAbstractItemModelTester.FailureReportingMode.Fatal, page)
    qtbot.addWidget(page)
    page.resize(1000, 700)
    page.show()
    qtbot.waitUntil(lambda: page.model.rowCount() == 3)
    yield page
    page.view.clear()


@pytest.fixture
def pages():
    """Pages of a test's own: held until Qt has done with them, for Python must not collect what is still drawn."""
    open_pages = []
    yield open_pages
    for page in open_pages:
        page.view.clear()


@pytest.fixture
def question(monkeypatch):
    """Answers "delete" to every question until told otherwise."""
    questions = {"answer": "delete", "texts": []}

    def ask(parent, text, detail, choices, *, careful=False):
        assert careful, "Cancel is the default"
        questions["texts"].append(text)
        assert choices[0][1] == "Delete the run"
        return questions["answer"]

    monkeypatch.setattr(messages, "ask", ask)
    return questions


def test_a_run_that_was_changed_since_has_no_verdict_in_list_and_view(qtbot, pages, tmp_path):
    finished_run(tmp_path, Outcome.FAIL)
    with closing(RunStore(tmp_path)) as store:
        seal_run(store, 1)
        with store.one_commit():
            store._db.execute("UPDATE verdicts SET outcome = 'PASS'")
    page = RunsPage(tmp_path)
    pages.append(page)
    qtbot.addWidget(page)
    page.show()
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    assert texts(page, 0)[RunColumn.VERDICT] == "CHANGED"
    page.table.selectRow(0)
    qtbot.waitUntil(page.view.banner.isVisible)
    assert page.view.banner.title.text() == "CHANGED (SIMULATED)"
    assert "rigwright verify 1" in page.view.banner.brief.text()
    assert (page.view.recording.verdicts, page.view.recording.results) == ([], [])
    assert [run.outcome for run in compared_runs(tmp_path, [1])] == [None]


def texts(page, row):
    return [page.sorted.index(row, column).data() for column in RunColumn]


def test_runs_are_listed_newest_first_with_their_verdict(page):
    assert [texts(page, row)[RunColumn.NUMBER] for row in range(3)] == ["3", "2", "1"]
    assert [texts(page, row)[RunColumn.VERDICT] for row in range(3)] == ["RUNNING", "FAIL", "PASS"]
    assert texts(page, 1)[RunColumn.TITLE] == "电源 test"
    assert texts(page, 1)[RunColumn.DEVICES] == "RTX 3090 (SIMULATED)"
    assert texts(page, 0)[RunColumn.DURATION] == "–"
    assert not page.model.index(1, RunColumn.VERDICT).data(Qt.ItemDataRole.DecorationRole).isNull()
    assert [texts(page, row)[RunColumn.FAILED] for row in range(3)] == ["", "GPU 0", ""]


def test_runs_tell_the_build_that_they_are_compared_with(tmp_path):
    for build in ('{"name": "Six, quiet"}', "[]", "{", None):
        finished_run(tmp_path, build=build)
    assert [row.build for row in read_runs(tmp_path)] == ["", "", "", "Six, quiet"]


def test_two_chosen_runs_are_compared_by_the_time_of_a_stage(page, qtbot):
    page.select_run(1)
    page.select_run(2, beside=True)
    comparison = page.comparison
    qtbot.waitUntil(lambda: comparison.chart is not None)
    assert page._below.currentWidget() is comparison
    assert comparison.run_ids == (1, 2)
    traces = comparison.chart.curves.traces
    assert [trace.x[0] for trace in traces] == [0.0, 0.0]
    assert comparison.stage.currentText() == "Verified GEMM"
    headings = [comparison.table.model().headerData(n, Qt.Orientation.Horizontal) for n in range(5)]
    assert headings == ["Stage", "Mean", "Run 1", "Run 2", "Spread"]
    comparison.device.setCurrentIndex(1)
    assert comparison.device.currentData() == gpu(0).id
    comparison.metric_choice.setCurrentIndex(comparison.metric_choice.findData("images_per_s"))
    assert "not measured" in comparison.chart._backdrop._scenery.notice
    page.select_run(2)
    assert page._below.currentWidget() is page.view


def test_differences_are_means_of_the_second_half_of_a_stage(tmp_path):
    for shift in (0.0, 30.0):
        with closing(FakeRun(tmp_path, devices=[gpu(0), gpu(1)])) as run:
            run.values = lambda place, time_s, shift=shift: {"power_w": 100.0 + 100 * place + shift}
            run.play()
            run.finish()
    runs = compared_runs(tmp_path, (1, 2))
    rows = {row.stage: row for row in differences(runs, None) if row.metric == "power_w"}
    assert rows["Verified GEMM"].figures == (150.0, 180.0)
    assert rows["Verified GEMM"].spread_pct == pytest.approx(20.0)
    (row, *_) = (row for row in differences(runs, gpu(1).id) if row.metric == "power_w")
    assert row.figures == (200.0, 230.0)
    assert [key for key, _ in shared_devices(runs)] == [gpu(0).id, gpu(1).id]


def test_more_runs_than_can_be_told_apart_are_not_compared(page, qtbot, tmp_path):
    for _ in range(8):
        finished_run(tmp_path)
    page.refresh()
    qtbot.waitUntil(lambda: page.model.rowCount() == 11)
    page.table.selectAll()
    assert "at most 8" in page._hint.label.text()


def test_what_interrupted_a_run_stands_beside_its_verdict(page, runs, qtbot):
    assert texts(page, 2)[RunColumn.INTERRUPTIONS] == ""
    runs.store.mark_interrupted(runs.id, InterruptionKind.KILLED, "Its runner ended unexpectedly.")
    runs.store.set_runner(runs.id, 1, "boot")
    page.refresh()
    qtbot.waitUntil(lambda: texts(page, 0)[RunColumn.INTERRUPTIONS] == "Runner killed, Resumed")
    tip = page.sorted.index(0, RunColumn.INTERRUPTIONS).data(Qt.ItemDataRole.ToolTipRole)
    assert "Its runner ended unexpectedly." in tip


def test_a_chosen_run_is_opened_as_a_whole(page, qtbot):
    page.select_run(2)
    qtbot.waitUntil(lambda: page.view.recording is not None)
    assert page.view.recording.run.id == 2
    assert page.view.banner.title.text() == "FAIL (SIMULATED)"
    assert page.view.tools.window_choice.currentText() == "Whole run"
    start, end = page.view.board.chart("power_w").view.viewRange()[0]
    assert (start, end) == (0, page.view.recording.last_s)


def test_choosing_quickly_ends_at_the_last_choice(page, qtbot):
    for run_id in (1, 2, 3, 1):
        page.select_run(run_id)
    qtbot.waitUntil(lambda: page.view.recording is not None)
    assert page.view.recording.run.id == 1


def test_a_run_is_deleted_only_after_the_question(page, qtbot, question, tmp_path):
    page.select_run(1)
    question["answer"] = messages.CANCEL
    page.delete.click()
    assert page.model.rowCount() == 3
    question["answer"] = "delete"
    page.delete.click()
    qtbot.waitUntil(lambda: page.model.rowCount() == 2)
    assert page.selected_run() is None
    assert page.view.recording is None
    assert [row.run.id for row in read_runs(tmp_path)] == [3, 2, 1], "until the window is closed"
    page.finish_deletions()
    assert [row.run.id for row in read_runs(tmp_path)] == [3, 2]


def test_a_deletion_can_be_undone_until_the_window_is_closed(page, qtbot, question, tmp_path):
    assert not page.undo_delete.isVisible()
    page.select_run(1)
    page.delete.click()
    page.refresh()
    qtbot.waitUntil(lambda: not page._reading)
    assert page.model.rowCount() == 2
    page.undo_delete.click()
    assert page.model.rowCount() == 3
    assert page.selected_run() == 1
    assert not page.undo_delete.isVisible()
    page.finish_deletions()
    assert len(read_runs(tmp_path)) == 3


def test_runs_that_are_deleted_or_missing_are_reported_beside_the_list(page, qtbot, tmp_path):
    assert not page.problems.isVisible()
    assert not page.deleted_runs.isVisible()
    with closing(RunStore(tmp_path)) as store:
        store.delete(1)
    with sqlite3.connect(tmp_path / "runs.sqlite") as db:
        db.execute("PRAGMA foreign_keys = OFF")
        db.execute("DELETE FROM runs WHERE id = 2")
    page.refresh()
    qtbot.waitUntil(lambda: page.model.rowCount() == 1)
    assert page.deleted_runs.isVisible()
    assert page.deleted_runs.text() == "Deleted runs: 1"
    assert "1: deleted 20" in page.deleted_runs.toolTip()
    assert page.problems.isVisible()
    assert "Run 2 is missing here." in page.problems.text()


def test_a_run_that_goes_on_cannot_be_deleted(page, question):
    page.select_run(3)
    assert not page.delete.isEnabled()
    page.delete_selected()
    assert not question["texts"]


def test_the_delete_key_asks_too(page, qtbot, question):
    page.select_run(2)
    page.table.setFocus()
    page.activateWindow()
    question["answer"] = messages.CANCEL
    qtbot.waitUntil(page.table.hasFocus)
    qtbot.keyClick(page.table, Qt.Key.Key_Delete)
    assert question["texts"] == ["Delete run 2?"]


def test_a_note_is_kept_and_shown_and_the_choice_stays(page, qtbot, monkeypatch, tmp_path):
    page.select_run(2)

    def write(dialog):
        field = dialog.findChild(QPlainTextEdit)
        assert field.tabChangesFocus(), "the keyboard comes to the buttons"
        field.insertPlainText("换了电源 ")
        return QInputDialog.DialogCode.Accepted

    monkeypatch.setattr(QInputDialog, "exec", write)
    page.note.click()
    qtbot.waitUntil(lambda: texts(page, 1)[RunColumn.NOTE] == "换了电源")
    assert page.selected_run() == 2
    with closing(RunStore(tmp_path)) as store:
        assert store.run(2).note == "换了电源"


def test_a_damaged_verdict_takes_no_other_run_off_the_list(page, runs, tmp_path):
    with closing(RunStore(tmp_path)) as store, store.one_commit():
        store._db.execute("UPDATE verdicts SET outcome = 'MAYBE' WHERE run_id = 1")
    past = read_past(tmp_path)
    assert [row.run.id for row in past.rows] == [3, 2]
    assert any("of run 1 cannot be read" in problem for problem in past.problems)


def test_runs_are_found_by_any_text(page):
    page.search.setText("电源")
    assert page.sorted.rowCount() == 1
    page.search.setText("pass")
    assert page.sorted.rowCount() == 1


def test_numbers_are_sorted_as_numbers(qtbot, tmp_path, page):
    for _ in range(8):
        with closing(FakeRun(tmp_path)) as run:
            run.finish()
    page.refresh()
    qtbot.waitUntil(lambda: page.model.rowCount() == 11)
    page.table.sortByColumn(RunColumn.NUMBER, Qt.SortOrder.AscendingOrder)
    assert [texts(page, row)[0] for row in range(11)] == [str(number) for number in range(1, 12)]


def test_an_empty_page_says_what_will_be_here(qtbot, pages, tmp_path):
    page = RunsPage(tmp_path)
    pages.append(page)
    qtbot.addWidget(page)
    page.show()
    assert "listed here" in page._hint.label.text()
    assert not page.report.isEnabled()
    qtbot.waitUntil(lambda: not page._reading)


@pytest.mark.parametrize(
    ("names", "summary"), [((), ""), (("A",), "A"), (("A", "B", "A"), "2 × A, B"), (("A", "A"), "2 × A")]
)
def test_equal_devices_are_counted(names, summary):
    assert device_summary(names) == summary
