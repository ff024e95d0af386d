"""Cards are dragged to the slots that they sit in, and moved by keys; what is told is kept for later comparisons."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from core.asbuilt.as_built import AsBuilt, AsBuiltLine, LineState, LineSubject, MachineFacts
from core.asbuilt.inspection import inspect
from core.asbuilt.notes import read_notes
from gui.burnin.devices.slots_dialog import SlotsDialog
from gui.burnin.run.before_run import AsBuiltDialog
from tests.asbuilt.recorded import devices_of, write_machine
from tests.asbuilt.test_real_boards import DEVBOX, DEVBOX_PLAN


@pytest.fixture
def dialog(qtbot, tmp_path):
    found = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path / "machine", DEVBOX, as_root=False))
    (tmp_path / "data").mkdir()
    dialog = SlotsDialog(found, DEVBOX_PLAN, tmp_path / "data")
    dialog.data = tmp_path / "data"
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    return dialog


def kept(dialog):
    return read_notes(dialog.data)[0].slots


def card(dialog, device):
    return next(row for row in dialog.model.rows if row.device == device)


def middle(board, place):
    return board.row_rect(place).center().toPoint()


def drag(qtbot, board, start, end):
    qtbot.mousePress(board, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(board, start + QPoint(0, 10))
    qtbot.mouseMove(board, end)
    qtbot.mouseRelease(board, Qt.MouseButton.LeftButton, pos=end)


def slot(board, position):
    return next(place for place in board.places if place.position == position)


def test_all_slots_of_the_plan_are_there_and_cards_of_unknown_slot_below(dialog):
    planned = [one.position for one in DEVBOX_PLAN.board_slots()]
    assert [place.position for place in dialog.board.places] == [*planned, None, None, None, None]
    assert [place.card.device for place in dialog.board.places[-4:]] == [row.device for row in dialog.model.rows]


def test_a_card_is_dragged_to_its_slot_and_that_is_kept(qtbot, dialog):
    board, device = dialog.board, dialog.model.rows[0].device
    drag(qtbot, board, middle(board, board.place_of(device)), middle(board, slot(board, 3)))
    assert board.place_of(device).position == 3
    assert card(dialog, device).bound_by == "set by the user"
    assert kept(dialog) == {card(dialog, device).pci_address: 3}


def test_keys_choose_and_move_and_take_out(qtbot, dialog):
    board = dialog.board
    last = dialog.model.rows[-1].device
    board.setFocus()
    for _ in range(9):
        qtbot.keyClick(board, Qt.Key.Key_Down)
    assert board.current == last
    assert dialog.model.row(dialog.table.currentIndex()).device == last
    qtbot.keyClick(board, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    positions = [one.position for one in DEVBOX_PLAN.board_slots()]
    assert board.place_of(last).position == positions[-1]
    qtbot.keyClick(board, Qt.Key.Key_Up, Qt.KeyboardModifier.ControlModifier)
    assert board.place_of(last).position == positions[-2]
    assert f"{positions[-2]}" in board.accessibleDescription()
    qtbot.keyClick(board, Qt.Key.Key_Delete)
    assert board.place_of(last).position is None
    assert kept(dialog) == {}


def test_two_cards_change_places_and_one_without_a_slot_pushes_none_out(qtbot, dialog):
    board, (first, second, third, _) = dialog.board, [row.device for row in dialog.model.rows]
    drag(qtbot, board, middle(board, board.place_of(first)), middle(board, slot(board, 1)))
    drag(qtbot, board, middle(board, board.place_of(second)), middle(board, slot(board, 3)))
    drag(qtbot, board, middle(board, board.place_of(first)), middle(board, slot(board, 3)))
    assert (board.place_of(first).position, board.place_of(second).position) == (3, 1)
    drag(qtbot, board, middle(board, board.place_of(third)), middle(board, slot(board, 3)))
    assert board.place_of(third).position is None
    assert "Slot 3 holds" in dialog.said.text()


def test_escape_lets_go_of_a_card(qtbot, dialog):
    board, device = dialog.board, dialog.model.rows[0].device
    start, end = middle(board, board.place_of(device)), middle(board, slot(board, 3))
    qtbot.mousePress(board, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(board, start + QPoint(0, 10))
    qtbot.mouseMove(board, end)
    qtbot.keyClick(board, Qt.Key.Key_Escape)
    qtbot.mouseRelease(board, Qt.MouseButton.LeftButton, pos=end)
    assert kept(dialog) == {}


def test_without_a_plan_there_are_slots_to_drag_to(qtbot, tmp_path):
    found = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path / "machine", DEVBOX, as_root=False))
    dialog = SlotsDialog(found, None, tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.board.card_moved.emit(dialog.model.rows[0].device, 2)
    assert slot(dialog.board, 2).card.device == dialog.model.rows[0].device
    assert dialog.board._at(QPointF(-5, -5)) is None


def test_cards_are_moved_from_the_comparison_before_a_run(qtbot):
    missing = AsBuiltLine(LineSubject.CARD, "PCIE3", "RTX A6000", "", LineState.MISSING, None, 3, "Check power.")
    right = AsBuiltLine(LineSubject.CARD, "PCIE3", "RTX A6000", "RTX A6000", LineState.AS_PLANNED, "GPU-1", 3)
    asked = []

    def move_cards():
        asked.append(True)
        return AsBuilt("later", MachineFacts(), (), (right,))

    dialog = AsBuiltDialog(AsBuilt("now", MachineFacts(), (), (missing,)), None, move_cards)
    qtbot.addWidget(dialog)
    assert dialog.start.text() == "Start anyway"
    dialog.slots.click()
    assert asked
    assert dialog.found.blocking == ()
    assert dialog.start.text() == "Start"
    assert dialog.intro.text() == "Every planned card is there."
