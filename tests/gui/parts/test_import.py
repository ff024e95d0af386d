"""Importing a data set in the window: progress, cancelling, what became of the rows, and taking it out again."""

import threading

import pytest
from PySide6.QtCore import Qt

from core.lab.opendb import load
from core.lab.opendb.load import Imported, ImportProgress
from core.parts.part import Origin
from core.parts.vocabulary import Category
from gui.parts.import_dialog import ImportDialog, ImportWork, report_columns, report_rows
from gui.parts.job import Stopped, _Reporter, _Teller
from gui.widgets.list_dialog import ListDialog
from tests.gui.parts.editing import cells


@pytest.fixture
def importing(actions, dialog):
    actions["import_parts"].trigger()
    return dialog(ImportDialog)


def imported(window):
    return list(window.connection.catalogue().parts(origin=Origin.IMPORTED))


def test_an_import_fills_the_list_at_once_and_says_what_became_of_the_rows(qtbot, window, importing, data_set):
    window.plan.parts.search.setText("Small card")
    assert window.plan.parts.parts.rowCount() == 0
    assert not importing.start.isEnabled()
    qtbot.keyClicks(importing.source.path, str(data_set))
    with qtbot.waitSignal(importing.imported):
        qtbot.keyClick(importing.source.path, Qt.Key.Key_Return)
    assert len(imported(window)) == 3
    assert window.plan.parts.parts.rowCount() == 1
    table = importing.report
    first = [table.index(0, column).data() for column in range(table.columnCount())]
    assert first == ["GPU", "3", "3", "0", "0", "1"]
    assert "Attribution License" in importing.sentence.text()
    assert window.plan.parts.categories.index(window.plan.parts.categories.row_of(Category.GPU)).data()
    titles = [hit.title for hit in window.connection.catalogue().search("Big card")]
    window.plan.parts.search.setText("Big card")
    qtbot.waitUntil(lambda: window.plan.parts.selected_id is not None)
    assert titles == ["Maker Big card"]


def test_a_file_that_is_no_data_set_is_reported_in_place_and_can_be_replaced(qtbot, importing, tmp_path, data_set):
    importing.source.path.setText(str(tmp_path / "nothing.zip"))
    importing.start.click()
    qtbot.waitUntil(importing.notice.isVisible)
    assert "does not exist" in importing.notice.label.text()
    importing.source.path.setText(str(data_set))
    with qtbot.waitSignal(importing.imported):
        importing.start.click()


def test_cancel_stops_between_categories_and_says_which_are_in(qtbot, window, importing, data_set, monkeypatch):
    reached, go_on = threading.Event(), threading.Event()
    whole = load._import_category

    def slow(catalogue, category, *rest):
        if category is Category.PSU:
            reached.set()
            assert go_on.wait(10)
        return whole(catalogue, category, *rest)

    monkeypatch.setattr(load, "_import_category", slow)
    (data_set / "open-db/PSU").joinpath("readme.txt").write_text("no row")
    importing.source.path.setText(str(data_set))
    importing.start.click()
    qtbot.waitUntil(reached.is_set)
    assert importing.job.running
    qtbot.keyClick(importing, Qt.Key.Key_Escape)
    assert importing.isVisible()
    go_on.set()
    with qtbot.waitSignal(importing.job.cancelled):
        pass
    assert "GPU" in importing.sentence.text()
    assert not importing.job.running
    assert len(imported(window)) == 3
    importing.cancel.click()
    assert not importing.isVisible()


def test_a_cancelled_import_ends_at_the_next_word_and_knows_what_is_in(data_dir):
    stop, work = threading.Event(), ImportWork(data_dir)
    tell = _Teller(_Reporter(), stop)
    work.pass_on(tell, ImportProgress(Category.GPU, 0, 2))
    stop.set()
    with pytest.raises(Stopped):
        work.pass_on(tell, ImportProgress(Category.GPU, 2, 2))
    assert work.taken == [Category.GPU]


def test_bars_move_through_files_and_categories(importing):
    bars = importing.bars
    bars.show_progress(ImportProgress(None, 1500, None))
    assert bars.bars[None].maximum() == 0
    bars.show_progress(ImportProgress(Category.GPU, 500, 1000))
    assert (bars.bars[None].value(), bars.bars[None].maximum()) == (1, 1)
    assert bars.bars[Category.GPU].format() == "500 / 1000"
    bars.show_progress(ImportProgress(Category.CPU, 0, 0))
    assert bars.bars[Category.CPU].value() == 1


def test_what_was_left_out_can_be_read_now_and_later(qtbot, window, importing, data_set, dialog, actions):
    importing.source.path.setText(str(data_set))
    with qtbot.waitSignal(importing.imported):
        importing.start.click()
    importing.left_out.click()
    now = dialog(ListDialog)
    reasons = {row[3] for row in cells(now)}
    assert any("100 to 500" in reason for reason in reasons)
    assert "has no name" in reasons
    now.reject()
    importing.reject()
    qtbot.wait(10)
    actions["left_out"].trigger()
    assert len(dialog(ListDialog).model.rows) == 2


def test_imported_parts_are_removed_after_a_question(qtbot, window, importing, data_set, actions, answers):
    importing.source.path.setText(str(data_set))
    with qtbot.waitSignal(importing.imported):
        importing.start.click()
    importing.reject()
    answers.queue = ["cancel", "remove"]
    actions["forget_import"].trigger()
    assert len(imported(window)) == 3
    actions["forget_import"].trigger()
    qtbot.waitUntil(lambda: not imported(window))
    qtbot.waitUntil(lambda: "removed: 3" in window.statusBar().currentMessage())


def test_the_report_sums_up():
    rows = report_rows([Imported(Category.GPU, 4, 2, 1, 1, 5), Imported(Category.CPU, 1, 1, 0, 0, 0)])
    assert [column.text(rows[-1]) for column in report_columns()] == ["All", "5", "3", "1", "1", "5"]
    assert [bool(column.font(row)) for row in rows for column in report_columns()] == [False] * 12 + [True] * 6
    assert report_rows([]) == []
