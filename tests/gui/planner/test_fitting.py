"""Only what fits: verdicts for whole categories, marks with reasons, and the list without what does not fit."""

import pytest
from PySide6.QtCore import Qt

from core.advise.fit_verdict import RANK, FitState
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.edits import RemovePart, SetDetails
from gui.parts.catalogue_connection import CatalogueConnection
from gui.planner.parts.fitting import Fitting
from gui.planner.parts.model import HIT_ROLE, VERDICT_ROLE, reason_words
from tests.gui.conftest import QUIET

WEAK = "corsair-rm850x-2021"


@pytest.fixture
def panel(qtbot, window):
    window.open(QUIET)
    window.plan.parts.show_category(Category.PSU)
    window.plan.parts.only_fitting.setChecked(False)
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    return window.plan.parts


def test_what_does_not_fit_is_marked_with_the_reason(panel):
    row = panel.parts.ids().index(WEAK)
    assert not panel.parts.fits(row)
    tooltip = panel.parts.index(row).data(Qt.ItemDataRole.ToolTipRole)
    assert "Does not fit, 1700 &lt; 2" in tooltip, "two of 850 W"
    assert panel.parts.fits(panel.parts.ids().index("corsair-ax1600i")), "what is in the build, and right"


def test_ticking_leaves_out_what_does_not_fit_and_unticking_brings_it_back(panel):
    everything = panel.parts.ids()
    assert panel.bar.found_label.text().startswith(f"PSU: first {len(everything)} of ")
    panel.only_fitting.setChecked(True)
    assert WEAK not in panel.parts.ids()
    assert "corsair-ax1600i" in panel.parts.ids()
    states = {panel.parts.index(row).data(VERDICT_ROLE).state for row in range(panel.parts.rowCount())}
    assert FitState.DOES_NOT not in states
    assert FitState.UNKNOWN in states, "what lacks a figure is not hidden"
    panel.only_fitting.setChecked(False)
    assert panel.parts.ids() == everything


def test_a_smaller_machine_lets_more_fit(qtbot, window, panel):
    panel.only_fitting.setChecked(True)
    few = panel.parts.rowCount()
    window.document.edit(RemovePart(window.document.build.of(Category.GPU)[0].part.id))
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    assert panel.parts.rowCount() > few
    assert WEAK in panel.parts.ids()


def test_a_name_is_no_reason_to_ask_again(window, panel):
    window.document.edit(SetDetails(name="Another", notes="and a note"))
    assert not window.plan.fitting.busy


def test_in_an_empty_build_everything_fits(window, panel):
    window.document.new()
    assert not window.plan.fitting.busy
    assert all(panel.parts.fits(row) for row in range(panel.parts.rowCount()))


def test_the_choice_stays_when_the_list_is_narrowed(qtbot, window, panel):
    panel.results.setCurrentIndex(panel.parts.index(panel.parts.ids().index("corsair-ax1600i")))
    panel.only_fitting.setChecked(True)
    panel.results.setCurrentIndex(panel.parts.index(panel.parts.ids().index("corsair-ax1600i")))
    window.plan.fitting.judged.emit()
    assert panel.selected_id == "corsair-ax1600i"


def test_marks_stay_until_a_new_answer_comes(qtbot, document, data_dir):
    connection = CatalogueConnection(data_dir)
    connection.catalogue()
    document.open(QUIET)
    fitting = Fitting(document, connection)
    fitting.want(connection.catalogue().search("", Category.PSU), useful=True)
    qtbot.waitUntil(lambda: not fitting.busy)
    assert fitting.verdict(Category.PSU, WEAK)
    document.edit(RemovePart("noctua-nf-a14x25-g2-ls-pwm"))
    assert fitting.busy
    assert fitting.verdict(Category.PSU, WEAK)
    connection.close()


def test_nothing_that_fits_is_said_with_a_way_out(qtbot, window, panel):
    panel.search.setText("rm850x")
    panel.only_fitting.setChecked(True)
    assert panel.results.isHidden()
    assert panel.nothing.label.text() == "None of these parts fits the build."
    assert panel.selected_id is None
    panel.nothing.show_unfit.click()
    assert panel.selected_id == WEAK


def test_what_fits_stands_first_and_the_unjudged_behind_it(qtbot, window, panel):
    states = [panel.parts.index(row).data(VERDICT_ROLE).state for row in range(panel.parts.rowCount())]
    assert panel.parts.ids()[-1] == "corsair-ax1600i", "the build has it"
    states.pop()
    assert [RANK[state] for state in states] == sorted(RANK[state] for state in states)
    assert states[0].fits
    assert panel.selected_id == panel.parts.ids()[0], "nobody had chosen: the first is the one that fits"


