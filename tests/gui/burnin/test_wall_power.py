"""Power at the wall in the window: a meter chosen before a run, its curve beside the others, a file attached after."""

from contextlib import closing
from datetime import datetime

import pytest
from PySide6.QtWidgets import QInputDialog

from core.burnin.record.store import RunStore
from core.machine.telemetry.device import Device, DeviceKind
from gui.burnin.chart.view import Arrangement
from gui.burnin.dialogs.meters import WallDialog
from tests.burnin.metered_run import metered_run
from tests.burnin.test_wall_meter_verdict import TRAINING_W, meter_file, steps
from tests.gui.burnin.fake_run import CPU, gpu


@pytest.fixture
def number(tmp_path):
    """A run in which a wall meter was read."""
    with closing(RunStore(tmp_path)) as store:
        return metered_run(store, steps())


@pytest.fixture
def opened(qtbot, number, view):
    view.open(number)
    qtbot.waitUntil(lambda: "W" in view.wall.text() and any(letter.isdigit() for letter in view.wall.text()))
    return view


@pytest.fixture
def dialog(qtbot, opened, number, tmp_path):
    dialog = WallDialog(tmp_path, number, opened)
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitUntil(lambda: bool(dialog.figures.text()))
    return dialog


def test_a_wall_meter_is_named_for_the_run_and_a_wrong_name_says_how(plan_with):
    plan = plan_with([gpu(0, simulated=False)])
    assert plan.order().wall is None
    plan.options.wall.setText(" nut:office@rack ")
    assert plan.order().wall == "nut:office@rack"
    plan.options.wall.setText("office")
    assert not plan.startable
    assert "Write nut:UPS@HOST" in plan.options.problems["wall"].text()


def test_simulated_devices_take_no_wall_meter(plan_with):
    plan = plan_with([gpu(0), gpu(1)], "2x3090")
    plan.options.wall.setText("nut:office")
    assert not plan.startable
    assert "Simulated devices draw no power" in plan.options.problems["wall"].text()


def test_its_curve_and_its_card_stand_beside_the_others(opened):
    assert [record.label for record in opened.recording.devices] == ["GPU 0", "CPU", "Wall meter"]
    assert opened.recording.measured("machine_power_w")
    assert opened.tools.metric_actions["machine_power_w"].isChecked()
    assert [card.as_text() for card in opened.cards.cards][-1].count("Machine power now") == 1
    meter = opened.recording.devices[2]
    assert meter.statistics("machine_power_w").highest == pytest.approx(TRAINING_W, rel=1e-5)
    band = opened.recording.plan.band("soak", "machine_power_w", ["wall"])
    assert band is not None
    assert band[0] < TRAINING_W < band[1]


def test_the_chart_of_the_machine_lists_the_meter_and_no_card(qtbot, opened):
    qtbot.waitUntil(lambda: bool(opened.board.chart("machine_power_w").readout.lines()))
    assert [label for label, _ in opened.board.chart("machine_power_w").readout.lines()] == ["Wall meter"]
    assert "GPU 0" in [label for label, _ in opened.board.chart("power_w").readout.lines()]


def test_the_strip_of_the_machine_has_a_row_for_the_meter_and_none_for_a_card(qtbot, opened):
    opened.board.set_arrangement(Arrangement.HEAT, "machine_power_w")
    qtbot.waitUntil(lambda: bool(opened.board._strips))
    opened.board.redraw()
    assert [label for _, label, _ in opened.board._strips["machine_power_w"]._rows] == ["Wall meter"]


def test_the_button_tells_the_watts_and_a_file_is_attached(qtbot, opened, dialog, number, tmp_path):
    assert f"{TRAINING_W:,.0f}"[:3] in opened.wall.text()
    with closing(RunStore(tmp_path)) as store:
        started = datetime.fromisoformat(store.run(number).started_at).astimezone()
    path = meter_file(tmp_path, started, 95.0, 480.0)
    dialog.stored.connect(opened._read_noise)
    dialog.attach(path)
    qtbot.waitUntil(lambda: "plug.csv" in dialog.figures.text())
    qtbot.waitUntil(lambda: "480" in opened.wall.text())


def test_a_file_that_does_not_meet_the_run_is_said_and_several_columns_are_asked(qtbot, dialog, tmp_path, monkeypatch):
    of_another_day = tmp_path / "other.csv"
    of_another_day.write_text("time,W\n" + "".join(f"2020-01-01 10:00:{s:02d},{90 + s}\n" for s in range(30)))
    dialog.attach(of_another_day)
    qtbot.waitUntil(lambda: "do not meet" in dialog.problem.text())
    offered: list[list[str]] = []

    def choose(_parent, _title, _words, names, *_):
        offered.append(names)
        return names[1], True

    monkeypatch.setattr(QInputDialog, "getItem", choose)
    two = tmp_path / "two.csv"
    two.write_text("seconds,a (W),b (W)\n" + "".join(f"{s},5,{400 + s % 3}\n" for s in range(160)))
    dialog.attach(two)
    qtbot.waitUntil(lambda: "b (W)" in dialog.figures.text())
    assert offered == [["a (W)", "b (W)"]]


def test_a_meter_that_only_watches_has_no_band_of_its_own_without_a_plan(qtbot, fake_run, view):
    meter = Device("wall", DeviceKind.WALL, "Meter")
    run = fake_run([gpu(0, simulated=False), CPU, meter], burned=1)
    run.play()
    view.open(run.id)
    qtbot.waitUntil(lambda: view.recording is not None)
    assert view.recording.plan.bands == {}
