from dataclasses import replace
from datetime import date

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from core.parts.part import Price
from core.parts.vocabulary import Category
from core.plan.edits import AddPart, RemovePart, SetLines, SetQuantity
from core.present.report.build_findings import finding_figures
from core.rules.finding import Finding, Status
from gui.planner.findings.finding_list import FindingsModel, finding_rows
from gui.planner.lines.model import CATEGORY, LIMIT, POWER, PRICE, QUANTITY, SLOTS, LinesModel, TypedSlots, parse_slots
from gui.planner.parts.categories import CategoriesModel
from gui.planner.parts.model import PartsModel
from tests.gui.conftest import FIRST_ATTEMPT, QUIET

Fatal = QAbstractItemModelTester.FailureReportingMode.Fatal


@pytest.fixture
def lines(document):
    document.open(FIRST_ATTEMPT)
    return LinesModel(document, document)


def gpu(lines):
    return lines.rows[row(lines, Category.GPU)]


def row(lines, category):
    return next(row for row in range(lines.rowCount()) if lines.rows[row].part.category is category)


def test_the_models_keep_qts_rules_through_edits(document, catalogue, lines):
    findings, parts, categories = FindingsModel(document, finding_rows), PartsModel(), CategoriesModel()
    testers = [QAbstractItemModelTester(model, Fatal) for model in (lines, findings, parts, categories)]
    document.edit(AddPart(catalogue.require("corsair-ax1600i")))
    document.edit(SetQuantity("corsair-ax1600i", 3))
    document.edit(RemovePart("corsair-ax1600i"))
    document.undo_stack.undo()
    findings.set_hide_settled(False)
    document.new()
    document.undo_stack.redo()
    parts.show_hits(catalogue.search("3090"))
    parts.show_hits([])
    categories.show_counts(catalogue.counts())
    assert len(testers) == 4


def test_lines_stand_in_the_order_of_the_categories_with_question_marks_for_slots_to_be_chosen(lines):
    assert lines.index(row(lines, Category.GPU), SLOTS).data().endswith("?")
    order = [list(Category).index(lines.rows[number].part.category) for number in range(lines.rowCount())]
    assert order == sorted(order)


def test_the_category_is_said_once_per_group(document, catalogue, lines):
    document.edit(AddPart(catalogue.require("corsair-ax1600i")))
    first = row(lines, Category.PSU)
    assert lines.index(first, CATEGORY).data() == "PSU"
    assert lines.index(first + 1, CATEGORY).data() == ""


@pytest.mark.parametrize(
    ("text", "seats"),
    [
        ("1,3,5", TypedSlots((1, 3, 5), ())),
        (" 1, 3 ;5 ", TypedSlots((1, 3, 5), ())),
        ("2 ? ?", TypedSlots((2,), ())),
        ("1r, 3 5R", TypedSlots((1, 3, 5), (1, 5))),
        ("", TypedSlots((), ())),
        ("1,x", None),
        ("r", None),
        ("1rr", None),
        ("-1", None),
        ("１", None),
    ],
)
def test_slots_are_read_as_people_type_them(text, seats):
    assert parse_slots(text) == seats


@pytest.mark.parametrize(
    ("typed", "risers", "title"),
    [
        ("2r,5,7", (2,), "Put ASUS TUF Gaming GeForce RTX 3090 OC 24GB in slot 2 on risers"),
        ("2r,5r,6", (2, 5), "Place ASUS TUF Gaming GeForce RTX 3090 OC 24GB in slots 2, 5, 6"),
        ("2,6,7", (), "Place ASUS TUF Gaming GeForce RTX 3090 OC 24GB in slots 2, 6, 7"),
    ],
)
def test_risers_are_typed_with_the_slots_and_undone_with_them(document, lines, typed, risers, title):
    before = document.build
    count = document.undo_stack.count()
    index = lines.index(row(lines, Category.GPU), SLOTS)
    assert lines.setData(index, typed)
    assert gpu(lines).risers == risers
    assert document.undo_stack.count() == count + 1
    assert document.undo_stack.undoText() == title
    assert index.data().startswith(typed)
    document.undo_stack.undo()
    assert document.build == before


