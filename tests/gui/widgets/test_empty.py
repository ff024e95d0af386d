"""Empty panels show all their first steps at any width; dialogs open no larger than the screen."""

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QPushButton, QWidget

from gui.widgets.empty import EmptyState
from gui.widgets.views import open_at

STEPS = ("NVIDIA DGX Station", "Dell PowerEdge T640 with four Tesla V100", "Open…")


@pytest.fixture
def panel(qtbot):
    made = EmptyState("Nothing here yet.", columns=2)
    qtbot.addWidget(made)
    for step in STEPS:
        made.add_action(QAction(step, made))
    made.resize(900, 400)
    made.show()
    return made


def buttons(panel):
    return panel.findChildren(QPushButton)


def test_wide_panels_put_two_steps_beside_each_other(panel):
    first, second, third = buttons(panel)
    assert first.y() == second.y() < third.y()
    assert [button.text() for button in buttons(panel)] == list(STEPS)


def test_narrow_panels_put_them_under_each_other_with_their_whole_text(panel, qtbot):
    panel.resize(buttons(panel)[1].whole_width + 80, 400)
    qtbot.waitUntil(lambda: buttons(panel)[0].y() < buttons(panel)[1].y() < buttons(panel)[2].y())
    assert [button.text() for button in buttons(panel)] == list(STEPS)


def test_a_step_that_has_no_room_at_all_ends_in_an_ellipsis_and_keeps_its_name(panel, qtbot):
    panel.resize(220, 400)
    long = buttons(panel)[1]
    qtbot.waitUntil(lambda: long.text().endswith("…"))
    assert long.accessibleName() == long.toolTip() == STEPS[1]


def test_steps_below_the_edge_scroll_into_view_when_the_keyboard_gets_there(panel, qtbot):
    panel.resize(300, 80)
    last = buttons(panel)[2]
    qtbot.waitUntil(lambda: last.visibleRegion().isEmpty())
    panel.activateWindow()
    buttons(panel)[0].setFocus()
    for _ in STEPS[1:]:
        qtbot.keyClick(panel.focusWidget(), "\t")
    qtbot.waitUntil(lambda: last.hasFocus() and not last.visibleRegion().isEmpty())


def test_a_dialog_opens_no_larger_than_the_screen(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    open_at(window, 400, 300)
    assert (window.width(), window.height()) == (400, 300)
    open_at(window, 100_000, 100_000)
    assert window.screen().availableGeometry().contains(window.rect())


def test_the_marked_letter_that_chinese_adds_behind_a_text_is_not_shown(panel):
    panel.add_action(QAction("打开(&O)…", panel))
    assert buttons(panel)[-1].accessibleName() == "打开…"
