"""A run on a machine that is not the planned one starts only after the comparison was seen and accepted."""

import pytest
from PySide6.QtWidgets import QDialog, QDialogButtonBox

from core.machine.asbuilt.as_built import AsBuilt, AsBuiltLine, LineState, LineSubject, MachineFacts
from core.plan.file import dump_build
from gui.burnin.run.before_run import AsBuiltDialog
from tests.gui.burnin.fake_run import CPU, gpu
from tests.shipped import templates

PLAN = templates()["two-rtx-5090-desktop"]
MISSING = AsBuiltLine(LineSubject.CARD, "PCIE3", "RTX A6000", "", LineState.MISSING, None, 3, "Check power.")
RIGHT = AsBuiltLine(LineSubject.CARD, "PCIE1", "RTX A6000", "RTX A6000", LineState.AS_PLANNED, "GPU-1", 1)
FOUND = AsBuilt("now", MachineFacts(), (), (RIGHT, MISSING))


@pytest.fixture
def planned(page, qtbot, devices, orders, answers):
    """The page on a machine with one card, beside a plan of two."""
    devices.devices[:] = [gpu(0, simulated=False), CPU]
    page.plan.set_build_source(lambda: dump_build(PLAN))
    page.show()
    qtbot.waitUntil(lambda: bool(page.plan.checks))
    return page


def test_what_is_missing_stands_first_and_cancel_is_the_default(qtbot):
    dialog = AsBuiltDialog(FOUND)
    qtbot.addWidget(dialog)
    model = dialog.table.model()
    assert [model.index(row, 1).data() for row in range(2)] == ["PCIE3", "PCIE1"]
    assert model.index(0, 4).data() == "missing"
    assert dialog.buttons.button(QDialogButtonBox.StandardButton.Cancel).isDefault()
    assert dialog.intro.text().startswith("1 planned card is missing")


@pytest.mark.parametrize("answer", [QDialog.DialogCode.Accepted, QDialog.DialogCode.Rejected])
def test_start_asks_and_the_order_carries_what_was_accepted(planned, orders, qtbot, monkeypatch, answer):
    monkeypatch.setattr(AsBuiltDialog, "exec", lambda self: answer)
    planned.plan.compare.setChecked(True)
    planned.bar.start.trigger()
    if answer == QDialog.DialogCode.Rejected:
        qtbot.wait(50)
        assert orders == []
        return
    qtbot.waitUntil(lambda: bool(orders))
    assert orders[0].accepted == ("slot 2", "slot 5")


def test_without_a_plan_nothing_is_asked(planned, orders, qtbot, monkeypatch):
    monkeypatch.setattr(AsBuiltDialog, "exec", lambda self: pytest.fail("it asked"))
    planned.bar.start.trigger()
    qtbot.waitUntil(lambda: bool(orders))
    assert orders[0].accepted == ()


def test_the_cards_of_the_open_build_can_be_simulated(planned, monkeypatch):
    monkeypatch.setattr("gui.burnin.run.before_run.ask_simulation", lambda parent, text, plan: ("plan,room=30", True))
    planned.choose_simulation()
    assert planned.plan.simulated.startswith("cards:")
    assert "GeForce RTX 5090" in planned.plan.simulated


def test_cards_can_be_put_into_their_slots_before_the_run_is_started(planned, orders, monkeypatch):
    moved = []

    def answer(dialog):
        dialog.slots.click()
        assert moved
        return QDialog.DialogCode.Rejected

    monkeypatch.setattr(AsBuiltDialog, "exec", answer)
    monkeypatch.setattr("gui.burnin.run.before_run.SlotsDialog.exec", lambda dialog: moved.append(dialog.board.places))
    planned.plan.compare.setChecked(True)
    planned.bar.start.trigger()
    assert len(moved) == 1
    assert orders == []


def test_cards_that_were_moved_are_compared_anew(qtbot):
    moves = []

    def move_cards():
        moves.append(True)
        return AsBuilt("later", MachineFacts(), (), (RIGHT,))

    dialog = AsBuiltDialog(FOUND, None, move_cards)
    qtbot.addWidget(dialog)
    assert dialog.start.text() == "Start anyway"
    dialog.slots.click()
    assert moves
    assert dialog.as_built.blocking == ()
    assert dialog.start.text() == "Start"
    assert dialog.intro.text() == "Every planned card is there."
