"""Calibrating in the window: shown before it is kept, undone like any edit, and never simulated in silence."""

import json
from contextlib import closing

import pytest

from core.burnin.record.store import RunStore
from core.lab.calibrate.refusal import NO_ROOM
from core.plan.calibration import NOTHING
from gui.widgets.units import local
from tests.gui.predict.conftest import settle, texts
from tests.lab.calibrate.benches import machine
from tests.lab.calibrate.test_recorded import record

MEASURED = {
    "format": "rigwright-measurements",
    "version": 1,
    "on": "2026-03-01",
    "by": "Ada",
    "room_c": 24.0,
    "minutes": 50,
    "cards": [
        {"slot": 1, "temperature_c": 72, "power_w": 290, "drift_k": 0.1, "fan_share": 0.7},
        {"slot": 3, "temperature_c": 77, "power_w": 290, "drift_k": 0.1, "fan_share": 0.8},
    ],
}


@pytest.fixture
def bench(document, plan):
    plan(machine((1, 3), product="GeForce RTX 3090"))
    return document


@pytest.fixture
def measured(tmp_path, answers):
    path = tmp_path / "measured.json"
    path.write_text(json.dumps(MEASURED))
    answers.open_path = path
    return path


def recorded_run(data_dir, **changes):
    with closing(RunStore(data_dir)) as store:
        return record(store, **changes)


def work_out(qtbot, panel):
    panel.form.work_out.click()
    settle(qtbot, panel)


def choose(qtbot, panel, source):
    qtbot.waitUntil(lambda: panel.form.source.findData(source) >= 0)
    panel.form.source.setCurrentIndex(panel.form.source.findData(source))


@pytest.fixture
def panel(qtbot, bench, show, measured):
    """The section with the measured file chosen."""
    panel = show("calibration")
    choose(qtbot, panel, "file")
    assert not panel.form.work_out.isEnabled()
    panel.form.choose.click()
    return panel


def test_a_file_is_fitted_shown_kept_and_taken_away(qtbot, bench, panel):
    assert panel.form.file_name.text() == "measured.json"
    work_out(qtbot, panel)
    assert bench.build.calibration == NOTHING, "only shown so far"
    titles = [row[0] for row in texts(panel.compared)]
    assert any("chip" in title for title in titles)
    assert texts(panel.fitted)
    assert "Why" not in panel.refusals.text()
    assert "not fitted" in panel.refusals.text()
    assert "--" not in panel.refusals.text()
    panel.keep.click()
    assert bench.build.calibration.run == "measured.json"
    assert "measured.json" in panel.lead.text()
    assert texts(panel.stored)
    bench.undo_stack.undo()
    assert bench.build.calibration == NOTHING
    bench.undo_stack.redo()
    panel.remove.click()
    assert bench.build.calibration == NOTHING
    assert not panel.stored.isVisible()


def test_a_second_calibration_says_which_one_it_replaces(qtbot, panel):
    work_out(qtbot, panel)
    panel.keep.click()
    panel.form.level.box.click()
    work_out(qtbot, panel)
    assert "replaces the calibration by measured.json" in panel.result.text()


def test_a_recorded_run_calibrates_with_the_room_that_was_measured(qtbot, bench, show, data_dir):
    run = recorded_run(data_dir)
    panel = show("calibration")
    choose(qtbot, panel, run)
    work_out(qtbot, panel)
    assert "room temperature is not known" in panel.refusals.text()
    assert not panel.keep.isVisible()
    panel.form.room.box.click()
    panel.form.room.setValue(24)
    panel.form.slots.setText("3,1")
    work_out(qtbot, panel)
    assert panel.keep.isVisible()
    assert panel.keep.text() == "Keep with the build"
    panel.keep.click()
    assert bench.build.calibration.run == f"run {run}"
    assert bench.build.calibration.room_c == 24


def test_a_simulated_run_is_refused_until_it_is_asked_for_and_marked_ever_after(qtbot, bench, page, show, data_dir):
    run = recorded_run(data_dir, simulated=True)
    panel = show("calibration")
    choose(qtbot, panel, run)
    assert panel.form.source.currentText().startswith("SIMULATED")
    panel.form.room.box.click()
    work_out(qtbot, panel)
    assert "is simulated" in panel.result.text()
    assert not panel.keep.isVisible()
    panel.form.simulated.click()
    work_out(qtbot, panel)
    assert panel.keep.text() == "Keep the SIMULATED result"
    assert "SIMULATED, not measured" in panel.result.text()
    panel.keep.click()
    assert bench.build.calibration.simulated
    assert page.warning.isVisible()
    assert "SIMULATED" in page.warning.text()
    assert "SIMULATED" in panel.lead.text()
    show("power")
    assert page.warning.isVisible()
    bench.undo_stack.undo()
    assert not page.warning.isVisible()


@pytest.mark.parametrize(
    ("prepare", "sentence"),
    [
        (lambda path: path.write_text("{"), "is not a JSON file"),
        (lambda path: path.unlink(), "no such file"),
        (lambda path: path.write_text(json.dumps(MEASURED | {"cards": MEASURED["cards"][:1]})), "1 were measured"),
    ],
)
def test_what_cannot_be_read_is_reported_in_place(qtbot, panel, measured, prepare, sentence):
    prepare(measured)
    work_out(qtbot, panel)
    assert sentence in panel.result.text()
    assert not panel.keep.isVisible()
    assert panel.form.work_out.isEnabled()


def test_a_sound_reading_alone_is_enough(qtbot, bench, show):
    panel = show("calibration")
    choose(qtbot, panel, "sound")
    assert not panel.form.work_out.isEnabled()
    panel.form.level.box.click()
    panel.form.level.setValue(52)
    work_out(qtbot, panel)
    panel.keep.click()
    assert bench.build.calibration.level_db is not None
    assert "Level in training" in texts(panel.stored)[0][0]


def test_a_build_that_changed_meanwhile_forgets_the_result(qtbot, panel, plan):
    work_out(qtbot, panel)
    plan(machine((1, 5)))
    assert not panel.keep.isVisible()


def test_sentences_of_the_command_speak_of_fields():
    assert "with --room." in NO_ROOM and "with “the room temperature”." in local(NO_ROOM)
