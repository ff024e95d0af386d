"""The budget in the window: set in a dialog, undone, beside the price in the gauge, and a limit on the list."""

import pytest

from core.parts.vocabulary import Category
from core.plan.budget import Budget
from core.plan.build import Build
from core.plan.price_edits import SetBudget
from core.predict.budget import BudgetUse
from core.predict.price import CurrencyTotal, PriceTotal
from gui.planner.build_settings import BudgetDialog
from gui.planner.dials import PRICE
from gui.planner.gauges import price_gauge
from tests.gui.conftest import QUIET


@pytest.mark.parametrize(
    ("budget", "tone"), [(16_000, "pass"), (14_500, "warn"), (13_000, "fail")], ids=["within", "doubt", "over"]
)
def test_the_gauge_tells_the_budget_and_its_colour_whether_the_total_keeps_to_it(budget, tone):
    total = PriceTotal((CurrencyTotal("USD", 12_000, 3, low=1000, high=3500, estimated=1),), (), 0, (), None, None)
    gauge = price_gauge(Build(), total, BudgetUse(13_000, 15_500, budget, "USD", 0))
    assert gauge.tone == tone
    assert gauge.foot.replace("\u202f", " ").startswith(f"of {budget:,} USD".replace(",", " "))
    assert gauge.limit == pytest.approx(0.8)
    assert gauge.low < gauge.expected < gauge.high <= 1
    assert (gauge.expected > gauge.limit) == (tone == "fail")


def test_parts_without_a_price_leave_the_gauge_open():
    total = PriceTotal((CurrencyTotal("USD", 500, 1),), (), 2, ("a", "b"), None, None)
    gauge = price_gauge(Build(budget=Budget(600, "USD")), total, BudgetUse(500, 500, 600, "USD", 2))
    assert gauge.tone == "note" and gauge.details[0].endswith("100 left; 2 parts without a price not counted")


def test_it_is_asked_for_in_a_dialog_refused_in_words_and_undone(qtbot, window):
    document = window.document
    document.open(QUIET)
    window.workspace.plan.details.open_budget()
    (dialog,) = window.findChildren(BudgetDialog)
    dialog.amount.setText("much")
    dialog.accept()
    assert "is not a budget" in dialog.problem.text() and dialog.isVisible()
    dialog.amount.setText("9.000 €")
    dialog.accept()
    assert document.build.budget == Budget(9000, "EUR")
    assert document.undo_stack.undoText() == "Set the budget to 9000 EUR"
    (gauge,) = (dial.gauge for dial in window.workspace.plan.gauges._dials if dial.gauge.title.startswith(f"{PRICE}, "))
    assert gauge.tone in ("warn", "fail", "note", "pass") and gauge.foot.startswith("of ")
    document.undo_stack.undo()
    assert document.build.budget is None
    again = BudgetDialog(document.assessment, window)
    assert again.amount.text() == ""


def test_the_list_is_limited_to_what_the_budget_leaves_with_the_replaced_line_counted(qtbot, window):
    document, parts = window.document, window.workspace.plan.parts
    document.open(QUIET)
    parts.show_category(Category.PSU)
    assert not parts.in_budget.isVisibleTo(parts)
    total = document.assessment.price.totals[0]
    document.edit(SetBudget(Budget(sum(total.range) / 2 + 100, "USD")))
    assert parts.in_budget.isVisibleTo(parts)
    assert "USD" in parts.in_budget.text()
    parts.only_fitting.setChecked(False)
    parts.in_budget.setChecked(True)
    left = parts._fitting.left_for(Category.PSU, 1)
    shown = [parts.parts.hit(row).shown for row in range(parts.parts.rowCount())]
    assert shown and all(price.amount <= left.amount for price in shown)
    assert "without a price of today" in parts.bar.found_label.text()
    document.edit(SetBudget(Budget(1, "USD")))
    assert parts.parts.rowCount() == 0 and parts.nothing.isVisibleTo(parts)
    parts.nothing.clear_filters.click()
    assert parts.parts.rowCount() > len(shown)
    document.edit(SetBudget(None))
    assert not parts.in_budget.isVisibleTo(parts)
