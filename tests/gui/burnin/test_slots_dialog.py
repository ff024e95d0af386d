"""Cards are dragged to the slots that they sit in, moved by keys, or typed in; what is told is kept for comparisons."""

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt

from core.machine.asbuilt.binding import read_notes
from core.machine.asbuilt.inspection import hold_against, inspect
from gui.burnin.devices import slots_dialog
from gui.burnin.devices.slots_dialog import SlotsDialog
from tests.machine.asbuilt.recorded import devices_of, write_machine
from tests.machine.asbuilt.test_real_boards import DEVBOX, DEVBOX_PLAN

SLOT, SERIAL = 2, 3
"""Columns of the table."""


@pytest.fixture
def dialog(qtbot, tmp_path):
    inspection = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path / "machine", DEVBOX, as_root=False))
    (tmp_path / "data").mkdir()
    dialog = SlotsDialog(inspection, DEVBOX_PLAN, tmp_path / "data")
    dialog.inspection, dialog.data = inspection, tmp_path / "data"
    qtbot.addWidget(dialog)
    dialog.show()
    qtbot.waitExposed(dialog)
    return dialog


def stored_notes(dialog):
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
    assert stored_notes(dialog) == {card(dialog, device).pci_address: 3}


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
    assert stored_notes(dialog) == {}


def test_two_cards_change_places_and_one_without_a_slot_pushes_none_out(qtbot, dialog):
    board, (first, second, third, _) = dialog.board, [row.device for row in dialog.model.rows]
    drag(qtbot, board, middle(board, board.place_of(first)), middle(board, slot(board, 1)))
    drag(qtbot, board, middle(board, board.place_of(second)), middle(board, slot(board, 3)))
    drag(qtbot, board, middle(board, board.place_of(first)), middle(board, slot(board, 3)))
    assert (board.place_of(first).position, board.place_of(second).position) == (3, 1)
    drag(qtbot, board, middle(board, board.place_of(third)), middle(board, slot(board, 3)))
    assert board.place_of(third).position is None
    assert "Slot 3 holds" in dialog.message.text()


def test_escape_lets_go_of_a_card(qtbot, dialog):
    board, device = dialog.board, dialog.model.rows[0].device
    start, end = middle(board, board.place_of(device)), middle(board, slot(board, 3))
    qtbot.mousePress(board, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(board, start + QPoint(0, 10))
    qtbot.mouseMove(board, end)
    qtbot.keyClick(board, Qt.Key.Key_Escape)
    qtbot.mouseRelease(board, Qt.MouseButton.LeftButton, pos=end)
    assert stored_notes(dialog) == {}


def test_without_a_plan_there_are_slots_to_drag_to(qtbot, tmp_path):
    inspection = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path / "machine", DEVBOX, as_root=False))
    dialog = SlotsDialog(inspection, None, tmp_path)
    qtbot.addWidget(dialog)
    dialog.show()
    dialog.board.card_moved.emit(dialog.model.rows[0].device, 2)
    assert slot(dialog.board, 2).card.device == dialog.model.rows[0].device
    assert dialog.board._at(QPointF(-5, -5)) is None


def type_in(dialog, row, column, text):
    index = dialog.model.index(row, column)
    return dialog.model.setData(index, text, Qt.ItemDataRole.EditRole)


def test_what_is_typed_is_kept_and_bound(dialog):
    assert dialog.model.index(0, SLOT).data() == "–"
    assert type_in(dialog, 0, SLOT, "3")
    assert [dialog.model.index(row, SLOT).data() for row in range(4)].count("3, PCIEX16_3") == 1
    row = next(row for row in range(4) if dialog.model.rows[row].position == 3)
    assert type_in(dialog, row, SERIAL, " 0324 ")
    notes, _ = read_notes(dialog.data)
    held = hold_against(DEVBOX_PLAN, dialog.inspection, notes)
    [card] = [card for card in held.cards if card.position == 3]
    assert (card.serial, card.serial_typed, card.bound_by) == ("0324", True, "set by the user")


def test_a_slot_that_is_none_or_taken_is_refused_in_words(dialog):
    assert not type_in(dialog, 0, SLOT, "left")
    assert "1 to 24" in dialog.message.text()
    assert not type_in(dialog, 0, SLOT, "99")
    first = dialog.model.rows[0].device
    assert type_in(dialog, 0, SLOT, "5")
    other = next(row for row in range(4) if dialog.model.rows[row].device != first)
    assert not type_in(dialog, other, SLOT, "5")
    assert "Two cards are assigned to slot 5" in dialog.message.text()


def test_the_chosen_card_is_loaded_and_may_be_loaded_again(dialog, qtbot, monkeypatch):
    loaded = []
    monkeypatch.setattr(slots_dialog, "blink", lambda device, data_dir: loaded.append(device.id))
    dialog.table.selectRow(1)
    dialog.blink.click()
    qtbot.waitUntil(lambda: dialog.blink.isEnabled() and bool(loaded))
    assert loaded == [dialog.model.rows[1].device]
