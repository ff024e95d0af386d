"""A table of declared columns: what it shows, sorts by, takes from the user, and what stays when the rows change."""

from dataclasses import dataclass

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QAbstractItemModelTester

from gui.widgets.table import SORT_ROLE, Entry, TableColumn, TableModel

Role = Qt.ItemDataRole
NAME, COUNT = range(2)


@dataclass(frozen=True)
class Item:
    name: str
    count: int


@pytest.fixture
def typed():
    """What was typed into the table."""
    return []


@pytest.fixture
def table(qtbot, typed):
    def take(item, value):
        typed.append((item.name, value))
        return value < 100

    model = TableModel[Item](
        (
            TableColumn("Name", lambda item: item.name, "What it is called"),
            TableColumn(
                "Count",
                lambda item: f"{item.count} pieces",
                side=Qt.AlignmentFlag.AlignRight,
                tip=lambda item: f"There are <{item.count}>",
                spoken=lambda item: str(item.count),
                order=lambda item: item.count,
                entry=Entry(lambda item: item.count, take, lambda item: item.name != "fixed"),
            ),
        ),
        lambda item: item.name,
    )
    model.tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_rows([Item("fan", 9), Item("fixed", 10)])
    return model


@pytest.mark.parametrize(
    ("column", "role", "value"),
    [
        (NAME, Role.DisplayRole, "fan"),
        (NAME, Role.ToolTipRole, "fan"),
        (NAME, Role.AccessibleTextRole, "Name: fan"),
        (NAME, Role.EditRole, None),
        (NAME, SORT_ROLE, "fan"),
        (COUNT, Role.DisplayRole, "9 pieces"),
        (COUNT, Role.ToolTipRole, "<span>There are &lt;9&gt;</span>"),
        (COUNT, Role.AccessibleTextRole, "Count: 9"),
        (COUNT, Role.EditRole, 9),
        (COUNT, Role.TextAlignmentRole, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter),
        (COUNT, SORT_ROLE, 9),
    ],
)
def test_a_cell_is_what_its_column_declares_of_the_row(table, column, role, value):
    assert table.index(0, column).data(role) == value


def test_headings_have_their_meaning(table):
    across = Qt.Orientation.Horizontal
    assert [table.headerData(column, across) for column in (NAME, COUNT)] == ["Name", "Count"]
    assert table.headerData(NAME, across, Role.ToolTipRole) == "What it is called"
    assert table.headerData(COUNT, across, Role.ToolTipRole) is None


def test_only_declared_cells_are_edited_and_say_whether_the_value_was_taken(table, typed):
    editable = [
        (row, column)
        for row in range(2)
        for column in range(2)
        if table.index(row, column).flags() & Qt.ItemFlag.ItemIsEditable
    ]
    assert editable == [(0, COUNT)]
    assert table.setData(table.index(0, COUNT), 12)
    assert not table.setData(table.index(0, COUNT), 120)
    assert not table.setData(table.index(0, NAME), "other")
    assert not table.setData(table.index(1, COUNT), 12)
    assert not table.setData(QModelIndex(), 1)
    assert typed == [("fan", 12), ("fan", 120)]


def test_rows_that_stand_for_the_same_things_keep_their_place(qtbot, table):
    with qtbot.assertNotEmitted(table.modelReset), qtbot.waitSignal(table.dataChanged):
        table.show_rows([Item("fan", 3), Item("fixed", 10)])
    assert table.index(0, COUNT).data() == "3 pieces"
    with qtbot.waitSignal(table.modelReset):
        table.show_rows([Item("fixed", 10)])
    assert (table.row_of("fixed"), table.row_of("fan")) == (0, None)
    table.show_rows([])
    assert table.rowCount() == 0
