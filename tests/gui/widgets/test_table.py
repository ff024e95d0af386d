"""A table of declared columns: what it shows, sorts by, takes from the user, and what stays when the rows change."""

from dataclasses import dataclass

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QSpinBox

from gui.widgets.form import spin_box
from gui.widgets.table import SORT_ROLE, Entry, TableColumn, TableModel, TableView, text_columns
from gui.widgets.theme import theme

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


def test_a_cell_is_edited_in_the_field_that_its_column_declares(qtbot, table):
    entry = Entry(lambda item: item.count, lambda *_: True, editor=lambda parent: spin_box(parent, "Pieces", (1, 5)))
    table.show_table((TableColumn("Count", lambda item: str(item.count), entry=entry),), [Item("fan", 3)])
    view = TableView(table, "Things")
    qtbot.addWidget(view)
    view.edit(table.index(0, 0))
    field = view.findChild(QSpinBox)
    assert (field.value(), field.maximum(), field.accessibleName()) == (3, 5, "Pieces")


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


@pytest.fixture
def several(table):
    table.show_rows([Item("fan", 9), Item("fixed", 10), Item("Duct of a fan", 2)])
    return table


def names(table):
    return [item.name for item in table.rows]


@pytest.mark.parametrize(
    ("column", "order", "expected"),
    [
        (COUNT, Qt.SortOrder.AscendingOrder, ["Duct of a fan", "fan", "fixed"]),
        (COUNT, Qt.SortOrder.DescendingOrder, ["fixed", "fan", "Duct of a fan"]),
        (NAME, Qt.SortOrder.AscendingOrder, ["Duct of a fan", "fan", "fixed"]),
        (-1, Qt.SortOrder.AscendingOrder, ["fan", "fixed", "Duct of a fan"]),
    ],
)
def test_rows_are_sorted_by_what_is_declared_or_stand_as_they_came(several, column, order, expected):
    several.sort(NAME, Qt.SortOrder.DescendingOrder)
    several.sort(column, order)
    assert names(several) == expected


def test_numbers_stand_before_words_and_a_search_wants_all_words(qtbot):
    model = TableModel(text_columns(("Name", "Count")), lambda row: row)
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    model.show_rows([("b", 10), ("a", ""), ("c", 9)])
    model.sort(1)
    assert [row[0] for row in model.rows] == ["c", "b", "a"]
    model.narrow("B 1")
    assert (model.rows, len(model.all_rows)) == ((("b", 10),), 3)
    model.sort(-1)
    model.narrow("")
    assert [row[0] for row in model.rows] == ["b", "a", "c"]
    assert tester is not None


def test_rows_that_are_added_stand_behind_the_others_or_where_search_and_order_have_them(qtbot, table):
    with qtbot.assertNotEmitted(table.modelReset), qtbot.waitSignal(table.rowsInserted):
        table.add_rows([Item("pump", 1)])
    assert names(table) == ["fan", "fixed", "pump"]
    table.narrow("f")
    table.sort(COUNT, Qt.SortOrder.DescendingOrder)
    table.add_rows([Item("filter", 10), Item("hose", 5)])
    assert names(table) == ["fixed", "filter", "fan"]
    table.narrow("")
    assert names(table)[-2:] == ["hose", "pump"]


def test_the_cursor_stays_in_its_column_when_rows_are_replaced(qtbot, several):
    view = TableView(several, "Things")
    qtbot.addWidget(view)
    view.choose(["fixed"], COUNT)
    several.show_rows([Item("fixed", 1)])
    assert (view.currentIndex().row(), view.currentIndex().column()) == (0, COUNT)
    several.show_table(several.columns[:1], several.rows)
    assert view.currentIndex().column() == NAME


def test_one_column_alone_has_what_is_left(qtbot, several):
    view = TableView(several, "Things")
    qtbot.addWidget(view)
    view.fit_to_contents(stretched=NAME)
    view.resize(800, 200)
    view.show()
    needed = max(view.sizeHintForColumn(COUNT), view.horizontalHeader().sectionSizeHint(COUNT))
    assert view.columnWidth(COUNT) == needed


def test_a_heading_is_called_what_its_column_declares(qtbot):
    model = TableModel((TableColumn("3", str, called="Slot 3"),), lambda row: row)
    model.show_rows(["PHB"])
    spoken = Role.AccessibleTextRole
    assert model.headerData(0, Qt.Orientation.Horizontal, spoken) == "Slot 3"
    assert model.index(0, 0).data(spoken) == "Slot 3: PHB"


def test_what_a_row_is_called_stands_before_it(qtbot):
    heads = TableColumn("", lambda item: item.name, tip=lambda item: f"The {item.name}")
    model = TableModel((TableColumn("Count", lambda item: str(item.count)),), lambda item: item.name, heads=heads)
    model.show_rows([Item("fan", 9)])
    down = Qt.Orientation.Vertical
    assert [model.headerData(0, down, role) for role in (Role.DisplayRole, Role.ToolTipRole)] == ["fan", "The fan"]
    assert model.headerData(1, down) is None


def test_a_cell_has_the_colour_and_the_further_values_that_its_column_declares(qtbot):
    column = TableColumn(
        "Count",
        lambda item: str(item.count),
        tone=lambda item: "fail" if item.count > 9 else "",
        described=lambda item: f"of {item.name}",
        roles={Role.UserRole: lambda item: item.count},
    )
    model = TableModel((column,), lambda item: item.name)
    model.show_rows([Item("fan", 9), Item("pump", 10)])
    first, second = model.index(0, 0), model.index(1, 0)
    assert (first.data(Role.ForegroundRole), first.data(Role.UserRole)) == (None, 9)
    assert second.data(Role.ForegroundRole) == theme().color("fail")
    assert second.data(Role.AccessibleDescriptionRole) == "of pump"


def test_a_view_keeps_what_is_chosen_and_copies_it(qtbot, several):
    view = TableView(several, "Things", several=True)
    qtbot.addWidget(view)
    view.choose(["fixed", "fan"])
    assert (view.current().name, [item.name for item in view.chosen()]) == ("fixed", ["fan", "fixed"])
    several.sort(COUNT)
    several.narrow("f")
    assert [item.name for item in view.chosen()] == ["fan", "fixed"]
    view.copy()
    assert QGuiApplication.clipboard().text() == "Name\tCount\nfan\t9 pieces\nfixed\t10 pieces\n"
    view.clearSelection()
    view.copy()
    assert len(QGuiApplication.clipboard().text().splitlines()) == 4
