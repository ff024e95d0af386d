"""Own parts, price lists, what was left out, and coverage: the lists of the menu."""

import csv
import io

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from core.parts.catalogue import Catalogue
from core.parts.contribution import FieldCoverage
from core.parts.own import correction
from core.parts.part import Origin
from core.parts.quarantined import Quarantined
from core.parts.vocabulary import Category
from core.plan.edits import AddPart
from gui.parts.coverage_view import SHARE, CoverageView, coverage_columns
from gui.parts.lists import OwnPartsView, left_out_dialog
from gui.parts.part_editor import PartEditor
from gui.parts.price_update_dialog import PriceUpdateDialog
from gui.widgets.table import TableModel
from tests.gui.parts.editing import cells

TURBO = "asus-turbo-3090"


def saying(window, words):
    return lambda: words in window.statusBar().currentMessage()


@pytest.fixture
def corrected(window):
    window.connection.catalogue().correct({TURBO: correction({"length_mm": 270})})
    window.connection.changed.emit()


@pytest.fixture
def left_out(qtbot):
    view = left_out_dialog(
        [
            Quarantined("GPU/1.json", "<img src=x> card", "length_mm", "9", "lies outside 100 to 500"),
            Quarantined("PSU/2.json", "Brick", "", "=cmd()", "has no name"),
            Quarantined("GPU/3.json", "Card", "width_slots", "44", "lies outside 0.8 to 5"),
        ]
    )
    qtbot.addWidget(view)
    view.show()
    return view


def test_own_parts_go_out_to_a_file_and_come_back(qtbot, window, actions, answers, corrected, tmp_path):
    answers.save_path = answers.open_path = tmp_path / "mine.json"
    actions["export_own"].trigger()
    qtbot.waitUntil(saying(window, "Wrote 1 part to"))
    window.connection.catalogue().delete_user_part(TURBO)
    window.document.edit(AddPart(window.connection.find_part(TURBO)))
    answers.queue = ["cancel", "take"]
    actions["import_own"].trigger()
    assert window.connection.find_part(TURBO).origin is Origin.SHIPPED
    actions["import_own"].trigger()
    qtbot.waitUntil(lambda: window.connection.find_part(TURBO).origin is Origin.USER)
    qtbot.waitUntil(lambda: window.document.build.line(TURBO).part.spec.length_mm == 270)
    assert "already" in answers.questions[-1][0]


def test_a_file_that_is_none_of_parts_is_reported_in_a_sentence(window, actions, answers, tmp_path):
    answers.open_path = tmp_path / "broken.json"
    answers.open_path.write_text("[]")
    actions["import_own"].trigger()
    assert "not a parts file" in answers.sentences[0]


def test_a_price_list_goes_out_and_comes_back_with_its_bad_lines(qtbot, window, actions, answers, dialog, tmp_path):
    answers.save_path = answers.open_path = tmp_path / "prices.csv"
    actions["export_prices"].trigger()
    qtbot.waitUntil(saying(window, "Wrote 3 parts"))
    window.document.edit(AddPart(window.connection.find_part(TURBO)))
    answers.open_path.write_text(
        f"id,part_number,amount,currency\n{TURBO},,999,EUR\n,90YV0F94-M0NM00,1000,EUR\nno-part,,5,EUR\n,x,much,EUR\n"
    )
    actions["import_prices"].trigger()
    view = dialog(PriceUpdateDialog)
    view.source.path.setText(str(answers.open_path))
    with qtbot.waitSignal(view.updated):
        view.start.click()
    assert [(row.result, row.place) for row in view.model.rows] == [
        ("said twice", "3"), ("no price", "5"), ("new", "2"), ("no such part", "4"),
    ]  # fmt: skip
    assert view.model.rows[3].reason == "no part matches no-part"
    price = window.connection.find_part(TURBO).price
    assert (price.amount, price.currency) == (999, "EUR")
    assert window.document.build.line(TURBO).part.price == price
    window.document.undo_stack.undo()
    assert window.document.build.line(TURBO).part.price.amount == 1600


def test_turning_away_from_a_file_dialog_does_nothing(window, actions, answers):
    for name in ("export_own", "import_own", "export_prices"):
        actions[name].trigger()
    assert answers.sentences == []


def test_my_parts_lists_corrections_and_takes_them_back(qtbot, window, actions, answers, dialog, corrected):
    window.document.edit(AddPart(window.connection.find_part(TURBO)))
    actions["own_parts"].trigger()
    view = dialog(OwnPartsView)
    assert cells(view) == [("ASUS TURBO-RTX3090-24G", "GPU", "length", TURBO)]
    answers.queue = ["cancel", "remove"]
    view.remove.click()
    assert len(view.model.rows) == 1
    view.remove.click()
    assert not view.model.rows
    assert not view.remove.isEnabled()
    assert window.connection.find_part(TURBO).origin is Origin.SHIPPED
    assert window.document.build.line(TURBO).part.spec.length_mm == 267


