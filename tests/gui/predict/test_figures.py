"""Tables of figures: Qt's rules, choices that stay, names that wrap, and as much height as the rows need."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from core.build.build import Build
from core.predict.band import Band
from gui.predict.figures_model import BAR_ROLE, BELOW_ROLE, FigureCell, FigureColumn, FiguresModel
from gui.predict.figures_view import LEAST_WORDS, NARROW_PAD, PAD, FiguresView
from gui.predict.prediction_words import band_cell, bar_cell, mark_words, unknown_cell
from gui.predict.ranking_table import RankingFilter

Item = tuple[int, float | None]
"""A key and a figure."""
COLUMNS = (
    FigureColumn("Part", lambda item: FigureCell(f"A name of several words {item[0]}"), words=True),
    FigureColumn(
        "At the\nwall, W", lambda item: unknown_cell() if item[1] is None else FigureCell(str(item[1]), order=item[1])
    ),
)


def key(item):
    return item[0]


def items(*figures):
    return list(enumerate(figures))


@pytest.fixture
def model(qtbot):
    return FiguresModel(COLUMNS, key)


@pytest.fixture
def view(qtbot):
    made = FiguresView("Figures", COLUMNS, key)
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def test_the_model_keeps_qts_rules(model):
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for figures in ((), (1, 2), (3, 4), (5,), ()):
        model.show_items(items(*figures))
    assert model.rowCount() == 0
    assert tester.model() is model


def test_other_figures_of_the_same_rows_keep_the_choice(view):
    view.show_items(items(1, 2, 3))
    view.choose(1)
    view.show_items(items(4, 5, 6))
    assert view.key == 1
    assert view.currentIndex().siblingAtColumn(1).data() == "5"


def test_a_table_is_as_high_as_its_rows(view):
    view.show_items(items(1, 2))
    two = view.height()
    view.show_items(items(1, 2, 3, 4))
    assert view.height() == pytest.approx(two + 2 * view.rowHeight(0), abs=1)
    view.resize(60, 10)
    assert view.rowHeight(0) > 2 * view.fontMetrics().height(), "names wrap where it is narrow"


def test_cells_stand_closer_where_they_would_not_all_fit_otherwise(view):
    view.show_items(items(1, 2))
    wide = view.columnWidth(1)
    names = LEAST_WORDS * view.fontMetrics().averageCharWidth()
    view.resize(names + 2 * NARROW_PAD + wide, 300)
    assert view.columnWidth(1) == wide - 2 * (PAD - NARROW_PAD)
    assert view.columnWidth(0) + view.columnWidth(1) <= view.viewport().width()
    view.resize(400, 300)
    assert view.columnWidth(1) == wide


def test_a_heading_of_two_lines_is_spoken_as_one(model):
    shown = model.headerData(1, Qt.Orientation.Horizontal)
    assert shown.count("\n") == 1
    assert model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole) == "At the wall, W"


def test_a_band_is_never_a_bare_figure(qtbot):
    band = Band(10.0, 20.0, 40.0, "W", ("It is warm.",), ("card.idle_power_w",))
    columns = (
        FigureColumn("Figure", lambda item: band_cell(Build(), item)),
        FigureColumn("Bar", lambda item: bar_cell(item, 40)),
    )
    model = FiguresModel(columns, str)
    model.show_items([band])
    index = model.index(0, 0)
    assert (index.data(), index.data(BELOW_ROLE)) == ("20", "10–40 ?")
    assert "It is warm." in index.data(Qt.ItemDataRole.ToolTipRole)
    assert "idle power" in index.data(Qt.ItemDataRole.ToolTipRole)
    assert model.index(0, 1).data(BAR_ROLE) == (0.25, 0.5, 1.0)
    assert mark_words([band])
    assert not mark_words([None, Band(1, 1, 1, "W")])
    assert band_cell(Build(), None).text == unknown_cell().text == "unknown"


def test_unknown_figures_stand_last_whichever_way_it_is_sorted(qtbot):
    ordered = RankingFilter()
    table = FiguresView("Ranking", COLUMNS, key, proxy=ordered)
    qtbot.addWidget(table)
    table.show_items(items(3, 1, 2, None))
    for order, expected in (
        (Qt.SortOrder.AscendingOrder, ["1", "2", "3", "unknown"]),
        (Qt.SortOrder.DescendingOrder, ["3", "2", "1", "unknown"]),
    ):
        ordered.sort(1, order)
        assert [table.model().index(row, 1).data() for row in range(4)] == expected
    ordered.look_for("words NAME 3")
    assert table.model().rowCount() == 1