def test_the_users_order_holds_among_those_that_fit_alike(qtbot, window, panel):
    panel.filter_state.sort_by("power_w")
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    hits = [panel.parts.hit(row) for row in range(panel.parts.rowCount())]
    for state in FitState:
        watts = [hit.figure for row, hit in enumerate(hits) if panel.parts.index(row).data(VERDICT_ROLE).state is state]
        assert watts == sorted(watts, reverse=True)


def test_a_switch_says_whether_a_part_is_added_or_replaces_another(qtbot, window, panel):
    box = panel.replace_box.box
    assert box.currentText() == "Replace Corsair AX1600i"
    assert [box.itemText(row) for row in range(box.count())] == ["Add a PSU", "Replace Corsair AX1600i"]
    assert not panel.parts.fits(panel.parts.ids().index(WEAK))
    box.setCurrentIndex(0)
    box.activated.emit(0)
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    assert window.plan.fitting.replaced(Category.PSU) is None
    panel.search.setText("rm850x")
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    panel.search.returnPressed.emit()
    assert window.document.build.count(Category.PSU) == 3


def test_enter_replaces_the_part_that_the_switch_names(qtbot, window, panel):
    panel.search.setText("rm850x")
    panel.search.returnPressed.emit()
    assert [line.part.id for line in window.document.build.of(Category.PSU)] == [WEAK]
    assert panel.replace_box.box.currentText() == "Replace Corsair RM850x (2021)"


def test_cards_are_added_unless_the_user_replaces_one(window, panel):
    panel.show_category(Category.GPU)
    assert panel.replace_box.box.currentText() == "Add a GPU"
    card = window.document.build.of(Category.GPU)[0].part
    panel.find_similar(card)
    assert panel.replace_box.box.currentText() == f"Replace {card.title}"
    panel.show_category(None)
    assert panel.replace_box.isHidden()


def test_as_many_are_judged_as_are_typed(qtbot, window, panel):
    window.document.edit(RemovePart("corsair-ax1600i"))
    panel.only_fitting.setChecked(True)
    panel.search.setText("ax1600i")
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    assert panel.parts.rowCount() == 0, "one does not feed six cards"
    panel.search.setText("2x ax1600i")
    qtbot.waitUntil(lambda: not window.plan.fitting.busy)
    assert panel.selected_id == "corsair-ax1600i"


def test_a_row_tells_its_specifications_and_below_them_why_it_does_not_fit(qtbot, window):
    """Cards that wait for a board: every board had the same cut warning in the place of its socket and slots."""
    window.document.new(Build())
    window.plan.add_part("asus-turbo-rtx-3090-24g", 2)
    window.plan.parts.only_fitting.setChecked(False)
    window.plan.parts.show_category(Category.MOTHERBOARD)
    qtbot.waitUntil(lambda: not window.plan.fitting.busy, timeout=60_000)
    parts, results = window.plan.parts.parts, window.plan.parts.results
    heights: dict[bool, set[int]] = {True: set(), False: set()}
    words = set()
    for row in range(parts.rowCount()):
        index = parts.index(row)
        verdict, hit = index.data(VERDICT_ROLE), index.data(HIT_ROLE)
        heights[verdict.reason is not None].add(results.sizeHintForIndex(index).height())
        words.add(reason_words(verdict, hit.title, hit.category))
    assert len(heights[True]) == len(heights[False]) == 1
    assert heights[True].pop() > heights[False].pop(), "a line more"
    assert {"", "Slot wired to CPU or chipset"} <= words
    assert max(map(len, words)) <= 60


def test_cards_without_a_board_say_what_they_wait_for(window):
    window.document.new(Build())
    window.plan.add_part("asus-turbo-rtx-3090-24g", 2)
    model = window.plan.table.model()
    tips = {str(model.index(0, column).data(Qt.ItemDataRole.ToolTipRole)) for column in range(model.columnCount())}
    assert any("2 wait for a board" in tip for tip in tips)
    window.plan.add_part("asus-proart-x670e-creator-wifi")
    assert [line.slots for line in window.document.build.of(Category.GPU)] == [(2, 5)]
    window.document.undo_stack.undo()
    assert [line.slots for line in window.document.build.of(Category.GPU)] == [()]
