"""Only what fits: verdicts for whole categories, marks with reasons, and the list without what does not fit."""

import pytest
from PySide6.QtCore import Qt

from core.build.edits import RemovePart, SetDetails
from core.parts.vocabulary import Category
from gui.planner.fitting import Fitting
from gui.planner.shelf import Shelf
from tests.gui.conftest import QUIET

WEAK = "corsair-rm850x-2021"


@pytest.fixture
def panel(qtbot, window):
    window.open(QUIET)
    window.plan.parts.show_category(Category.PSU)
    qtbot.waitUntil(lambda: not window.plan.fitting.busy, timeout=20_000)
    return window.plan.parts


def test_what_does_not_fit_is_marked_with_the_reason(panel):
    row = panel.parts.ids().index(WEAK)
    assert not panel.parts.fits(row)
    told = panel.parts.index(row).data(Qt.ItemDataRole.ToolTipRole)
    assert "Would not do in this build: " in told
    assert panel.parts.fits(panel.parts.ids().index("corsair-ax1600i")), "what is in already fits"


def test_ticking_leaves_out_what_does_not_fit_and_unticking_brings_it_back(panel):
    everything = panel.parts.ids()
    panel.only_fitting.setChecked(True)
    assert WEAK not in panel.parts.ids()
    assert "corsair-ax1600i" in panel.parts.ids()
    assert panel.bar.found.text().endswith(f"{panel.parts.rowCount()} fit")
    panel.only_fitting.setChecked(False)
    assert panel.parts.ids() == everything


def test_a_smaller_machine_lets_more_fit(qtbot, window, panel):
    panel.only_fitting.setChecked(True)
    few = panel.parts.rowCount()
    window.document.edit(RemovePart(window.document.build.of(Category.GPU)[0].part.id))
    qtbot.waitUntil(lambda: not window.plan.fitting.busy, timeout=20_000)
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
    shelf = Shelf(data_dir)
    shelf.catalogue()
    document.open(QUIET)
    fitting = Fitting(document, shelf)
    fitting.want([Category.PSU])
    qtbot.waitUntil(lambda: not fitting.busy, timeout=20_000)
    assert fitting.obstacle(Category.PSU, WEAK)
    document.edit(RemovePart("noctua-nf-a14x25-g2-ls-pwm"))
    assert fitting.busy
    assert fitting.obstacle(Category.PSU, WEAK)
    shelf.close()


def test_nothing_that_fits_is_said_with_a_way_out(qtbot, window, panel):
    panel.search.setText("rm850x")
    panel.only_fitting.setChecked(True)
    assert panel.results.isHidden()
    assert panel.nothing.label.text() == "None of these parts fits into the build as it stands."
    assert panel.selected_id is None
    panel.nothing.show_unfit.click()
    assert panel.selected_id == WEAK
