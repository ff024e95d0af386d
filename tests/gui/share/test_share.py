"""Handing a build on from the window: duplicate, lists, one page, purchasing, comparison, pasted lists."""

import csv

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from core.parts.vocabulary import Category
from core.plan.edits import SetDetails
from gui.planner.build_files import TEMPLATES
from gui.share.compare_dialog import CompareDialog
from gui.share.paste_dialog import PasteDialog
from tests.gui.conftest import QUIET, seen_child

DESK = TEMPLATES / "two-rtx-5090-desktop.rig.json"


def trigger(window, name):
    window.menus.actions[name].trigger()


def test_a_copy_has_another_name_no_file_and_waits_to_be_saved(window):
    window.document.open(DESK)
    trigger(window, "duplicate")
    assert window.document.build.name == "Two RTX 5090 on AM5 (copy)"
    assert window.document.path is None
    assert window.document.dirty
    assert window.statusBar().currentMessage() == "This is a copy. It has no file yet."


def test_one_key_copies_the_build(window):
    window.document.open(DESK)
    begins = {"copy_markdown": "### Two", "copy_bbcode": "[b]Two", "copy_text": "Two RTX", "copy_table": "Type\tPart"}
    for action, begin in begins.items():
        window.statusBar().clearMessage()
        trigger(window, action)
        text = QGuiApplication.clipboard().text()
        assert text.startswith(begin)
        assert "Ryzen 9 9950X" in text
        assert "Copied" in window.statusBar().currentMessage()


def test_a_purchasing_list_is_written_under_the_chosen_name(window, answers, tmp_path):
    window.document.open(DESK)
    answers.save_path = tmp_path / "order"
    trigger(window, "purchasing")
    with (tmp_path / "order.csv").open(encoding="utf-8-sig") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["quantity"] for row in rows if row["category"] == "GPU"] == ["2"]
    assert "order.csv" in window.statusBar().currentMessage()


def test_a_purchasing_list_that_cannot_be_written_says_so(window, answers, tmp_path):
    window.document.open(DESK)
    answers.save_path = tmp_path / "no" / "folder" / "order.csv"
    trigger(window, "purchasing")
    assert "could not be written" in answers.sentences[0]


def test_one_page_is_written_as_pdf_unless_asked_otherwise(window, qtbot, answers, tmp_path, monkeypatch):
    monkeypatch.setattr("gui.widgets.files.show_file", lambda path: None)
    window.document.open(DESK)
    answers.save_path = tmp_path / "page"
    trigger(window, "one_page")
    written = tmp_path / "page.pdf"
    qtbot.waitUntil(written.exists)
    assert written.read_bytes().startswith(b"%PDF")
    message = f"Written: Two RTX 5090 on AM5, as {written}"
    qtbot.waitUntil(lambda: window.statusBar().currentMessage() == message)


@pytest.fixture
def comparing(window, qtbot):
    """The comparison of the desk machine with six quiet RTX 3090."""
    window.document.open(DESK)
    trigger(window, "compare")
    dialog = seen_child(window, CompareDialog)
    dialog._add_path(QUIET)
    qtbot.waitUntil(lambda: dialog.comparison is not None)
    return dialog


def _row(dialog, category):
    compared = [dialog.model.parts_row(dialog.model.index(row, 0)) for row in range(dialog.model.rowCount())]
    return next(number for number, parts in enumerate(compared) if parts is not None and parts.category is category)


def test_builds_stand_side_by_side_with_what_differs_and_what_is_best(comparing):
    model = comparing.model
    names = [model.headerData(column, Qt.Orientation.Horizontal) for column in (1, 2)]
    assert names == ["Two RTX 5090 on AM5", "Six RTX 3090, quiet"]
    heads = [model.index(row, 0).data() for row in range(model.rowCount())]
    assert "Noise, training ≠" in heads
    row = heads.index("At the wall, training ≠")
    assert model.index(row, 1).data(Qt.ItemDataRole.FontRole).bold()
    assert model.index(row, 2).data(Qt.ItemDataRole.FontRole) is None
    assert model.index(row, 1).data(Qt.ItemDataRole.AccessibleTextRole).endswith("best")


def test_a_line_is_taken_over_by_enter_and_undone(comparing, window, qtbot):
    before = window.document.build
    index = comparing.model.index(_row(comparing, Category.CPU), 2)
    comparing.table.setCurrentIndex(index)
    assert comparing.take.isEnabled()
    qtbot.keyClick(comparing.table, Qt.Key.Key_Return)
    assert window.document.build.line("amd-epyc-7443p") is not None
    qtbot.waitUntil(
        lambda: not comparing.model.parts_row(comparing.model.index(_row(comparing, Category.CPU), 0)).differs
    )
    window.document.undo_stack.undo()
    assert window.document.build == before


