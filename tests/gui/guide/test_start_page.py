"""The start page: templates by purpose, recent builds, ways to begin, and a burn-in to try."""

import pytest
from PySide6.QtCore import Qt

from core.machine.telemetry.simulated.simulation import parse_simulation
from core.plan.templates import all_templates
from gui.burnin.run.tour import PROFILE
from gui.shell.pages import BURNIN
from tests.gui.conftest import FIRST_ATTEMPT, QUIET


@pytest.fixture
def page(window):
    return window.plan.first_steps


def test_every_template_is_offered_with_its_purpose_and_opens_as_a_copy(window, page):
    assert [tile.accessibleName() for tile in page.templates] == [template.title for template in all_templates()]
    assert page.templates[0].accessibleDescription() == all_templates()[0].purpose
    page.templates[0].click()
    assert window.document.build.name == all_templates()[0].title
    assert window.document.path is None


def test_recent_builds_are_offered_newest_first(window, page):
    assert page.recent == []
    window.open(QUIET)
    window.open(FIRST_ATTEMPT)
    window.document.new()
    assert [tile.accessibleName() for tile in page.recent] == [FIRST_ATTEMPT.name, QUIET.name]
    page.recent[1].click()
    assert window.document.path == QUIET


def test_the_ways_to_begin_are_those_of_the_menus(window, page):
    texts = [step.accessibleName() for step in page.steps]
    assert texts == [
        "New build",
        "Open…",
        "Paste part list…",
        "New build from this machine",
        "Try a burn-in with a failing card",
    ]
    page.steps[0].click()
    assert window.focusWidget() is window.plan.parts.search


def test_tab_goes_through_it_from_the_top(qtbot, window, page):
    page.steps[0].setFocus()
    seen = []
    for _ in range(len(page.steps) + len(page.templates)):
        seen.append(window.focusWidget())
        qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert seen == [*page.steps, *page.templates]


@pytest.mark.parametrize("width", [640, 720, 1000, 1280, 2000])
def test_no_button_is_cut_at_any_width(qtbot, window, page, width):
    window.resize(width, 640)
    qtbot.waitUntil(lambda: window.width() == width)
    for tile in page.templates:
        assert tile.geometry().right() <= page.viewport().width()
        assert tile.height() >= tile.heightForWidth(tile.width())


def test_a_burn_in_to_try_is_set_up_and_waits_for_the_user(qtbot, window):
    window.menus.actions["tour"].trigger()
    burnin = window.pages.burnin
    assert window.pages.currentIndex() == BURNIN
    qtbot.waitUntil(lambda: burnin.plan.startable and all(device.simulated for device in burnin.plan.chosen))
    order = burnin.plan.order()
    assert (order.profile, order.minutes, len(order.devices)) == (PROFILE, None, 4)
    assert [model.name for model in parse_simulation(order.simulate).models] == ["GeForce RTX 3090"] * 4
    assert "Four used RTX 3090" in order.build
    assert "F5" in window.workspace.beginnings.tour.callout.text()
    assert burnin.active_run() is None


def test_a_run_that_goes_on_is_not_touched(window, monkeypatch):
    burnin = window.pages.require_burnin()
    monkeypatch.setattr(burnin, "active_run", lambda: 7)
    window.menus.actions["tour"].trigger()
    assert burnin.plan.simulated is None
    assert "A run is in progress" in burnin.notice.text()
    assert window.workspace.beginnings.tour is None
    monkeypatch.undo()  # else closing the window asks about it


def test_the_key_after_choosing_a_template_does_not_write_into_its_name(qtbot, window, page):
    page.templates[0].setFocus()
    qtbot.keyClick(page.templates[0], Qt.Key.Key_Space)
    assert window.focusWidget() is not window.plan.details.name
    assert window.plan.isAncestorOf(window.focusWidget())
