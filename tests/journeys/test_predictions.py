"""From a template to a quieter machine: the room, the curves, a limit that fits, and back, in the real window."""

from typing import Any

import pytest
from PySide6.QtCore import Qt, QThreadPool
from PySide6.QtWidgets import QDoubleSpinBox

from core.parts.vocabulary import Category
from core.predict.prediction import predict
from gui.main_window import MainWindow
from gui.pages import PREDICTIONS
from gui.planner.dials import Dial
from gui.predict.sections import FIGURE_ROLE

pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("leave_nothing_behind")]


def figure(window: MainWindow, section: str) -> str:
    """What the list of sections says of one."""
    model = window.pages.require_predictions().model
    return str(model.index(model.row_of(section)).data(FIGURE_ROLE))


def type_in(qtbot: Any, field: QDoubleSpinBox, text: str) -> None:
    """As with the keyboard: the old figure is overwritten, Enter ends it."""
    field.setFocus()
    field.selectAll()
    qtbot.keyClicks(field, text)
    qtbot.keyClick(field, Qt.Key.Key_Return)


def test_a_hot_room_a_limit_that_fits_and_the_way_back(window: MainWindow, qtbot: Any) -> None:
    document = window.document
    next(action for action in window.menus.templates.actions() if "researcher" in action.text().lower()).trigger()
    opened = document.build

    # the instrument of the hottest card leads to the temperatures
    dial = window.plan.gauges.findChildren(Dial)[3]
    dial.setFocus()
    qtbot.keyClick(dial, Qt.Key.Key_Return)
    page = window.pages.require_predictions()
    assert window.pages.currentIndex() == PREDICTIONS
    assert page.section == "temperature"
    temperatures: Any = page.panel("temperature")
    figures = temperatures.cards.figures
    first_card = next(row for row in range(figures.rowCount()) if "1080" in figures.cell(row, 0).text)
    before = figures.cell(first_card, 1).order

    # a warmer room, typed: the window follows a moment later
    type_in(qtbot, page.room.room, "34")
    qtbot.waitUntil(lambda: document.assessment.prediction.conditions.room_c == 34)
    assert figures.cell(first_card, 1).order > before + 5, "the air before it"
    assert "34 °C" in temperatures.lead.text()
    assert document.build is opened
    assert not document.dirty

    # the curves of the power limit, read by keyboard
    page.show_section("limit")
    limit: Any = page.panel("limit")
    qtbot.waitUntil(lambda: not limit.busy)
    noise = limit.charts["noise"]
    noise.setFocus()
    qtbot.keyClick(noise, Qt.Key.Key_Home)
    quietest = noise.readout
    qtbot.keyClick(noise, Qt.Key.Key_End)
    assert quietest.startswith("50 % ")
    assert noise.readout.startswith("100 % ")

    # what fits a quiet office, applied and undone
    type_in(qtbot, limit.goals.noise, "36")
    qtbot.waitUntil(lambda: not limit.busy)
    loud = figure(window, "noise")
    limit.goals.buttons[1].click()
    assert predict(document.build, document.conditions).noise_load.expected <= 36
    assert all(line.power_limit_w for line in document.build.of(Category.GPU))
    assert figure(window, "noise") != loud
    window.menus.actions["undo"].trigger()
    assert document.build == opened
    assert figure(window, "noise") == loud

    # closing leaves nothing that works on, and the room is kept
    page.show_section("gpus")
    document.undo_stack.setClean()
    assert window.close()
    assert QThreadPool.globalInstance().waitForDone(10_000)
    assert window.settings.conditions.room_c == 34