def test_enter_in_my_parts_opens_the_editor(qtbot, window, actions, dialog, corrected):
    actions["own_parts"].trigger()
    view = dialog(OwnPartsView)
    view.table.setFocus()
    qtbot.keyClick(view.table, Qt.Key.Key_Return)
    assert dialog(PartEditor).identity.id.text() == TURBO


def test_the_chosen_correction_is_removed_from_the_menu(window, actions, answers, corrected):
    window.plan.parts.search.setText("TURBO")
    answers.queue = ["remove"]
    actions["remove_own"].trigger()
    assert window.connection.find_part(TURBO).origin is Origin.SHIPPED
    actions["remove_own"].trigger()
    assert "nothing to remove" in window.plan.notice.label.text()


def test_without_a_choice_the_menu_says_what_to_do(window, actions):
    window.plan.parts.search.setText("nothing has these words")
    actions["correct_part"].trigger()
    assert "Choose a part" in window.plan.notice.label.text()


def test_what_was_left_out_is_searched_sorted_and_copied(qtbot, left_out):
    qtbot.keyClicks(left_out.search, "lies 44")
    assert [row.title for row in left_out.model.rows] == ["Card"]
    assert left_out.count.text() == "1 of 3"
    left_out.search.clear()
    left_out.table.sortByColumn(0, Qt.SortOrder.DescendingOrder)
    assert [row.title for row in left_out.model.rows] == ["Card", "Brick", "<img src=x> card"]
    left_out.table.selectRow(1)
    left_out.table.setFocus()
    qtbot.keyClick(left_out.table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    copied = QGuiApplication.clipboard().text().splitlines()
    assert copied[1].split("\t") == ["Brick", "whole row", "'=cmd()", "has no name", "PSU/2.json"]


def test_imported_text_is_never_read_as_markup(left_out):
    tip = left_out.model.index(0, 0).data(Qt.ItemDataRole.ToolTipRole)
    assert "<img" not in tip
    assert "&lt;img" in tip


def test_what_was_left_out_is_written_as_csv_that_runs_no_formula(left_out, answers, tmp_path):
    answers.save_path = tmp_path / "left.csv"
    left_out.export.click()
    rows = list(csv.reader(io.StringIO(answers.save_path.read_text(encoding="utf-8-sig"))))
    assert rows[0] == ["Part", "Figure", "Value", "Reason", "File"]
    assert rows[2][2] == "'=cmd()"
    answers.save_path = tmp_path / "no such folder/left.csv"
    left_out.export.click()
    assert "cannot be written" in left_out.notice.label.text()


def test_coverage_is_counted_beside_the_window_and_leads_to_the_gaps(qtbot, window, actions, dialog):
    actions["coverage"].trigger()
    view = dialog(CoverageView)
    qtbot.waitUntil(lambda: view.model.rowCount() > 0)
    assert "confirmed" in view.sentence.text()
    row = next(number for number, one in enumerate(view.model.rows) if one.field == "height_mm")
    view.table.selectRow(row)
    assert [view.lacking.item(n).text() for n in range(view.lacking.count())] == [TURBO]
    view.lacking.setFocus()
    qtbot.keyClick(view.lacking, Qt.Key.Key_Return)
    assert dialog(PartEditor).identity.id.text() == TURBO


def test_coverage_of_parts_that_are_not_there_says_so(qtbot, data_dir):
    view = CoverageView(data_dir)
    qtbot.addWidget(view)
    qtbot.waitUntil(lambda: view.model.rowCount() > 0)
    view.origin_choice.setCurrentIndex(1)
    view.origin_choice.activated.emit(1)
    qtbot.waitUntil(lambda: "no such parts" in view.sentence.text())
    assert view.model.rowCount() == 0
    assert not view.correct.isEnabled()
    view.grab()


@pytest.mark.parametrize(
    ("column", "texts"),
    [
        (-1, ["length", "power", "memory"]),
        (2, ["memory", "length", "power"]),
        (SHARE, ["power", "length", "memory"]),
        (4, ["memory", "length", "power"]),
    ],
    ids=["as they come", "parts", "known share", "unknown"],
)
def test_coverage_sorts_by_what_is_meant(qtbot, column, texts):
    model = TableModel(coverage_columns(), lambda row: row.field)
    model.show_rows(
        [
            FieldCoverage(Category.GPU, "length_mm", 4, 3, 1, 0, ("a",)),
            FieldCoverage(Category.PSU, "power_w", 14, 2, 1, 0, ("a", "b", "c")),
            FieldCoverage(Category.GPU, "memory_gb", 3, 3, 3, 0, ()),
        ]
    )
    assert model.index(0, SHARE).data() == "25 % confirmed, 75 % known"
    model.sort(column)
    assert [model.index(row, 1).data() for row in range(3)] == texts


def test_a_stored_part_that_no_longer_reads_can_be_removed(window, actions, answers, corrected, data_dir):
    with Catalogue(data_dir)._db.conn as connection:
        connection.execute("UPDATE parts SET part = '{}' WHERE origin = 'user'")
    window.plan.parts.search.setText("TURBO")
    answers.queue = ["remove"]
    actions["remove_own"].trigger()
    assert window.connection.find_part(TURBO).origin is Origin.SHIPPED
