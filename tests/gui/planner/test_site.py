"""Circuits and assumptions, from the bar above the board."""

import pytest
from PySide6.QtCore import Qt

from core.plan.assumptions import DEFAULT_ASSUMPTIONS, Assumptions
from core.plan.mains import custom_circuit
from core.plan.site_edits import SetAssumptions, SetCircuits
from gui.planner.build_settings import SiteDialog
from gui.planner.details import circuits_words, is_usual, site_words
from tests.gui.conftest import QUIET


@pytest.fixture
def bar(window):
    window.open(QUIET)
    return window.plan.details


@pytest.fixture
def dialog(qtbot, bar):
    bar.more.click()
    opened = bar.findChild(SiteDialog)
    qtbot.waitUntil(opened.isVisible)
    return opened


def test_circuits_and_assumptions_are_one_change_that_undo_takes_back(window, bar, dialog):
    before = window.document.build
    dialog.circuits.own.setChecked(True)
    dialog.circuits.voltage.setValue(230)
    dialog.circuits.current.setValue(20)
    dialog.circuits.share.setValue(80)
    dialog.circuits.count.setValue(2)
    dialog.circuits.loads[1].setValue(300)
    dialog.assumptions.coincidence.setValue(1.0)
    dialog.assumptions.plug_room.setValue(40)
    dialog.accept()
    build = window.document.build
    assert build.circuit == custom_circuit(230, 20, 0.8)
    assert build.other_loads_w == (0.0, 300.0)
    assert build.assumptions == Assumptions(1.0, 40.0)
    assert bar.region.currentText() == "Custom 230 V 20 A"
    assert bar.more.text() == "2 circuits"
    window.document.undo_stack.undo()
    assert window.document.build == before
    assert bar.region.currentData() == before.region
    assert bar.region.findText("Custom 230 V 20 A") < 0


def test_what_is_left_as_it_was_is_no_change(window, dialog):
    count = window.document.undo_stack.count()
    dialog.accept()
    assert window.document.undo_stack.count() == count


def test_the_dialog_shows_what_the_build_has_and_can_forget_it(window, bar):
    own = custom_circuit(208, 30, 0.8)
    window.document.edit(SetCircuits(own, (100.0, 0.0, 50.0)))
    dialog = SiteDialog(window.document.build, bar)
    assert dialog.circuits.edit() == SetCircuits(own, (100.0, 0.0, 50.0))
    dialog.circuits.restore()
    dialog.assumptions.restore()
    assert dialog.circuits.edit() == SetCircuits(None, (0.0,))
    assert dialog.assumptions.edit().assumptions == DEFAULT_ASSUMPTIONS
    dialog.deleteLater()


def test_only_the_loads_of_the_circuits_there_are_can_be_typed(dialog):
    dialog.circuits.count.setValue(3)
    assert [load.isVisibleTo(dialog) for load in dialog.circuits.loads] == [True] * 3 + [False] * 5


def test_choosing_a_region_takes_the_place_of_an_own_circuit_in_one_step(window, bar):
    window.document.edit(SetCircuits(custom_circuit(230, 20), (0.0, 0.0)))
    before = window.document.build
    bar.region.activated.emit(bar.region.findData("us-120v-20a"))
    assert window.document.build.custom_circuit is None
    assert window.document.build.circuit.id == "us-120v-20a"
    assert window.document.build.other_loads_w == (0.0, 0.0)
    window.document.undo_stack.undo()
    assert window.document.build == before


def test_everything_in_the_dialog_is_named_and_reached_by_tab(qtbot, dialog):
    seen, field = [], dialog.circuits.of_region
    dialog.circuits.own.setChecked(True)
    field.setFocus()
    for _ in range(20):
        seen.append(dialog.focusWidget())
        qtbot.keyClick(dialog.focusWidget(), Qt.Key.Key_Tab)
    fields = {dialog.circuits.voltage, dialog.circuits.count, dialog.circuits.loads[0], dialog.assumptions.coincidence}
    assert fields <= set(seen)
    assert all(widget.accessibleName() for widget in fields)


@pytest.mark.parametrize(
    ("loads", "words"), [((0.0,), "Circuits"), ((300.0,), "300 W in use"), ((0.0, 300.0), "2 circuits")]
)
def test_the_button_tells_what_feeds_the_machine(document, loads, words):
    document.open(QUIET)
    assert is_usual(document.build)
    document.edit(SetCircuits(None, loads))
    assert circuits_words(document.build) == words
    assert ("Circuit 2: other loads draw 300 W" in site_words(document.build)) == (len(loads) == 2)


def test_looking_at_figures_finer_than_the_fields_changes_nothing(window):
    circuit = custom_circuit(207.5, 12.25, 0.825)
    window.document.edit(SetCircuits(circuit, (333.3, 0.0)))
    window.document.edit(SetAssumptions(Assumptions(0.707, 22.5)))
    before = window.document.build
    dialog = SiteDialog(before, window)
    dialog.chosen.connect(window.document.edit)
    dialog.accept()
    assert window.document.build == before
    again = SiteDialog(before, window)
    again.chosen.connect(window.document.edit)
    again.circuits.count.setValue(1)
    again.accept()
    assert window.document.build.assumptions == before.assumptions
    assert len(window.document.build.other_loads_w) == 1
