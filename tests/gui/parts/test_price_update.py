"""Parts › Update prices: from a file or a folder to the report, the choice of a person, and the way back."""

import csv
import io
import threading

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMenu

from core.parts import price_import
from core.plan.edits import AddPart
from gui.parts.price_update_dialog import PriceUpdateDialog
from tests.gui.parts.editing import cells

TURBO, PSU = "asus-turbo-3090", "corsair-ax1600i"
LIST = (
    "name,price,currency,date,condition\n"
    "ASUS TURBO-RTX3090-24G,1400,USD,2026-11-01,\n"
    "Corsair AX1600i,500,USD,2026-11-01,new\n"
    "ASUS RTX3090,1300,USD,2026-11-01,\n"
    "Nobody's card,5,USD,2026-11-01,\n"
)


@pytest.fixture
def feed(tmp_path):
    folder = tmp_path / "feed"
    folder.mkdir()
    (folder / "list.csv").write_text(LIST)
    (folder / "notes.txt").write_text("nothing to sell")
    return folder


@pytest.fixture
def updating(actions, dialog):
    actions["update_prices"].trigger()
    return dialog(PriceUpdateDialog)


def update(qtbot, updating, path):
    updating.source.path.setText(str(path))
    with qtbot.waitSignal(updating.job.finished):
        updating.start.click()


def price(window, part_id=TURBO):
    price_now = window.connection.find_part(part_id).price
    return price_now and price_now.amount


def results(updating):
    return [row[:2] for row in cells(updating)]


def test_a_folder_updates_prices_and_says_what_became_of_each(qtbot, window, updating, feed):
    window.document.edit(AddPart(window.connection.find_part(TURBO)))
    assert not updating.start.isEnabled()
    assert not updating.undo_button.isEnabled()
    update(qtbot, updating, feed)
    assert results(updating) == [
        ("", "no price list"),
        ("ASUS RTX3090", "similar: choose"),
        ("ASUS TURBO-RTX3090-24G", "new"),
        ("Corsair AX1600i", "new"),
        ("Nobody's card", "no such part"),
    ]
    assert "Prices: 2 new." in updating.sentence.text()
    changed = cells(updating)[2]
    assert changed[2:] == ("1600 USD, launch, 2020-10-01", "1400 USD, street, 2026-11-01", "−12 %", "", "list.csv, 2")
    assert (price(window), price(window, PSU)) == (1400, 500)
    assert window.document.build.line(TURBO).part.price.amount == 1400


def test_undo_puts_the_prices_back_in_catalogue_and_plan(qtbot, window, updating, feed):
    window.document.edit(AddPart(window.connection.find_part(TURBO)))
    update(qtbot, updating, feed)
    updating.undo_button.click()
    assert (price(window), price(window, PSU)) == (1600, None)
    assert window.document.build.line(TURBO).part.price.amount == 1600
    assert "2 prices are as they were before" in updating.sentence.text()
    assert not updating.undo_button.isEnabled()


def test_the_way_back_is_there_when_the_dialog_is_opened_again(qtbot, window, actions, dialog, updating, feed):
    update(qtbot, updating, feed)
    updating.close_button.click()
    actions["update_prices"].trigger()
    again = dialog(PriceUpdateDialog)
    assert "The last update changed 2 prices." in again.sentence.text()
    again.undo_button.click()
    assert price(window) == 1600


def test_a_person_chooses_the_part_of_a_similar_name(qtbot, window, updating, feed):
    update(qtbot, updating, feed)
    assert not updating.choose_button.isEnabled()
    updating.table.selectRow(1)
    assert updating.choose_button.isEnabled()
    updating.choose_button.click()
    (action,) = updating.choose_button.findChildren(QMenu)[-1].actions()
    assert action.text() == "ASUS TURBO-RTX3090-24G"
    action.trigger()
    assert price(window) == 1300
    assert results(updating)[1] == ("ASUS TURBO-RTX3090-24G", "chosen")
    assert not updating.choose_button.isEnabled()
    updating.undo_button.click()
    assert price(window) == 1600


