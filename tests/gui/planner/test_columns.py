"""How the three columns of the Plan page share the width of the window."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from core.plan.edits import RemovePart
from gui.planner.frame import PlanColumns
from gui.planner.lines.model import CATEGORY, LIMIT, PART, PRICE, QUANTITY, SLOTS
from gui.planner.lines.view import LinesView
from tests.gui.conftest import FIRST_ATTEMPT

USED_CARDS = FIRST_ATTEMPT.with_name("four-used-rtx-3090.rig.json")
"""Ranges of prices with the months of used ones."""


@pytest.fixture
def widths(qtbot, window):
    """The widths of parts, middle and findings in a window of this width."""

    def measure(width):
        window.resize(width, 800)
        qtbot.waitUntil(lambda: window.width() == width)
        return [widget.width() for widget in (window.plan.parts, window.plan._centre, window.plan.side)]

    return measure


def test_a_wider_window_shows_more_of_the_names_and_sentences_beside_the_board(widths):
    usual, wide = widths(1280), widths(1920)
    assert all(after > before + 60 for before, after in zip(usual, wide, strict=True))
    assert wide[1] >= wide[0] + wide[2], "half is for board and table"


def test_a_name_with_its_price_has_room_in_the_usual_window(widths, window):
    metrics = window.plan.parts.results.fontMetrics()
    scroll_bar = window.plan.parts.results.verticalScrollBar().sizeHint().width()
    room = widths(1280)[0] - scroll_bar - 16
    assert room >= metrics.horizontalAdvance("AMD Ryzen Threadripper 3960X") + metrics.horizontalAdvance("  1 399 USD")


def test_a_small_window_leaves_the_middle_and_the_name_of_the_build_their_room(widths, window):
    assert widths(1000)[1] >= 380
    details = window.plan.details
    assert details.name.width() >= 150
    assert details.more.accessibleName().startswith("Build settings")
    widths(1280)
    assert details.more.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon


@pytest.mark.parametrize("build", [FIRST_ATTEMPT, USED_CARDS])
@pytest.mark.parametrize("width", [1000, 1280, 2560])
def test_no_column_of_the_build_is_lost_or_cut_and_figures_stand_near_the_names(widths, window, width, build):
    window.open(build)
    widths(width)
    table = window.plan.table
    letter = table.fontMetrics().averageCharWidth()
    for column in (PART, QUANTITY, SLOTS, LIMIT, PRICE):
        assert not table.isColumnHidden(column)
        right = table.columnViewportPosition(column) + table.columnWidth(column)
        assert right <= table.viewport().width(), "seen without scrolling"
    for column in (PRICE,) if width == 1000 else (CATEGORY, PRICE):
        cells = [table.lines.index(row, column).data() or "" for row in range(table.lines.rowCount())]
        assert table.columnWidth(column) >= max(map(table.fontMetrics().horizontalAdvance, cells)) + 8
    assert 12 * letter <= table.columnWidth(PART) <= 60 * letter


def test_a_column_keeps_the_width_that_the_user_gave_it(widths, window):
    window.open(FIRST_ATTEMPT)
    widths(1280)
    table = window.plan.table
    table.horizontalHeader().resizeSection(PRICE, 150)
    widths(1400)
    assert table.columnWidth(PRICE) == 150


def test_what_the_user_moved_stays_also_in_the_next_window(widths, window):
    columns = window.plan.splitters()["plan"]
    assert columns.saveState().isEmpty(), "nothing was chosen yet"
    widths(1280)
    columns.moveSplitter(400, 1)
    assert widths(1920)[0] == pytest.approx(400, abs=2)
    state = columns.saveState()
    again = PlanColumns(QWidget(), QWidget(), QWidget())
    again.restoreState(state)
    again.resize(1000, 400)
    again.show()
    assert again.sizes()[0] == pytest.approx(400, abs=2)


def test_the_arrow_keys_go_on_in_a_narrow_table_after_its_rows_were_replaced(qtbot, document):
    document.open(FIRST_ATTEMPT)
    table = LinesView(document)
    qtbot.addWidget(table)
    table.resize(500, 300)
    with qtbot.waitExposed(table):
        table.show()
    assert table.isColumnHidden(CATEGORY)
    table.select_parts([table.lines.rows[0].part.id])
    document.edit(RemovePart(document.build.lines[-1].part.id))
    qtbot.keyClick(table, Qt.Key.Key_Down)
    assert (table.currentIndex().row(), table.currentIndex().column()) == (1, PART)


def test_slots_go_before_names_become_unreadable_and_come_back_to_be_edited(qtbot, document):
    document.open(FIRST_ATTEMPT)
    table = LinesView(document)
    qtbot.addWidget(table)
    table.resize(900, 300)
    table.show()
    assert not table.isColumnHidden(SLOTS)
    table.resize(330, 300)
    assert table.isColumnHidden(SLOTS)
    assert table.columnWidth(PART) >= 12 * table.fontMetrics().averageCharWidth()
    table.setCurrentIndex(table.lines.index(0, PART))
    table._edit_slots()
    assert not table.isColumnHidden(SLOTS)
