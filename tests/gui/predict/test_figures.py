"""Tables of figures: Qt's rules, choices that stay, names that wrap, and as much height as the rows need."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QAbstractItemModelTester

from core.plan.build import Build
from core.predict.band import Band, exact
from core.present.report.document import Badge, BandBar, Figure, Nothing, Paragraph, ReportColumn, Tone, Words, table
from gui.predict.figures_model import BAR_ROLE, BELOW_ROLE, MARK_ROLE, FiguresModel, mark_words
from gui.predict.figures_view import LEAST_WORDS, NARROW_PAD, PAD, FiguresView
from gui.predict.ranking_table import RankingFilter

COLUMNS = (ReportColumn("Part"), ReportColumn("At the wall", numeric=True, unit="W"))


def of(*figures):
    """A row for each figure; its key is its place."""
    rows = [
        (f"A name of several words {key}", Figure(None if figure is None else exact(figure)))
        for key, figure in enumerate(figures)
    ]
    return table(COLUMNS, rows, keys=range(len(rows))), Build()


@pytest.fixture
def model(qtbot):
    return FiguresModel()


@pytest.fixture
def view(qtbot):
    made = FiguresView("Figures")
    qtbot.addWidget(made)
    made.resize(400, 300)
    made.show()
    return made


def test_the_model_keeps_qts_rules(model):
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    for figures in ((), (1, 2), (3, 4), (5,), ()):
        model.show_table(*of(*figures))
    assert model.rowCount() == 0
    assert tester.model() is model


def test_other_figures_of_the_same_rows_keep_the_choice(view):
    view.show_table(*of(1, 2, 3))
    view.choose(1)
    view.show_table(*of(4, 5, 6))
    assert view.key == 1
    assert view.currentIndex().siblingAtColumn(1).data() == "5"


def test_a_table_is_as_high_as_its_rows(view):
    view.show_table(*of(1, 2))
    two = view.height()
    view.show_table(*of(1, 2, 3, 4))
    assert view.height() == pytest.approx(two + 2 * view.rowHeight(0), abs=1)
    view.resize(60, 10)
    assert view.rowHeight(0) > 2 * view.fontMetrics().height(), "names wrap where it is narrow"


def test_cells_stand_closer_where_they_would_not_all_fit_otherwise(view):
    view.show_table(*of(1, 2))
    wide = view.columnWidth(1)
    names = LEAST_WORDS * view.fontMetrics().averageCharWidth()
    view.resize(names + 2 * NARROW_PAD + wide, 300)
    assert view.columnWidth(1) == wide - 2 * (PAD - NARROW_PAD)
    assert view.columnWidth(0) + view.columnWidth(1) <= view.viewport().width()
    view.resize(400, 300)
    assert view.columnWidth(1) == wide


def test_a_heading_of_two_lines_is_spoken_as_one(model):
    model.show_table(*of(1))
    shown = model.headerData(1, Qt.Orientation.Horizontal)
    assert shown.count("\n") == 1
    assert model.headerData(1, Qt.Orientation.Horizontal, Qt.ItemDataRole.AccessibleTextRole) == "At the wall, W"


def test_every_kind_of_cell_is_shown_as_it_is_meant(qtbot):
    band = Band(10.0, 20.0, 40.0, "W", ("It is warm.",), ("card.idle_power_w",))
    cells = (
        Figure(band, "Beside it.", Tone.FAIL),
        BandBar(0.25, 0.5, 1.0),
        Words("Card", "slot 1"),
        Badge("FAIL", Tone.FAIL),
        Nothing("It has none."),
        Figure(None, "Its price is unknown."),
        "plain",
    )
    model = FiguresModel()
    shown = table([ReportColumn("A", numeric=True), *(ReportColumn("B") for _ in cells[1:])], [cells])
    model.show_table(shown, Build())
    figure, bar, *others = (model.index(0, number) for number in range(len(cells)))
    assert (figure.data(), figure.data(BELOW_ROLE), figure.data(MARK_ROLE)) == ("20 W", "10–40 ?", "fail")
    tooltip = figure.data(Qt.ItemDataRole.ToolTipRole)
    assert all(words in tooltip for words in ("Beside it.", "It is warm.", "idle power"))
    assert bar.data(BAR_ROLE) == (0.25, 0.5, 1.0)
    assert [index.data() for index in others] == ["Card", "FAIL", "–", "unknown", "plain"]
    assert others[0].data(BELOW_ROLE) == "slot 1"
    tooltips = [index.data(Qt.ItemDataRole.ToolTipRole) for index in others[2:4]]
    assert tooltips == ["It has none.", "Its price is unknown."]
    assert mark_words([shown])
    assert not mark_words([Paragraph("?"), of(1, None)[0]])


def test_unknown_figures_stand_last_whichever_way_it_is_sorted(qtbot):
    ordered = RankingFilter()
    table = FiguresView("Ranking", proxy=ordered)
    qtbot.addWidget(table)
    table.show_table(*of(3, 1, 2, None))
    for order, expected in (
        (Qt.SortOrder.AscendingOrder, ["1", "2", "3", "unknown"]),
        (Qt.SortOrder.DescendingOrder, ["3", "2", "1", "unknown"]),
    ):
        ordered.sort(1, order)
        assert [table.model().index(row, 1).data() for row in range(4)] == expected
    ordered.look_for("words NAME 3")
    assert table.model().rowCount() == 1
