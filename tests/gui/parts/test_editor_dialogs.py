"""The tables and lists of ticks that the editor of parts opens, driven as a user drives them."""

from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QDialog

from core.parts.vocabulary import Category
from gui.parts.figure_dialogs import Example, RowsModel, TableDialog, TicksDialog
from gui.parts.part_editor import PartEditor
from tests.gui.parts.editing import figure, part, save

Fatal = QAbstractItemModelTester.FailureReportingMode.Fatal


def test_a_table_is_edited_in_its_dialog(qtbot, window, dialog, monkeypatch):
    window.workspace.parts_actions.correct("asrock-romed8")
    editor = dialog(PartEditor)

    def user(self):
        assert self.model.rowCount() == 2
        self.table.setCurrentIndex(self.model.index(1, 0))
        self.add_row()
        self.model.setData(self.model.index(2, 1), "PCIE5")
        self.accept()
        return self.result()

    monkeypatch.setattr(TableDialog, "exec", user)
    editor.form.rows["slots"].control.button.click()
    save(qtbot, editor)
    slots = part(window, "asrock-romed8").spec.slots
    assert [(slot.position, slot.label) for slot in slots] == [(1, "PCIE7"), (2, "PCIE6"), (3, "PCIE5")]
    assert slots[2].bifurcation == ("x8x8", "x4x4"), "a new row begins as the one above"


def test_ticks_are_edited_in_their_dialog(qtbot, window, dialog, monkeypatch):
    window.workspace.parts_actions.correct("asrock-romed8")
    editor = dialog(PartEditor)

    def user(self):
        for row in range(self.list.count()):
            self.list.item(row).setCheckState(Qt.CheckState.Unchecked)
        self.accept()
        return self.result()

    monkeypatch.setattr(TicksDialog, "exec", user)
    editor.form.rows["ram_kinds"].control.button.click()
    save(qtbot, editor)
    assert part(window, "asrock-romed8").spec.ram_kinds is None


def test_a_table_with_a_wrong_cell_says_which_and_stays(qtbot):
    table = TableDialog(figure(Category.GPU, "power_connectors"), [{"kind": "pcie_8pin", "count": 2}], None)
    qtbot.addWidget(table)
    table.show()
    table.model.setData(table.model.index(0, 1), "two")
    table.accept()
    assert table.isVisible()
    assert table.notice.label.text() == "Row 1, Count: two is not a number."
    table.model.setData(table.model.index(0, 1), "3")
    table.accept()
    assert table.result() == QDialog.DialogCode.Accepted
    assert table.value == [{"kind": "pcie_8pin", "count": 3}]


def test_no_rows_are_unknown_or_none_as_the_user_says(qtbot):
    table = TableDialog(figure(Category.GPU, "power_connectors"), None, None)
    qtbot.addWidget(table)
    table.accept()
    assert table.value is None
    table.known_box.setChecked(True)
    table.accept()
    assert table.value == []


def test_the_example_of_a_shipped_part_can_be_taken(qtbot):
    rows = [{"kind": "12v_2x6", "count": 1}]
    table = TableDialog(figure(Category.GPU, "power_connectors"), None, Example("ASUS card", rows))
    qtbot.addWidget(table)
    table.take_example()
    table.accept()
    assert table.value == rows


def test_rows_keep_qts_rules_while_they_come_move_and_go(qtbot):
    model = RowsModel(figure(Category.MOTHERBOARD, "slots"))
    tester = QAbstractItemModelTester(model, Fatal)
    model.add_row(-1)
    model.add_row(0)
    model.setData(model.index(0, 0), "1")
    assert model.move_row(0, 1) == 1
    assert model.move_row(1, 1) == 1
    model.remove_row(0)
    model.show_plain([])
    assert tester is not None
