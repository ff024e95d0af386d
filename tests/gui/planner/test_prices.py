"""Prices in the table of lines: typed in place, pasted as a column, undone; and the lines that lack one."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit

from core.parts.price_today import full_words
from core.parts.query import Query
from core.parts.vocabulary import Category
from core.plan.budget import Budget
from core.plan.price_edits import SetBudget
from gui.planner.lines.model import PRICE, LinesModel
from gui.planner.lines.view import LinesView
from gui.planner.parts.model import PRICE_ROLE, PartsModel
from tests.gui.conftest import FIRST_ATTEMPT


@pytest.fixture
def lines(document):
    document.open(FIRST_ATTEMPT)
    return LinesModel(document)


@pytest.fixture
def view(qtbot, document):
    document.open(FIRST_ATTEMPT)
    made = LinesView(document)
    qtbot.addWidget(made)
    return made


def cell(lines, category):
    return next(lines.index(row, PRICE) for row, line in enumerate(lines.rows) if line.part.category is category)


@pytest.mark.parametrize("typed", ["1.999,50 EUR", "1,999.50 eur", "€1999.5"])
def test_a_price_is_typed_in_either_notation_and_undone(document, lines, typed):
    index = cell(lines, Category.PSU)
    before = lines.rows[index.row()].part
    assert lines.setData(index, typed)
    price = document.build.line(before.id).part.price
    assert (price.amount, price.currency, price.kind) == (1999.5, "EUR", "own")
    document.undo_stack.undo()
    assert document.build.line(before.id).part == before


def test_an_amount_alone_is_in_the_currency_of_before_and_the_same_price_changes_nothing(document, lines):
    index = cell(lines, Category.PSU)
    assert lines.setData(index, "100 CNY")
    assert lines.setData(index, "120")
    assert lines.rows[index.row()].part.price.currency == "CNY"
    count = document.undo_stack.count()
    assert lines.setData(index, lines.data(index, 2))
    assert document.undo_stack.count() == count


def test_an_emptied_cell_takes_the_price_away(document, lines):
    index = cell(lines, Category.PSU)
    assert lines.setData(index, "100 CNY")
    assert lines.setData(index, " ")
    assert lines.rows[index.row()].part.price is None


def test_what_is_no_price_is_reported_in_a_sentence(qtbot, document, lines):
    before = document.build
    with qtbot.waitSignal(document.refused) as refusal:
        assert not lines.setData(cell(lines, Category.PSU), "much")
    assert "is not a price" in refusal.args[0]
    assert document.build is before


def test_a_column_is_pasted_on_the_selected_lines_in_one_step_of_undo(document, view):
    before = document.build
    view.selectRow(0)
    QGuiApplication.clipboard().setText("a card\t1.500,00 EUR\n\n90 USD\n")
    view.paste_prices()
    prices = [line.part.price for line in view.lines.rows]
    assert (prices[0].amount, prices[0].currency) == (1500, "EUR")
    assert prices[1] == before.line(view.lines.rows[1].part.id).part.price
    assert (prices[2].amount, prices[2].kind) == (90, "own")
    document.undo_stack.undo()
    assert document.build == before


def test_a_column_longer_than_the_selection_is_refused(qtbot, document, view):
    before = document.build
    view.select_parts([line.part.id for line in view.lines.rows[:2]])
    QGuiApplication.clipboard().setText("1\n2\n3")
    with qtbot.waitSignal(document.refused) as refusal:
        view.paste_prices()
    assert "3 rows for 2 lines" in refusal.args[0]
    assert document.build is before


def test_the_price_gauge_asks_for_a_price_only_where_it_decides_about_the_budget(qtbot, window):
    plan, document = window.plan, window.document
    document.open(FIRST_ATTEMPT)
    plan.table.selectRow(0)
    assert plan.table.lines.setData(plan.table.lines.index(0, PRICE), "")
    total = document.assessment.price
    assert not total.all_priced
    low, high = total.totals[0].range
    currency = total.totals[0].currency
    for budget in (None, Budget(low - 1, currency), *([] if total.unpriced else [Budget(high + 1, currency)])):
        document.edit(SetBudget(budget))
        with qtbot.waitSignal(plan.prediction_wanted):
            plan.gauges.opened.emit("price")
    document.edit(SetBudget(Budget((low + high) / 2, currency)))
    deciding = document.assessment.deciding_prices
    assert set(total.unpriced_ids) <= set(deciding)
    assert 0 < len(deciding) < len({*total.unpriced_ids, *(part for part, _ in total.estimates)}) or total.unpriced
    plan.gauges.opened.emit("price")
    assert set(plan.table.selected_ids()) == set(deciding)
    assert plan.table.currentIndex().column() == PRICE
    assert "keeps to its budget" in plan.notice.label.text()


def test_a_price_is_typed_into_its_cell_and_a_column_pasted_by_keyboard(qtbot, window):
    table, document = window.plan.table, window.document
    document.open(FIRST_ATTEMPT)
    table.setFocus()
    table.setCurrentIndex(table.lines.index(1, PRICE))
    qtbot.keyClick(table, Qt.Key.Key_7)
    editor = table.indexWidget(table.currentIndex()) or table.findChild(QLineEdit)
    assert editor.accessibleName() == "Price of one"
    qtbot.keyClicks(editor, "12,50 EUR")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: document.undo_stack.count() == 1)
    price = table.lines.rows[1].part.price
    assert (price.amount, price.currency) == (712.5, "EUR")
    table.setFocus()
    table.selectRow(0)
    QGuiApplication.clipboard().setText("1500 CNY\n80 CNY")
    qtbot.keyClick(table, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert [line.part.price.amount for line in table.lines.rows[:2]] == [1500, 80]


def test_a_list_shows_one_currency_and_the_tip_keeps_the_price_as_it_is(catalogue, qtbot):
    model = PartsModel(find_part=catalogue.part)
    model.show_hits(catalogue.find(Query(category=Category.GPU, sort="price", limit=1000)), sort="price")
    row = next(row for row in range(model.rowCount()) if model.hit(row).price.currency == "CNY")
    words = model.index(row).data(PRICE_ROLE)
    assert " USD" in words and "CNY" not in words
    assert full_words(model.hit(row).price).split(",")[0] in model.index(row).data(Qt.ItemDataRole.ToolTipRole)
    model.show_hits(catalogue.find(Query(category=Category.GPU, limit=1000)), sort="")
    assert not any("CNY" in model.index(row).data(PRICE_ROLE) for row in range(model.rowCount()))
    model.deleteLater()


def test_what_a_maker_asked_for_a_card_no_longer_sold_is_only_in_the_tip(lines):
    index = cell(lines, Category.GPU)
    assert "1499" not in index.data()
    assert "1499 USD, launch, 2020-09" in index.data(Qt.ItemDataRole.ToolTipRole)
