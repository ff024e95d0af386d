"""The search of the Plan page: where it looks, when it begins anew, and what of the build it lists."""

import pytest
from PySide6.QtCore import Qt

from core.parts.vocabulary import Category
from core.plan.templates import usual_parts
from gui.planner.parts.model import LINE_ROLE
from tests.gui.conftest import FIRST_ATTEMPT, QUIET


@pytest.fixture
def page(window):
    return window.plan


def test_ctrl_f_searches_all_categories(window, page):
    page.parts.show_category(Category.PSU)
    page.parts.search.setText("3090")
    window.menus.actions["find"].trigger()
    assert page.parts.filter_state.category is None
    assert page.parts.parts.rowCount()
    assert page.parts.search.selectedText() == "3090"


def test_nothing_is_searched_when_another_build_is_open(window, page):
    for begin in (lambda: window.open(QUIET), window.document.new, lambda: window.open(FIRST_ATTEMPT)):
        page.parts.search.setText("rm850x")
        begin()
        assert page.parts.search.text() == ""
        assert page.parts.parts.rowCount() > 1


def test_a_part_of_the_build_is_marked_and_last_unless_asked_for(window, page):
    page.parts.show_category(Category.PSU)
    model = page.parts.parts
    first = model.ids()[0]
    assert "in your build" not in model.index(0).data(LINE_ROLE)
    page.add_part(first)
    assert model.ids()[-1] == first
    last = model.index(model.rowCount() - 1)
    assert last.data(LINE_ROLE).startswith("in your build · ")
    assert "in your build" in last.data(Qt.ItemDataRole.AccessibleTextRole)
    page.parts.search.setText(last.data())
    assert model.ids()[0] == first, "Enter takes one more"
    page.parts.search.clear()
    window.document.undo_stack.undo()
    assert not any("in your build" in model.index(row).data(LINE_ROLE) for row in range(model.rowCount()))


@pytest.mark.parametrize("category", [None, Category.CPU])
def test_an_empty_build_begins_with_what_people_choose(window, page, category):
    page.parts.show_category(category)
    assert page.parts.parts.ids()[0] in usual_parts()
    assert page.parts.parts.hit(0).price is not None