def test_a_power_limit_is_typed_shown_and_given_back(document, lines):
    index = lines.index(row(lines, Category.GPU), LIMIT)
    own = index.data()
    assert index.data(Qt.ItemDataRole.FontRole) is None
    assert lines.setData(index, 280)
    assert index.data() == "280"
    assert index.data(Qt.ItemDataRole.FontRole).bold() or index.data(Qt.ItemDataRole.FontRole).weight() > 500
    assert "280 W per card, set" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "280 W per card, set" in index.data(Qt.ItemDataRole.AccessibleTextRole)
    assert lines.setData(index, 0)
    assert index.data() == own
    assert document.build.of(Category.GPU)[0].power_limit_w is None
    assert lines.index(row(lines, Category.CPU), LIMIT).data() == ""


@pytest.mark.parametrize("text", ["99", "2,2", "a", "1,2,3,4,5,6,7", "3r"])
def test_slots_that_cannot_be_are_refused_in_a_sentence(qtbot, document, lines, text):
    before = document.build
    with qtbot.waitSignal(document.refused) as refusal:
        assert not lines.setData(lines.index(row(lines, Category.GPU), SLOTS), text)
    assert refusal.args[0].endswith(".")
    assert document.build is before


def test_only_quantity_and_price_and_the_slots_and_limits_of_cards_are_edited(lines):
    for number in range(lines.rowCount()):
        editable = {
            column
            for column in range(lines.columnCount())
            if lines.index(number, column).flags() & Qt.ItemFlag.ItemIsEditable
        }
        assert editable == (
            {QUANTITY, SLOTS, LIMIT, PRICE} if lines.rows[number].part.category is Category.GPU else {QUANTITY, PRICE}
        )


def test_power_and_price_are_shown_for_the_whole_line(document, lines):
    document.open(QUIET)
    cost = Price(amount=450, currency="USD", as_of=date(2026, 1, 1), kind="own")
    priced = [
        replace(line, part=line.part.model_copy(update={"price": cost})) if line.part.category is Category.PSU else line
        for line in document.build.lines
    ]
    document.edit(SetLines("Prices", tuple(priced)))
    psu, gpu = row(lines, Category.PSU), row(lines, Category.GPU)
    assert lines.index(psu, PRICE).data() == "900 USD, 2026-01"
    assert 1800 < float(lines.index(gpu, POWER).data().replace("\u202f", "")) < 2200
    assert lines.index(psu, POWER).data() == ""


def test_the_most_urgent_finding_is_first_and_passed_ones_are_hidden_on_demand(document):
    document.open(FIRST_ATTEMPT)
    findings = FindingsModel(document, finding_rows)
    hidden = findings.rowCount()
    assert findings.rows[0].finding.status is Status.FAIL
    findings.set_hide_settled(False)
    assert findings.rowCount() > hidden
    assert findings.rowCount() == len(document.assessment.findings)


@pytest.mark.parametrize(
    ("measured", "limit", "unit", "words"),
    [
        (1, None, "circuits", "1 circuit"),
        (2, 1, "PSUs", "2 > 1 PSUs"),
        (6, 6, "plugs", "6 plugs"),
        (1, 3, "ms", "1 < 3 ms"),
        (7, 7.5, "", "7 < 7.5"),
        (None, 3, "W", ""),
    ],
)
def test_figures_of_a_finding_are_written_with_their_unit(measured, limit, unit, words):
    finding = Finding("a-rule", Status.NOTE, "Said.", measured=measured, limit=limit, unit=unit)
    assert finding_figures(finding).replace("\N{NO-BREAK SPACE}", " ") == words


def test_a_dragged_part_carries_its_id(qtbot, catalogue):
    parts = PartsModel()
    parts.show_hits(catalogue.search("ax1600i"))
    data = parts.mimeData([parts.index(0)])
    assert bytes(data.data(parts.mimeTypes()[0]).data()) == b"corsair-ax1600i"


def test_categories_count_all_and_each(qtbot, catalogue):
    categories = CategoriesModel()
    categories.show_counts({Category.GPU: 3, Category.CPU: 2})
    spoken = Qt.ItemDataRole.AccessibleTextRole
    assert categories.index(0).data(spoken) == "All parts, 5"
    assert categories.index(categories.row_of(Category.GPU)).data(spoken) == "GPU, 3"