def test_only_differences_hides_what_is_alike(comparing):
    all_rows = comparing.model.rowCount()
    comparing.differences.setChecked(True)
    heads = [comparing.model.index(row, 0).data() for row in range(comparing.model.rowCount())]
    assert 0 < len(heads) < all_rows
    assert all(head.endswith("≠") for head in heads)


def test_at_most_four_builds_and_a_column_can_go(comparing, qtbot):
    comparing._add_path(QUIET)
    comparing._add_path(DESK)
    qtbot.waitUntil(lambda: comparing.model.columnCount() == 5)
    assert not comparing.add.isEnabled()
    comparing.table.setCurrentIndex(comparing.model.index(0, 4))
    comparing.remove.click()
    qtbot.waitUntil(lambda: comparing.model.columnCount() == 4)
    assert comparing.add.isEnabled()


def test_a_pasted_list_becomes_a_build_at_its_prices(window):
    QGuiApplication.clipboard().setText(
        "CPU: AMD Ryzen 9 9950X ($539.99 @ Shop)\nFan: 3x Noctua NF-A14 PWM\nStorage: Samsung 990 PRO\nPSU: Zilog 12\n"
    )
    trigger(window, "paste_list")
    dialog = seen_child(window, PasteDialog)
    assert dialog.summary.text() == "4 parts recognised. 1 line to choose a part for. 1 line not recognised."
    shown = [label.text() for label in dialog.rows.findChildren(QLabel)]
    assert "3x Noctua NF-A14 PWM" in shown and "AMD Ryzen 9 9950X" in shown
    assert "1x Zilog 12" in shown and "not in the catalogue" in shown
    dialog.make.click()
    assert [(line.part.title, line.quantity) for line in window.document.build.lines] == [
        ("AMD Ryzen 9 9950X", 1),
        ("Noctua NF-A14 PWM", 3),
    ]
    price = window.document.build.lines[0].part.price
    assert (price.amount, price.currency, price.kind) == (539.99, "USD", "own")


def test_a_doubtful_line_is_chosen_by_keyboard_and_the_choice_lasts(window, qtbot):
    QGuiApplication.clipboard().setText("GPUs: 4x RTX 3090\nStorage: 2x Samsung 990 PRO\nCPU: AMD EPYC 7532\n")
    trigger(window, "paste_list")
    dialog = seen_child(window, PasteDialog)
    card, drive = dialog.rows.boxes
    assert card.currentText() == "NVIDIA GeForce RTX 3090 Founders Edition", "the choice is made, and open"
    assert drive.currentText() == "Choose, or leave out"
    assert drive.accessibleName() == "Part for Samsung 990 PRO"
    drive.setFocus()
    qtbot.keyClick(drive, Qt.Key.Key_Down)
    assert drive.currentText().startswith("Samsung 990 PRO ")
    assert dialog.summary.text() == "7 parts recognised."
    dialog.text.appendPlainText("Case: Fractal Design Torrent")
    qtbot.waitUntil(lambda: dialog.summary.text() == "8 parts recognised.")
    card, drive = dialog.rows.boxes
    chosen = drive.currentText()
    assert chosen.startswith("Samsung 990 PRO ")
    qtbot.keyClick(card, Qt.Key.Key_Home)
    assert card.currentText() == "Leave out"
    dialog.make.click()
    parts = {line.part.title: line.quantity for line in window.document.build.lines}
    assert parts == {chosen: 2, "AMD EPYC 7532": 1, "Fractal Design Torrent": 1}


def test_a_text_that_is_no_list_makes_no_build(window, qtbot):
    QGuiApplication.clipboard().setText("hello")
    trigger(window, "paste_list")
    dialog = seen_child(window, PasteDialog)
    assert not dialog.make.isEnabled()
    assert "names no part" in dialog.summary.text()
    dialog.text.setPlainText("4x Noctua NF-A14 PWM")
    qtbot.waitUntil(dialog.make.isEnabled)
    dialog.reject()


def test_unsaved_work_is_asked_about_before_a_copy_takes_its_place(window, answers):
    window.document.edit(SetDetails(name="Draft"))
    answers.queue = ["cancel"]
    trigger(window, "duplicate")
    assert window.document.build.name == "Draft"
