"""What can be done with a card: from its menu in the board view, in the table, and with the keyboard."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QMenu, QSpinBox

from core.parts.vocabulary import Category
from core.plan.card_edits import SetPowerLimit
from core.plan.line import Role
from gui.planner.board.card_menu import CardMenu, EditMenu, riser_menu, role_menu
from tests.gui.conftest import QUIET


@pytest.fixture
def page(window):
    window.open(QUIET)
    return window.plan


def cards(window):
    return window.document.build.of(Category.GPU)[0]


def entry(menu, text):
    matching = [action for action in menu.actions() if action.text() == text]
    return matching[0] if matching else None


def below(menu, title):
    return next(action.menu() for action in menu.actions() if action.menu() and action.text() == title)


@pytest.fixture
def menu(window, page, qtbot):
    page.board.menu_wanted.emit(cards(window).part.id, 2, page.mapToGlobal(QPoint(9, 9)))
    opened = next(child for child in page.findChildren(CardMenu))
    yield opened
    opened.close()


def test_a_card_is_hung_on_a_riser_from_its_menu(window, menu):
    action = entry(menu, "Mount on a riser")
    assert not action.isChecked()
    action.trigger()
    assert cards(window).risers == (2,)
    assert window.document.undo_stack.undoText() == f"Put {cards(window).part.title} in slot 2 on risers"


def test_a_card_is_moved_to_a_free_slot_or_changes_places_from_its_menu(window, menu):
    entry(below(menu, "Move to slot"), "6  PCIE2").trigger()
    assert cards(window).slots == (1, 6, 3, 4, 5, 7)


def test_a_card_is_taken_out_of_its_slot(window, menu):
    entry(menu, "Remove from its slot").trigger()
    assert cards(window).slots == (1, 3, 4, 5, 7)
    assert cards(window).quantity == 6


def test_a_power_limit_is_typed_from_the_menu_of_a_card(qtbot, window, page, menu):
    page.table.select_parts([cards(window).part.id])
    entry(menu, "Set power limit …").trigger()
    box = page.table.findChild(QSpinBox)
    assert box.text() == "default"
    box.selectAll()
    qtbot.keyClicks(box, "280")
    qtbot.keyClick(box, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: cards(window).power_limit_w == 280)
    assert entry(menu, "Default power limit") is None, "this menu was made before"


def test_the_table_hangs_cards_on_risers_and_takes_limits_back(window, page):
    line = cards(window)
    window.document.edit(SetPowerLimit(line.part.id, 250))
    page.table.select_parts([line.part.id])
    page.table._menu(QPoint(5, 5))
    menu = next(child for child in page.table.findChildren(QMenu) if not isinstance(child, EditMenu))
    entry(below(menu, "On risers"), "All").trigger()
    assert cards(window).risers == (1, 2, 3, 4, 5, 7)
    entry(menu, "Default power limit").trigger()
    assert cards(window).power_limit_w is None
    menu.close()


def test_only_placed_cards_can_hang_on_risers(window, page):
    build = window.document.build
    assert riser_menu(build, build.of(Category.PSU)[0], page) is None
    menu = riser_menu(build, cards(window), page)
    assert [action.text() for action in menu.actions() if action.text()][:2] == ["Slot 1  PCIE7", "Slot 2  PCIE6"]


def test_a_role_is_chosen_in_the_menu_and_stands_in_the_table(window, page):
    document, line = window.document, cards(window)
    assert role_menu(document.build, document.build.of(Category.PSU)[0], page) is None
    menu = role_menu(document.build, line, page)
    menu.chosen.connect(document.try_edit)
    assert [action.text() for action in menu.actions() if action.isChecked()] == ["By size: worker"]
    entry(menu, "display").trigger()
    assert document.build.role(line.part.id) is Role.DISPLAY
    model = page.table.lines
    titles = [model.index(row, 1).data() for row in range(model.rowCount())]
    assert f"{line.part.title}, display, used" in titles


def test_the_keyboard_goes_from_card_to_card_and_opens_the_menu(qtbot, window, page):
    board = page.board
    board.setFocus(Qt.FocusReason.TabFocusReason)
    assert board.current_box().slot == 1
    for _ in range(9):
        qtbot.keyClick(board, Qt.Key.Key_Down)
    assert board.current_box().slot == 7
    qtbot.keyClick(board, Qt.Key.Key_Up)
    assert board.current_box().slot == 5
    assert "slot 5" in board.accessibleDescription()
    with qtbot.waitSignal(board.menu_wanted) as opened:
        board.contextMenuEvent(QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(0, 0), QPoint(0, 0)))
    assert opened.args[:2] == [cards(window).part.id, 5]
