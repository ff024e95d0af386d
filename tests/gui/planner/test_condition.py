"""New, used or owned: chosen in the menu of a line and in the build settings, shown where the line is, undone."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from core.parts.part import Condition
from core.parts.vocabulary import Category
from core.plan.price_edits import SetBuildCondition, SetCondition
from gui.planner.board.card_menu import EditMenu
from gui.planner.build_settings import SiteDialog
from gui.planner.details import is_usual, site_words
from gui.planner.gauges import price_gauge
from gui.planner.lines.model import PRICE, LinesModel
from tests.gui.conftest import FIRST_ATTEMPT, QUIET

TIP = Qt.ItemDataRole.ToolTipRole
GPU = "asus-tuf-rtx-3090-oc-24g"


@pytest.fixture
def page(window):
    window.open(FIRST_ATTEMPT)
    return window.plan


def condition_entries(page):
    """Of the menu of the selected lines, opened by the keyboard's way."""
    page.table._menu(QPoint(5, 5))
    menu = next(child for child in page.table.findChildren(QMenu) if not isinstance(child, EditMenu))
    below = next(action.menu() for action in menu.actions() if action.menu() and action.text() == "Condition")
    return {action.text(): action for action in below.actions() if action.text()}


def test_the_menu_of_a_line_marks_what_holds_and_changes_it(window, page):
    page.table.select_parts([GPU])
    before = window.document.build
    entries = condition_entries(page)
    assert list(entries) == ["Like the build: new", "new", "used", "owned"]
    assert [text for text, entry in entries.items() if entry.isChecked()] == ["used"]
    entries["owned"].trigger()
    assert window.document.build.line(GPU).condition is Condition.OWNED
    window.document.undo_stack.undo()
    assert window.document.build == before


def test_several_lines_change_at_once_and_are_one_step_back(window, page):
    page.table.selectAll()
    count = window.document.undo_stack.count()
    condition_entries(page)["owned"].trigger()
    assert {line.condition for line in window.document.build.lines} == {Condition.OWNED}
    assert window.document.undo_stack.count() == count + 1
    assert window.document.undo_stack.undoText().startswith("Change the condition of ")


def test_a_line_says_that_it_is_used_and_what_such_cards_are_sold_for(window, page):
    lines = LinesModel(window.document)
    row = next(row for row, line in enumerate(lines.rows) if line.part.category is Category.GPU)
    title = lines.index(row, 1).data()
    assert title.endswith(", used")
    tip = lines.index(row, PRICE).data(TIP)
    assert "GPU Poet" in tip and "2026-09" in tip and "launch" not in tip
    window.document.edit(SetCondition(GPU, Condition.OWNED))
    assert lines.index(row, 1).data().endswith(", owned")
    assert (lines.index(row, PRICE).data(), "costs nothing" in lines.index(row, PRICE).data(TIP)) == ("owned", True)


def test_the_build_settings_say_it_for_all_lines(window, qtbot):
    window.open(QUIET)
    build = window.document.build
    dialog = SiteDialog(build, window.plan.details)
    qtbot.addWidget(dialog)
    assert Condition(dialog.purchase.condition.currentData()) is build.condition is Condition.NEW
    dialog.purchase.condition.setCurrentIndex(dialog.purchase.condition.findData(Condition.OWNED))
    window.document.edit(dialog.purchase.edit())
    assert window.document.build.condition is Condition.OWNED
    assert not is_usual(window.document.build)
    assert "Parts: owned" in site_words(window.document.build)
    dialog.purchase.restore()
    assert Condition(dialog.purchase.condition.currentData()) is Condition.NEW
    window.document.undo_stack.undo()
    assert window.document.build == build


def test_the_gauge_counts_used_and_owned_parts(window, page):
    build = window.document.build
    gauge = price_gauge(build, window.document.assessment.price)
    assert "6 used" in gauge.foot and any("GPU Poet" in line for line in gauge.details)
    window.document.edit(SetBuildCondition(Condition.OWNED))
    price = window.document.assessment.price
    assert price_gauge(window.document.build, price).foot.endswith("6 used, 7 owned")
