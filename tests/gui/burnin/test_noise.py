"""Noise in the window: a microphone chosen before a run, readings of a meter during and after it, NOT RUN without."""

import pytest
from PySide6.QtWidgets import QDialog, QInputDialog

from core.burnin.record.rows import StageStatus
from core.burnin.record.run_facts import noise_of, told_noise
from core.machine.sound.calibration import calibrated, keep, read_microphones
from core.machine.sound.meter import Second
from core.plan.file import dump_build, parse_build
from gui.burnin.chart.overlays import scenery
from gui.burnin.dialogs import noise_options
from gui.burnin.dialogs.meters import NoiseDialog, read_noise
from gui.burnin.dialogs.noise_options import CalibrateDialog
from gui.burnin.run.page import BurninPage
from gui.burnin.run.verdict_banner import VerdictBanner
from tests.gui.burnin.fake_run import CPU, gpu
from tests.gui.conftest import QUIET
from tests.machine.sound.generated import fake_recorder, pcm, sine

REAL = [gpu(index, simulated=False) for index in range(2)]


@pytest.fixture
def run(fake_run, catalogue):
    """A minute of real cards beside a plan, over."""
    plan = parse_build(QUIET.read_text(), catalogue.part, "The plan")
    run = fake_run([*REAL, CPU], build=dump_build(plan), burned=2)
    run.play()
    run.finish()
    return run


@pytest.fixture
def opened(qtbot, run, view):
    view.open(run.id)
    qtbot.waitUntil(lambda: view.recording is not None and view.recording.noise is not None)
    return view


@pytest.fixture
def dialog_of(qtbot, tmp_path):
    def make(run):
        dialog = NoiseDialog(tmp_path, run.id)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitUntil(lambda: bool(dialog.figures.text()))
        return dialog

    return make


@pytest.fixture
def dialog(dialog_of, run):
    return dialog_of(run)


@pytest.fixture
def idle_run(fake_run):
    """A run of which only the first minute, at rest, is over."""
    run = fake_run(REAL, profile="standard")
    number = [stage.kind for stage in run.profile.stages].index("idle")
    run.store.start_stage(run.id, number, 0.0, run.boot)
    run.store.end_stage(run.id, number, 60.0, StageStatus.DONE)
    return run


def test_a_calibrated_microphone_is_chosen_for_the_run(plan_with, tmp_path):
    keep(tmp_path, calibrated("hw:1,0", [Second(-50.0)] * 5, 52.0))
    plan = plan_with(REAL)
    assert plan.order().noise is None
    plan.options.noise.read(tmp_path)
    box = plan.options.noise.microphone
    assert box.itemText(1).startswith("hw:1,0, calibrated 20")
    box.setCurrentIndex(1)
    assert plan.order().noise == "hw:1,0"
    assert plan.startable


def test_simulated_devices_take_no_microphone(plan_with, tmp_path):
    keep(tmp_path, calibrated("hw:1,0", [Second(-50.0)] * 5, 52.0))
    plan = plan_with([gpu(0), gpu(1)], "2x3090")
    plan.options.noise.read(tmp_path)
    plan.options.noise.microphone.setCurrentIndex(1)
    assert plan.order() is None
    assert "make no noise" in plan.options.problems["noise"].text()


def test_the_page_lists_the_microphones_of_its_folder_and_a_run_that_is_resumed_is_heard_again(
    qtbot, fake_run, tmp_path, orders
):
    keep(tmp_path, calibrated("usb", [Second(-50.0)] * 5, 52.0))
    run = fake_run(REAL)
    page = BurninPage(tmp_path)
    qtbot.addWidget(page)
    assert page.plan.options.noise.microphone.itemData(1) == "usb"
    page.plan.options.noise.microphone.setCurrentIndex(1)
    page.show_run(run.id)
    qtbot.waitUntil(lambda: page.view.recording is not None)
    page.resume()
    qtbot.waitUntil(lambda: bool(orders))
    assert (orders[0].resume, orders[0].noise) == (run.id, "usb")
    page.view.clear()


def test_a_damaged_list_of_microphones_says_so_and_offers_none(plan_with, tmp_path):
    (tmp_path / "microphones.json").write_text("{")
    plan = plan_with(REAL)
    plan.options.noise.read(tmp_path)
    assert plan.options.noise.microphone.count() == 1
    assert "is damaged" in plan.options.noise.microphone.toolTip()


