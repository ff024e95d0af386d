"""A log of another tool in the window: opened with its charts, marked, and held against a run that was measured."""

from contextlib import closing
from pathlib import Path

import pytest
from PySide6.QtWidgets import QInputDialog

from core.burnin.record.sample_files import import_log
from core.burnin.record.store import RunStore
from core.machine.telemetry.tool_logs.reading import read_tool_log
from gui.history.comparison import differences, shared_stages
from gui.history.comparison import read_runs as compared_runs
from gui.history.page import RunsPage
from gui.history.runs import RunColumn
from tests.gui.burnin.fake_run import finished_run
from tests.lab.calibrate.test_tool_log import write_log

LOGS = Path(__file__).parents[2] / "machine" / "telemetry" / "tool_logs"


@pytest.fixture
def page(qtbot, tmp_path):
    page = RunsPage(tmp_path)
    qtbot.addWidget(page)
    page.resize(1100, 800)
    page.show()
    yield page
    page.view.clear()


def test_a_log_that_is_chosen_is_listed_opened_and_marked(qtbot, page, answers, tmp_path):
    answers.open_path = write_log(tmp_path / "log.csv")
    page.import_log.click()
    qtbot.waitUntil(lambda: page.selected_run() == 1 and page.view.recording is not None, timeout=60_000)
    row = page.model.rows[0]
    assert page.model.columns[RunColumn.VERDICT].text(row) == "NOT JUDGED"
    assert not page.report.isEnabled()
    assert not page.certificate.isEnabled()
    recording = page.view.recording
    qtbot.waitUntil(lambda: recording.sampled_s > 0, timeout=60_000)
    assert recording.measured("temperature_c")
    assert recording.device("LOG-gpu-1").statistics("power_w").highest == 207
    assert page.view.banner.title.text() == "NOT JUDGED"
    assert not page.view.banner.report.isVisible()
    assert not page.view.noise.isVisible()
    assert {card.error_text() for card in page.view.cards.cards} == {"Not judged"}


def test_it_asks_for_the_interval_that_a_log_does_not_say(qtbot, page, answers, monkeypatch, tmp_path):
    questions = []
    monkeypatch.setattr(QInputDialog, "getDouble", lambda *words: (questions.append(words[2]), (30.0, True))[1])
    answers.open_path = LOGS / "dmon-plain.txt"
    page.import_log.click()
    qtbot.waitUntil(lambda: page.selected_run() == 1, timeout=60_000)
    assert len(questions) == 1
    with closing(RunStore(tmp_path)) as store:
        assert store.last_time_s(1) == 240


def test_it_asks_for_the_fields_of_a_query_without_heading(qtbot, page, answers, monkeypatch, tmp_path):
    bare = tmp_path / "bare.csv"
    text = (LOGS / "smi-one-card-of-a-cluster.csv").read_text(encoding="utf-8").partition("\n")[2]
    bare.write_text(text, encoding="utf-8")
    fields = "index,timestamp,utilization.gpu,utilization.memory,memory.total,memory.used,memory.free"
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: (fields, True))
    answers.open_path = bare
    page.import_log.click()
    qtbot.waitUntil(lambda: page.selected_run() == 1, timeout=60_000)
    with closing(RunStore(tmp_path)) as store:
        assert store.samples(1, "LOG-gpu-0", names=("utilisation_pct",))[-1, 1] == 32


def test_its_load_stands_beside_any_stage_of_a_measured_run(tmp_path):
    finished_run(tmp_path)
    log = write_log(tmp_path / "log.csv")
    imported = import_log(tmp_path, log, read_tool_log(log))
    runs = compared_runs(tmp_path, [1, imported])
    kinds = [kind for kind, _ in shared_stages(runs)]
    measured = [stage.kind for stage in runs[0].stages if stage.started_s is not None]
    assert set(measured) <= set(kinds)
    rows = [row for row in differences(runs, None) if row.metric == "power_w"]
    assert rows
    assert rows[0].figures[1] == pytest.approx(203.5)
    times, _ = runs[1].during(kinds[0], None, "power_w")
    assert times[-1] == pytest.approx(3000, abs=10)
