"""Watching a burn-in, expectations 1 to 10: what docs/expectations.md promises is pressed, and seen."""

from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from core.burnin.record.rows import EventLevel
from core.machine.asbuilt.as_built import AsBuilt, BuiltCard, MachineFacts
from core.plan.file import parse_build
from gui.burnin.chart.view import Arrangement
from gui.burnin.dialogs.failed_card import WhichCardDialog
from gui.widgets.theme import theme
from tests.gui.burnin.fake_run import gpu
from tests.gui.conftest import QUIET
from tests.gui.pointer import turn_of_wheel

CONTROL = Qt.KeyboardModifier.ControlModifier


def figures(card: Any, metric: str) -> list[str]:
    """Now, minimum, maximum and mean as they stand in a device's panel."""
    return [cell.text() for cell in card._figures._cells[metric]]


def span(watched: Any, metric: str = "power_w") -> tuple[float, ...]:
    return tuple(watched.page.view.board.chart(metric).view.viewRange()[0])


def test_01_now_minimum_maximum_and_mean_of_each_device_can_begin_anew(watch: Any) -> None:
    watched = watch()
    card = watched.page.view.cards.cards[0]
    assert len(card._figures._cells) >= 4
    now, low, high, mean = (float(text) for text in figures(card, "power_w"))
    assert low <= mean <= high
    assert low <= now <= high
    before = watched.page.view.recording.devices[0].series["power_w"].values.copy()
    watched.click(watched.page.view.cards._reset)
    watched.sample(30.0)
    now, low, high, _ = (float(text) for text in figures(card, "power_w"))
    assert low == now == high
    assert len(watched.page.view.recording.devices[0].series["power_w"].values) == len(before) + 1


def test_02_charts_by_quantity_or_by_card_of_what_one_chooses(watch: Any) -> None:
    watched = watch()
    tools, board = watched.page.view.tools, watched.page.view.board
    assert len(board.chart("power_w").curves.traces) == 2
    tools.metric_actions["fan_pct"].trigger()
    assert "fan_pct" in board.metrics
    watched.until(board.chart("fan_pct").isVisible)
    watched.key(Qt.Key.Key_2, CONTROL)
    assert [trace is None for trace in board.chart("power_w").curves.traces] == [False, True]
    watched.key(Qt.Key.Key_2, CONTROL)
    assert None not in board.chart("power_w").curves.traces
    tools.arrangement.setFocus()
    watched.key(Qt.Key.Key_Down)
    assert Arrangement(tools.arrangement.currentData()) is Arrangement.EACH
    charts = [board.chart(str(tools.metric_choice.currentData()), position) for position in (0, 1)]
    watched.until(lambda: all(chart.isVisible() for chart in charts))


def test_03_colour_and_dash_of_a_card_stay_the_same_in_light_and_dark(watch: Any) -> None:
    watched = watch([gpu(index) for index in range(4)])
    styles = []
    for name in ("theme_light", "theme_dark"):
        watched.window.menus.actions[name].trigger()
        pens = watched.page.view.board.chart("power_w").curves.pens
        assert len({(pen.color().rgb(), tuple(pen.dashPattern())) for pen in pens}) == 4
        assert all(pen.color() == theme().series(number) for number, pen in enumerate(pens))
        styles.append([pen.style() for pen in pens])
    assert styles[0] == styles[1]
    watched.window.menus.actions["theme_system"].trigger()


def test_04_the_mouse_reads_every_curve_of_every_chart_at_its_time(watch: Any) -> None:
    watched = watch()
    board = watched.page.view.board
    plot = board.chart("power_w")._plot
    assert board.chart("clock_mhz").readout.when == "now"
    watched.until(plot.isVisible)
    plot.scene().sigMouseMoved.emit(board.chart("power_w").view.sceneBoundingRect().center())
    times = {board.chart(metric).readout.when for metric in board.metrics}
    assert len(times) == 1
    assert times != {"now"}
    assert [label for label, _ in board.chart("clock_mhz").readout.lines()] == ["GPU 0", "GPU 1"]


