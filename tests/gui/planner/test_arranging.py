"""The best arrangement of the cards, from the board view and the menu."""

import pytest

from core.parts.vocabulary import Category
from core.plan.edits import PlaceCards, SetQuantity
from gui.planner.board.arrange_dialog import ArrangeDialog
from tests.gui.conftest import FIRST_ATTEMPT, QUIET


def slots(window):
    return window.document.build.of(Category.GPU)[0].slots


@pytest.fixture
def arranging(qtbot, window):
    def ask():
        window.menus.actions["arrange"].trigger()
        dialog = window.plan.findChildren(ArrangeDialog)[-1]
        qtbot.waitUntil(lambda: not dialog.busy)
        return dialog

    return ask


def test_the_best_arrangement_is_shown_with_its_reasons_and_made_in_one_undoable_step(window, arranging):
    window.open(FIRST_ATTEMPT)
    before = window.document.build
    dialog = arranging()
    assert "Slot 5 is Gen4 x8." in dialog.reasons.toPlainText()
    assert "4 cards have no slot" in dialog.sentence.text()
    dialog.apply.click()
    assert slots(window) == (2, 5)
    assert "slot-overlap" not in {f.rule for f in window.document.assessment.findings if f.status.value == "fail"}
    window.document.undo_stack.undo()
    assert window.document.build == before


def test_a_single_card_without_a_slot_is_reported_in_the_singular(window, arranging):
    window.open(QUIET)
    window.document.edit(SetQuantity(window.document.build.of(Category.GPU)[0].part.id, 8))
    assert "1 card has no slot:" in arranging().sentence.text()


def test_the_search_is_not_waited_for(qtbot, window):
    window.open(FIRST_ATTEMPT)
    window.plan.parts.show_category(Category.GPU)
    window.plan.arrange_cards()
    assert window.plan.fitting.busy
    assert window.plan.findChildren(ArrangeDialog)[-1].busy
    qtbot.waitUntil(lambda: not window.plan.findChildren(ArrangeDialog)[-1].busy)


def test_turning_away_changes_nothing(window, arranging):
    window.open(FIRST_ATTEMPT)
    before = window.document.build
    arranging().reject()
    assert window.document.build is before


def test_cards_that_sit_well_are_left_alone(window, arranging):
    window.open(QUIET)
    arranging().accept()
    dialog = arranging()
    assert not dialog.apply.isEnabled()
    assert "already sit in the best slots" in dialog.sentence.text()
    dialog.reject()


def test_the_cards_that_have_a_slot_can_be_left_there(qtbot, window, arranging):
    window.open(QUIET)
    card = window.document.build.of(Category.GPU)[0].part.id
    window.document.edit(PlaceCards(card, (7, 6)))
    dialog = arranging()
    dialog.keep.setChecked(True)
    qtbot.waitUntil(lambda: not dialog.busy)
    dialog.accept()
    assert slots(window)[:2] == (7, 6)
    assert len(slots(window)) == 6


def test_without_cards_or_a_board_there_is_nothing_to_arrange(qtbot, window):
    window.menus.actions["arrange"].trigger()
    dialog = window.plan.findChildren(ArrangeDialog)[-1]
    qtbot.waitUntil(lambda: "Nothing to arrange" in dialog.sentence.text())
    assert not dialog.apply.isEnabled()
    assert window.plan.board.arrange.isHidden()
    dialog.reject()