def test_a_microphone_is_calibrated_beside_a_meter(qtbot, tmp_path, monkeypatch):
    monkeypatch.setattr(noise_options, "SECONDS", 2)
    monkeypatch.setenv("PATH", str(fake_recorder(tmp_path / "bin", pcm(sine(1000, 0.1, 4.0)))))
    dialog = CalibrateDialog(tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    assert not dialog.listen.isEnabled()
    dialog.level.setText("52,3")
    dialog.listen.click()
    qtbot.waitUntil(lambda: dialog.microphone is not None)
    [stored] = read_microphones(tmp_path)
    assert (stored.name, stored.meter_dba) == ("microphone", 52.3)
    assert stored.offset_db == pytest.approx(72.3, abs=0.1)
    assert "microphone now reads 52.3 dBA" in dialog.message.text()
    dialog.buttons.rejected.emit()
    assert dialog.result() == QDialog.DialogCode.Accepted


def test_what_cannot_calibrate_says_why_and_keeps_nothing(qtbot, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    dialog = CalibrateDialog(tmp_path)
    qtbot.addWidget(dialog)
    dialog.level.setText("52.3")
    dialog.listen.click()
    qtbot.waitUntil(lambda: "Install pulseaudio-utils" in dialog.message.text())
    assert dialog.microphone is None
    assert read_microphones(tmp_path) == ()


def test_without_a_measurement_it_is_not_run(opened):
    assert opened.noise.isVisible()
    assert "NOT RUN" in opened.noise.text()
    assert "NOT RUN: no calibrated microphone" in opened.banner.reasons.text()


def test_of_a_run_that_goes_on_nothing_is_not_run_yet(qtbot, fake_run, view):
    run = fake_run(REAL)
    run.begin(1, 0.0)
    run.ticks(range(3))
    view.open(run.id)
    qtbot.waitUntil(view.noise.isVisible)
    assert view.noise.text() == "Noise…"
    run.store.set_facts(run.id, told_noise(idle_dba=31.0))
    view._read_noise()
    qtbot.waitUntil(lambda: "31.0" in view.noise.text())
    run.finish()
    qtbot.waitUntil(lambda: not view.recording.running)


def test_readings_are_typed_and_stand_beside_the_prediction(qtbot, dialog, run):
    assert "NOT RUN" in dialog.figures.text()
    dialog.fields["load_dba"].setText("85,5")
    dialog.fields["distance_m"].setText("0.5")
    with qtbot.waitSignal(dialog.stored):
        dialog.keep.click()
    facts = noise_of(run.store.fact_changes(run.id)).facts
    assert (facts.load_dba, facts.distance_m, facts.idle_dba) == (85.5, 0.5, None)
    assert "85.5" in dialog.figures.text()
    assert "above the" in dialog.figures.text()
    assert not dialog.keep.isEnabled()


def test_a_reading_can_be_taken_back_and_stays_on_record(qtbot, run, dialog_of):
    run.store.set_facts(run.id, told_noise(idle_dba=31.5, load_dba=44.0))
    dialog = dialog_of(run)
    assert dialog.fields["load_dba"].text() == "44"
    dialog.fields["load_dba"].clear()
    with qtbot.waitSignal(dialog.stored):
        dialog.keep.click()
    changes = run.store.fact_changes(run.id)
    facts = noise_of(changes).facts
    assert (facts.idle_dba, facts.load_dba) == (31.5, None)
    assert [change.value for change in changes if change.name == "noise_load_dba"] == ["44", ""]


@pytest.mark.parametrize("typed", ["loud", "400", "1,2,3"])
def test_what_no_meter_shows_is_refused_while_it_is_typed(dialog, typed):
    dialog.fields["load_dba"].setText(typed)
    assert "level under load cannot be saved" in dialog.problem.text()
    assert not dialog.keep.isEnabled()


def test_the_file_of_a_meter_is_imported(qtbot, idle_run, dialog_of, tmp_path, answers):
    dialog = dialog_of(idle_run)
    answers.open_path = tmp_path / "meter.csv"
    answers.open_path.write_text("time,level\n" + "".join(f"{second},33.5\n" for second in range(60)))
    with qtbot.waitSignal(dialog.stored):
        dialog.import_file.click()
    assert dialog.fields["idle_dba"].text() == "33.5"
    assert "imported from meter.csv" in dialog.figures.text()
    answers.open_path.write_text("nothing\nof use\n")
    dialog.import_file.click()
    qtbot.waitUntil(lambda: "no rows with a time" in dialog.problem.text())


def test_of_several_levels_the_user_chooses_one(qtbot, idle_run, dialog_of, tmp_path, answers, monkeypatch):
    dialog = dialog_of(idle_run)
    answers.open_path = tmp_path / "meter.csv"
    rows = "".join(f"{second},23.5,33.5,35.5\n" for second in range(60))
    answers.open_path.write_text(f"time,temp_C,LAF,LAS\n{rows}oops,1,2,3\n")
    offered = []

    def choose(*arguments):
        offered.extend(arguments[3])
        return arguments[3][1], True

    monkeypatch.setattr(QInputDialog, "getItem", choose)
    with qtbot.waitSignal(dialog.stored):
        dialog.import_file.click()
    assert offered == ["LAF", "LAS"]
    assert dialog.fields["idle_dba"].text() == "35.5"
    assert "line 62: oops, 1, 2, 3" in dialog.figures.text()


def test_the_view_follows_what_is_entered(qtbot, opened, run):
    run.store.set_facts(run.id, told_noise(idle_dba=30.0, load_dba=95.0))
    opened._read_noise()
    qtbot.waitUntil(lambda: "95.0" in opened.noise.text())
    assert "NOT RUN" not in opened.banner.reasons.text()
    assert "95.0" in opened.banner.reasons.text()
    opened.tools.show_possible()
    assert opened.tools.metric_actions["noise_dba"].text() == "Noise"


def test_the_chart_of_noise_shows_what_was_entered(run, recorded, board):
    run.store.set_facts(run.id, told_noise(idle_dba=30.0, load_dba=95.0))
    recording, _ = recorded(run)
    shown = [record for record in recording.devices if not record.burned]
    assert "not measured" in scenery(recording, "noise_dba", shown, ()).notice
    recording.noise = read_noise(run.store, run.id).levels
    drawn = scenery(recording, "noise_dba", shown, ())
    assert [(limit.value, limit.text, limit.colour) for limit in drawn.limits] == [
        (30.0, "when idle, entered", "accent"),
        (95.0, "in training, entered", "warn"),
    ]
    assert drawn.predicted
    board.set_metrics(("noise_dba",))
    board.set_recording(recording)
    low, high = board.chart("noise_dba").view.viewRange()[1]
    assert low <= 30.0
    assert high >= 95.0


def test_the_banner_of_a_simulated_run_says_nothing_of_noise(fake_run, recorded, qtbot, tmp_path):
    run = fake_run()
    run.play()
    run.finish()
    recording, _ = recorded(run)
    banner = VerdictBanner()
    qtbot.addWidget(banner)
    banner.set_recording(recording)
    assert "oise" not in banner.reasons.text()
