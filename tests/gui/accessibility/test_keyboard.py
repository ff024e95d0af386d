"""Tab comes to everything that takes the keyboard, leaves each table, and comes round."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QWidget

from gui.shell.pages import BURNIN, PLAN, PREDICTIONS, RUNS
from tests.gui.accessibility.conftest import go_to, until

MOST_STEPS = 400


def tab_stops(window):
    """What is seen and takes the keyboard by Tab."""
    return {
        widget
        for widget in window.findChildren(QWidget)
        if widget.window() is window
        and widget.isVisible()
        and widget.isEnabled()
        and widget.focusProxy() is None
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and widget.width() > 0
        and widget.height() > 0
        and not _beside_the_chosen(widget)
    }


def _beside_the_chosen(widget):
    """Of buttons that exclude each other Tab comes to the chosen one; the arrows go on from there."""
    group = widget.group() if isinstance(widget, QAbstractButton) else None
    return group is not None and group.exclusive() and not widget.isChecked()


def tabbed(window, key=Qt.Key.Key_Tab):
    """Everything that the key comes to, until it comes round."""
    first = QApplication.focusWidget()
    reached, now = {first}, first
    for _ in range(MOST_STEPS):
        QTest.keyClick(now, key)
        then = QApplication.focusWidget()
        assert then is not None
        assert then is not now, f"Tab does not leave {described(now)}"
        if then is first:
            return reached
        reached.add(then)
        now = then
    raise AssertionError(f"Tab does not come round; last {described(now)}")


def described(widget):
    return f"{type(widget).__name__} {widget.accessibleName() or widget.objectName()}"


def start(window):
    window.activateWindow()
    until(lambda: QApplication.activeWindow() is window)
    window.pages.tabBar().setFocus()


def check(window):
    start(window)
    left_out = tab_stops(window) - tabbed(window)
    assert sorted(described(widget) for widget in left_out) == []


@pytest.mark.parametrize("tab", range(4))
def test_tab_goes_round_the_plan(whole, tab):
    go_to(whole, PLAN)
    whole.plan.side.setCurrentIndex(tab)
    QApplication.processEvents()
    check(whole)
    whole.plan.side.setCurrentIndex(0)


def test_tab_goes_round_the_plan_with_the_machine(whole):
    go_to(whole, PLAN)
    whole.menus.actions["machine"].trigger()
    QApplication.processEvents()
    check(whole)
    whole.menus.actions["machine"].trigger()


def test_tab_goes_round_every_section_of_the_predictions(whole):
    go_to(whole, PREDICTIONS)
    for section in whole.pages.predictions.model.sections:
        whole.pages.predictions.show_section(section)
        QApplication.processEvents()
        check(whole)


@pytest.mark.parametrize("page", [BURNIN, RUNS])
def test_tab_goes_round_the_pages_of_runs(whole, page):
    go_to(whole, page)
    check(whole)


def test_shift_and_tab_goes_back(whole):
    go_to(whole, PLAN)
    start(whole)
    assert len(tabbed(whole, Qt.Key.Key_Backtab)) > 10
