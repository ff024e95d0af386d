"""Slots and serial numbers that are typed in the window are kept, and used by every later comparison."""

import pytest
from PySide6.QtCore import Qt

from core.asbuilt.inspection import hold_against, inspect
from core.asbuilt.notes import read_notes
from gui.burnin.devices import slots_dialog
from gui.burnin.devices.slots_dialog import SlotsDialog
from tests.asbuilt.recorded import devices_of, write_machine
from tests.asbuilt.test_real_boards import DEVBOX, DEVBOX_PLAN

SLOT, SERIAL = 2, 3


@pytest.fixture
def dialog(qtbot, tmp_path):
    found = inspect(devices_of(DEVBOX.cards), write_machine(tmp_path / "machine", DEVBOX, as_root=False))
    (tmp_path / "data").mkdir()
    dialog = SlotsDialog(found, DEVBOX_PLAN, tmp_path / "data")
    dialog.found, dialog.data = found, tmp_path / "data"
    qtbot.addWidget(dialog)
    dialog.show()
    return dialog


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
    held = hold_against(DEVBOX_PLAN, dialog.found, notes)
    [card] = [card for card in held.cards if card.position == 3]
    assert (card.serial, card.serial_typed, card.bound_by) == ("0324", True, "set by the user")


def test_a_slot_that_is_none_or_taken_is_refused_in_words(dialog):
    assert not type_in(dialog, 0, SLOT, "left")
    assert "1 to 24" in dialog.said.text()
    assert not type_in(dialog, 0, SLOT, "99")
    first = dialog.model.rows[0].device
    assert type_in(dialog, 0, SLOT, "5")
    other = next(row for row in range(4) if dialog.model.rows[row].device != first)
    assert not type_in(dialog, other, SLOT, "5")
    assert "Two cards are assigned to slot 5" in dialog.said.text()


def test_the_chosen_card_is_loaded_and_may_be_loaded_again(dialog, qtbot, monkeypatch):
    loaded = []
    monkeypatch.setattr(slots_dialog, "blink", lambda device, data_dir: loaded.append(device.id))
    dialog.table.selectRow(1)
    dialog.blink.click()
    qtbot.waitUntil(lambda: dialog.blink.isEnabled() and bool(loaded))
    assert loaded == [dialog.model.rows[1].device]