def test_the_row_of_the_cursor_is_the_one_to_choose_for(qtbot, updating, feed):
    update(qtbot, updating, feed)
    qtbot.keyClick(updating.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert [row.result for row in updating.table.chosen()] == ["no price list", "similar: choose"]
    assert updating.choose_button.isEnabled()
    qtbot.keyClick(updating.table, Qt.Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert not updating.choose_button.isEnabled()


def test_a_doubtful_price_is_taken_only_by_choice(qtbot, window, updating, feed):
    update(qtbot, updating, feed)
    (feed / "list.csv").write_text("name,price,currency,date\nCorsair AX1600i,5,USD,2026-11-02\n")
    update(qtbot, updating, feed)
    assert ("Corsair AX1600i", "check") in results(updating)
    assert price(window, PSU) == 500
    updating.table.selectRow(results(updating).index(("Corsair AX1600i", "check")))
    updating.table.setFocus()
    qtbot.keyClick(updating.table, Qt.Key.Key_Return)
    updating.choose_button.findChildren(QMenu)[-1].actions()[0].trigger()
    assert price(window, PSU) == 5


def test_the_report_is_searched_and_saved(qtbot, updating, feed, answers, tmp_path):
    update(qtbot, updating, feed)
    qtbot.keyClicks(updating.search, "similar")
    assert [row[0] for row in cells(updating)] == ["ASUS RTX3090"]
    updating.search.clear()
    answers.save_path = tmp_path / "report.csv"
    updating.export.click()
    rows = list(csv.reader(io.StringIO(answers.save_path.read_text("utf-8-sig"))))
    assert rows[0] == ["Part", "Result", "Price before", "Price now", "Change", "Why", "Line"]
    assert len(rows) == 6


def test_rows_that_do_not_say_it_are_of_the_currency_and_condition_that_are_set(qtbot, window, updating, tmp_path):
    (tmp_path / "list.csv").write_text("name,price,date\nCorsair AX1600i,$9000,2026-11-02\n")
    assert updating.currency.text() == "USD"
    updating.currency.setText("twd")
    updating.kind.setCurrentIndex(1)
    update(qtbot, updating, tmp_path / "list.csv")
    price_now = window.connection.find_part(PSU).used_price
    assert (price_now.currency, price_now.kind) == ("TWD", "used")


def test_a_file_that_is_no_list_is_reported_in_place(qtbot, updating, tmp_path, feed):
    updating.source.path.setText(str(tmp_path / "nothing.csv"))
    updating.start.click()
    qtbot.waitUntil(updating.notice.isVisible)
    assert "no such file" in updating.notice.label.text()
    update(qtbot, updating, feed)
    assert not updating.notice.isVisible()


def test_cancel_changes_no_price(qtbot, window, updating, feed, monkeypatch):
    began, go_on = threading.Event(), threading.Event()
    read = price_import.read_price_lists

    def slowly(path, identities, terms, tell):
        began.set()
        go_on.wait(10)
        tell(200)
        return read(path, identities, terms, tell)

    monkeypatch.setattr(price_import, "read_price_lists", slowly)
    updating.source.path.setText(str(feed))
    updating.start.click()
    assert began.wait(10)
    assert updating.close_button.text() == "Cancel"
    updating.close_button.click()
    with qtbot.waitSignal(updating.job.cancelled):
        go_on.set()
    assert updating.isVisible()
    assert "no price was changed" in updating.sentence.text()
    assert price(window) == 1600


def test_file_and_folder_are_chosen_or_dropped(updating, answers, monkeypatch, tmp_path):
    answers.open_path = tmp_path / "list.csv"
    updating.source.file.click()
    assert updating.source.path.text() == str(tmp_path / "list.csv")
    monkeypatch.setattr("gui.widgets.files.folder_to_open", lambda *_: tmp_path)
    updating.source.folder.click()
    assert updating.source.path.text() == str(tmp_path)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(tmp_path / "feed"))])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    QApplication.sendEvent(updating, QDragEnterEvent(QPoint(1, 1), Qt.DropAction.CopyAction, dropped, buttons, keys))
    QApplication.sendEvent(updating, QDropEvent(QPointF(1, 1), Qt.DropAction.CopyAction, dropped, buttons, keys))
    assert updating.source.path.text() == str(tmp_path / "feed")
