"""Wherever the window shows a price it is in the currency that is set; a tip tells what it was made of."""

import re

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QToolButton

from core.assessment import Assessment
from core.parts.money import PER_USD, MoneyTerms, write_terms
from core.parts.query import Filter
from core.parts.vocabulary import Category
from core.plan.budget import Budget
from core.plan.price_edits import SetBudget
from core.present.share.comparison import compare
from gui.parts.part_editor import PartEditor
from gui.planner.findings.solve_dialog import SolveDialog
from gui.planner.lines.model import PRICE
from gui.planner.parts.model import PRICE_ROLE, SUPPORT_ROLE
from tests.gui.conftest import FIRST_ATTEMPT, QUIET, shown_window

FOREIGN = re.compile(rf"\b(?:{'|'.join(set(PER_USD) - {'EUR'})})\b|[$£¥]")
RATE = re.compile(r"1 [A-Z]{3} is [\d.,e-]+ EUR, as of [\d-]+\.")


@pytest.fixture
def euros(qtbot, data_dir, answers):
    write_terms(data_dir, MoneyTerms(currency="EUR"))
    with shown_window(qtbot, data_dir) as window:
        window.document.open(FIRST_ATTEMPT)
        yield window


def assert_euros(texts):
    """All of them, and at least one price among them."""
    words = [str(text) for text in texts if text]
    assert any("EUR" in text for text in words), words
    assert_no_other(words)


def assert_no_other(texts):
    assert not [text for text in (RATE.sub("", text) for text in texts) if FOREIGN.search(text)]


def table_texts(view: QAbstractItemView, role=Qt.ItemDataRole.DisplayRole):
    model = view.model()
    return [
        str(model.index(row, column).data(role) or "")
        for row in range(model.rowCount())
        for column in range(model.columnCount())
    ]


def test_the_lines_the_gauge_and_the_budget(euros):
    euros.document.edit(SetBudget(Budget(9000, "USD")))
    plan = euros.workspace.plan
    lines = plan.table.lines
    rows = range(lines.rowCount())
    assert_euros([lines.index(row, PRICE).data() for row in rows])
    assert_euros([lines.index(row, PRICE).data(Qt.ItemDataRole.EditRole) for row in rows])
    assert_euros(
        [text for dial in plan.gauges._dials for text in (dial.gauge.title, dial.gauge.value, dial.gauge.foot)]
    )
    assert_euros(plan.gauges._dials[-1].gauge.details)


def test_a_price_that_is_shown_in_another_currency_is_not_changed_by_looking_at_it(euros):
    document, lines = euros.document, euros.workspace.plan.table.lines
    count = document.undo_stack.count()
    for row in range(lines.rowCount()):
        index = lines.index(row, PRICE)
        if text := index.data(Qt.ItemDataRole.EditRole):
            assert lines.setData(index, text)
    assert document.undo_stack.count() == count
    psu = next(row for row, line in enumerate(lines.rows) if line.part.category is Category.PSU)
    assert lines.setData(lines.index(psu, PRICE), "120")
    assert lines.rows[psu].part.price.currency == "EUR"


@pytest.mark.parametrize("sort", ["", "price", "price_per_w"])
def test_the_list_of_parts_its_order_and_its_filters(qtbot, euros, sort):
    parts = euros.workspace.plan.parts
    parts.only_fitting.setChecked(False)
    parts.show_category(Category.PSU)
    parts.filter_state.sort_by(sort)
    model = parts.parts
    rows = [model.index(row) for row in range(model.rowCount())]
    assert_euros(index.data(PRICE_ROLE) for index in rows)
    if sort == "price_per_w":
        assert_euros(index.data(SUPPORT_ROLE).figure for index in rows)
    assert any("USD" in str(index.data(Qt.ItemDataRole.ToolTipRole)) for index in rows), "as it is stored"
    if sort:
        figures = [model.hit(row).figure for row in range(model.rowCount())]
        priced = [figure for figure in figures if figure is not None]
        assert priced == sorted(priced)
    parts.bar.toggle.setChecked(True)
    qtbot.waitUntil(lambda: "price" in parts.filters.sections)
    assert_euros([parts.filters.sections["price"].findChild(QToolButton).text()])
    parts.filter_state.set_limit(Filter("price", high=200.0))
    assert_euros([chip.words for chip in parts.bar.chips.chips])
    assert all(parts.parts.hit(row).shown.amount <= 200 for row in range(parts.parts.rowCount()))


def test_fixes_and_all_of_them_together(qtbot, euros):
    dialog = SolveDialog(euros.document, euros.connection, euros)
    qtbot.addWidget(dialog)
    qtbot.waitUntil(lambda: dialog.solution is not None)
    assert_euros([dialog.text.text()])
    assert dialog.solution.sum.price.currency == "EUR"


def test_the_sections_of_the_predictions(qtbot, euros):
    page = euros.pages.require_predictions()
    euros.pages.show_predictions()
    euros.document.edit(SetBudget(Budget(9000, "USD")))
    for key in ("energy", "speed", "gpus"):
        page.show_section(key)
        panel = page.panel(key)
        qtbot.waitUntil(lambda: not getattr(panel, "busy", False))  # noqa: B023 - it is waited for here
        QApplication.processEvents()  # Qt shows what was put in a layout when it is next idle
        texts = [label.text() for label in panel.findChildren(QLabel) if label.isVisibleTo(panel)]
        texts += [text for view in panel.findChildren(QAbstractItemView) for text in table_texts(view)]
        assert_euros(texts) if key != "speed" else assert_no_other(texts)
    tips = table_texts(page.panel("gpus").table, Qt.ItemDataRole.ToolTipRole)
    assert any("USD" in text for text in tips), "as it is stored"


def test_the_comparison(euros):
    guide = euros.document.guide_of(euros.document.build)
    builds = [euros.document.build]
    euros.document.open(QUIET)
    builds.append(euros.document.build)
    rows = compare([Assessment(build, guide=guide) for build in builds]).rows()
    assert_euros(cell for row in rows if row.label == "Price" for cell in row.cells)


def test_a_new_part_is_priced_in_it(qtbot, euros):
    editor = PartEditor(euros.connection.catalogue(), None, Category.GPU, euros)
    qtbot.addWidget(editor)
    assert editor.origin.price.currency.text() == "EUR"