def test_05_the_picture_is_held_zoomed_and_brought_back_by_one_key_while_the_run_goes_on(watch: Any) -> None:
    watched = watch()
    view = watched.page.view
    view.board.setFocus()
    watched.key(Qt.Key.Key_Space)
    assert view.board.paused
    assert "paused" in view.tools.state.text()
    watched.sample(30.0, 31.0)
    assert view.recording.sampled_s == 31.0
    watched.key(Qt.Key.Key_Home)
    assert not view.board.paused
    assert view.tools.state.text() == "Live"
    before = span(watched)
    viewport = view.board.chart("power_w")._plot.viewport()
    QApplication.sendEvent(viewport, turn_of_wheel(viewport, 120))
    assert not view.board.follows
    start, end = span(watched)
    assert end - start < before[1] - before[0]
    watched.key(Qt.Key.Key_Home)
    assert view.board.follows
    assert span(watched) == before


def test_06_the_window_of_time_goes_from_a_minute_to_the_whole_run(watch: Any) -> None:
    watched = watch(seconds=300)
    choice = watched.page.view.tools.window_choice
    assert choice.currentText() == "1 minute"
    assert span(watched) == (-60, 0)
    choice.setFocus()
    for _ in range(choice.count()):
        watched.key(Qt.Key.Key_Down)
    assert choice.currentText() == "Whole run"
    start, end = span(watched)
    assert start == 0
    assert end >= 299
    assert len(watched.page.view.recording.devices[0].times.all) == 300


def test_07_limits_throttling_and_the_plans_band_are_drawn_behind_the_curves(watch: Any, catalogue: Any) -> None:
    plan = parse_build(QUIET.read_text(), catalogue.part, "The plan")
    watched = watch([gpu(index) for index in range(6)], build=plan)
    watched.run.mask = {0: 0x24}
    watched.sample(*map(float, range(30, 40)))
    board = watched.page.view.board
    board.redraw()
    seen = board.chart("temperature_c")._backdrop._scenery
    assert {limit.text for limit in seen.limits} >= {"target", "slowdown"}
    assert seen.throttling
    assert seen.predicted
    assert "plan" in board.chart("power_w")._title.text()
    card = watched.page.view.cards.cards[0]
    assert card._throttling.text() == "Thermal limit"
    assert card._throttling.toolTip()


def test_08_stages_tell_how_far_they_are_what_is_left_and_that_the_run_is_alive(watch: Any) -> None:
    watched = watch()
    watched.run.tick(30.0, (2, 0.5))
    stages = watched.page.view.stages
    watched.until(lambda: stages.items[2]._state.text().startswith("50 %"))
    assert "elapsed" in stages.times.text()
    assert "left" in stages.times.text()
    assert watched.page.view.tools.state.text() == "Live"
    assert "left" in watched.window.status.run_text


def test_09_errors_of_each_card_are_always_in_sight_with_the_time_of_the_first(watch: Any) -> None:
    watched = watch()
    cards = watched.page.view.cards
    assert [card._errors.text() for card in cards.cards] == ["No errors", "No errors"]
    watched.run.errors = {1: 3}
    watched.sample(65.0)
    watched.until(lambda: cards.cards[1]._errors.text() == "3 wrong results; first at 1:05")
    assert cards.cards[1]._errors.isVisible()
    assert "GPU 1" in cards._total.text()


def test_10_the_card_to_pull_is_named_by_slot_bus_and_serial_number(watch: Any, catalogue: Any) -> None:
    devices = [gpu(index) for index in range(6)]
    plan = parse_build(QUIET.read_text(), catalogue.part, "The plan")
    watched = watch(devices, build=plan, seconds=1)
    built = BuiltCard(devices[1].id, devices[1].name, slot="PCIE3", position=3, serial="1320219000017")
    watched.run.store.set_as_built(watched.run.id, AsBuilt("2026-01-01T00:00:00+00:00", MachineFacts(), (built,)))
    watched.page.view.clear()
    watched.page.show_run(watched.run.id)
    watched.until(lambda: watched.page.view.recording is not None)
    watched.run.event(1.0, "The device was lost: gone", EventLevel.ERROR, "lost", devices[1].id)
    card = watched.page.view.cards.cards[1]
    watched.until(card.state_button.isVisible)
    assert devices[1].id in card.toolTip()
    watched.click(card.state_button)
    dialog = next(child for child in watched.page.view.findChildren(WhichCardDialog) if child.isVisible())
    assert dialog.board is not None
    where = dialog.where.text()
    assert "PCIE3" in where
    assert "1320219000017" in where
    assert str(devices[1].bus_id).removeprefix("00000000:").lower() in where.lower()
    dialog.reject()
