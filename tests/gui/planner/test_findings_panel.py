"""The panel of findings: where the keyboard is after a fix, its colours, and what it says when nothing is listed."""

import pytest
from PySide6.QtCore import Qt

from core.plan.edits import AddPart
from core.rules.engine import COMPLETE
from gui.widgets.theme import theme
from tests.gui.conftest import FIRST_ATTEMPT
from tests.rules.test_real_machines import MACHINES
from tests.shipped import parts_by_id

SOUND = next(one for one in MACHINES if one.name == "two Quadro RTX 6000 with the bridge made for them")
"""Nothing to say of it."""


@pytest.fixture
def panel(window):
    return window.plan.findings


@pytest.fixture
def fixed(qtbot, window, panel):
    """The panel with the fixes of a finding beneath the list."""
    window.open(FIRST_ATTEMPT)
    model = panel.model
    row = next(row for row in range(model.rowCount()) if model.rows[row].finding.rule == "slot-overlap")
    panel.view.setCurrentIndex(model.index(row, 0))
    qtbot.waitUntil(lambda: bool(panel.reasons.fix_buttons))
    return panel


def test_after_a_fix_the_keyboard_is_at_the_findings_to_go_on_with_the_next(qtbot, window, fixed):
    button = fixed.reasons.fix_buttons[0]
    button.setFocus()
    qtbot.keyClick(button, Qt.Key.Key_Space)
    assert window.document.undo_stack.count() == 1
    assert window.focusWidget() is fixed.view


def test_the_tab_key_goes_from_the_reasons_through_the_fixes(window, fixed):
    reasons = fixed.reasons
    chain = [reasons]
    while len(chain) <= len(reasons.fix_buttons) + 1:
        following = chain[-1].nextInFocusChain()
        while not following.focusPolicy() & Qt.FocusPolicy.TabFocus:
            following = following.nextInFocusChain()
        chain.append(following)
    assert chain[1:-1] == reasons.fix_buttons
    assert chain[-1] is reasons._text


def test_fixes_and_reasons_take_the_colours_of_another_theme(qtbot, window, fixed):
    window.menus.actions["theme_dark"].trigger()
    qtbot.waitUntil(lambda: bool(fixed.reasons.fix_buttons))
    button = fixed.reasons.fix_buttons[0]
    middle = button.grab().toImage().pixelColor(button.width() // 2, 3)
    assert middle.lightness() < 100, "a dark button"
    assert theme().color("muted").name() in fixed.reasons._text.text()
    window.menus.actions["theme_light"].trigger()


def test_a_list_without_findings_says_that_nothing_needs_attention(window, panel, catalogue):
    window.document.edit(AddPart(catalogue.require("amd-threadripper-1950x")))
    assert [panel.model.rows[0].finding.rule] == [COMPLETE], "what is missing is one finding"
    assert panel.model.rowCount() == 1
    window.document.new(SOUND.build(parts_by_id()))
    assert panel.model.rowCount() == 0
    assert panel._empty.isVisible()
    assert not panel.split.isVisible()
    assert panel._empty.label.text() == "Nothing needs attention: everything that was checked passed."
    panel.hide_settled.setChecked(False)
    assert panel.split.isVisible()
    assert not panel._empty.isVisible()
    window.document.new()
    assert "listed here" in panel._empty.label.text()
