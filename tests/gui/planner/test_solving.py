"""Solve all, from the findings: what it would change is shown before it is kept."""

import pytest

from core.plan.build import Build
from core.rules.finding import Status
from gui.planner.findings.solve_dialog import SolveDialog
from tests.gui.conftest import FIRST_ATTEMPT, QUIET


@pytest.fixture
def solving(qtbot, window):
    def ask():
        window.plan.findings.solve_all.click()
        dialog = window.plan.findChildren(SolveDialog)[-1]
        qtbot.waitUntil(lambda: dialog.solution is not None, timeout=60_000)
        return dialog

    return ask


def failing(window):
    return [one for one in window.document.assessment.findings if one.status is Status.FAIL]


def test_the_changes_and_their_sum_are_shown_and_made_in_one_undoable_step(window, solving):
    window.open(FIRST_ATTEMPT)
    before, failed = window.document.build, len(failing(window))
    dialog = solving()
    assert window.document.build is before, "looking changes nothing"
    shown = dialog.text.text()
    for step in dialog.solution.steps:
        assert step.title in shown
    for words in ("In all", "To buy: ", "Not solved", dialog.solution.unsolved[0].message):
        assert words in shown
    assert "Nothing new fails." in dialog.sentence.text()
    dialog.keep.click()
    assert window.document.build == dialog.solution.after.build
    assert len(failing(window)) < failed
    assert window.document.undo_stack.count() == 1
    window.document.undo_stack.undo()
    assert window.document.build == before


def test_turning_away_changes_nothing_and_ends_the_search(qtbot, window):
    window.open(FIRST_ATTEMPT)
    before = window.document.build
    window.plan.findings.solve_all.click()
    dialog = window.plan.findChildren(SolveDialog)[-1]
    dialog.reject()
    assert not dialog._goes_on()
    assert window.document.build is before


def test_without_trouble_there_is_nothing_to_solve(window):
    window.document.new(Build())
    assert not window.plan.findings.solve_all.isEnabled()
    window.open(FIRST_ATTEMPT)
    assert window.plan.findings.solve_all.isEnabled()


def test_what_was_kept_may_be_solved_on(window, solving):
    window.open(QUIET)
    dialog = solving()
    assert dialog.keep.isEnabled() is bool(dialog.solution.steps)
    dialog.reject()
