"""The window guides through a swap test."""

import pytest
from PySide6.QtCore import Qt

from core.burnin.record.store import RunStore
from core.burnin.swap import instructions
from core.burnin.swap.reasoning import Suspect
from core.burnin.swap.session import begin, keep_test, read_test
from gui.burnin.dialogs.failed_card import SwapDialog
from gui.widgets import messages
from tests.burnin.test_swap import SLOTS, judged_run


@pytest.fixture
def base(tmp_path):
    return judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="A")


@pytest.fixture
def shown(qtbot, tmp_path):
    def show(run_id):
        dialog = SwapDialog(tmp_path, run_id)
        qtbot.addWidget(dialog)
        dialog.show()
        qtbot.waitUntil(lambda: "Reading" not in dialog.todo.text())
        return dialog

    return show


def test_it_says_what_to_move_and_runs_again(shown, base, tmp_path, monkeypatch, qtbot):
    monkeypatch.setattr(instructions, "detect_devices", lambda _: [])
    monkeypatch.setattr(instructions, "not_moved", lambda *_: None)
    monkeypatch.setattr(instructions, "start_run", lambda folder, order: 7)
    dialog = shown(base)
    assert (
        "swap GPU 0 (NVIDIA GeForce RTX 3090, serial number A) in 41:00.0 with GPU 1 in 61:00.0" in dialog.todo.text()
    )
    assert "rigwright" not in dialog.todo.text()
    with qtbot.waitSignal(dialog.run_started) as heard:
        dialog.again.click()
    assert heard.args == [7]
    assert [(step.moved, step.run) for step in read_test(tmp_path).steps] == [(Suspect.CARD, 7)]


def test_a_card_that_was_not_moved_starts_nothing(shown, base, monkeypatch, qtbot, tmp_path):
    words = []
    monkeypatch.setattr(messages, "tell", lambda _parent, text, _detail="": words.append(text))
    monkeypatch.setattr(instructions, "detect_devices", lambda _: [])
    dialog = shown(base)
    dialog.again.click()
    qtbot.waitUntil(lambda: bool(words))
    assert "is not present" in words[0]
    assert dialog.again.isEnabled()
    assert not read_test(tmp_path).steps


def test_it_tells_what_the_fault_followed(shown, base, tmp_path):
    after = judged_run(tmp_path, zip("BAC", SLOTS, strict=True), failed="A")
    store = RunStore(tmp_path)
    keep_test(tmp_path, begin(store, base).after(Suspect.CARD, after))
    store.close()
    dialog = shown(after)
    assert dialog.answer.text() == "The fault follows the card GPU-A. Replace the card."
    assert not dialog.again.isEnabled()


def test_a_run_without_one_failed_card_says_why_not(shown, tmp_path):
    dialog = shown(judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="AB"))
    assert "GPU 0 and GPU 1 failed" in dialog.todo.text()
    assert "--" not in dialog.todo.text()
    assert not dialog.again.isEnabled()


def test_of_several_failed_cards_the_one_to_move_is_chosen(qtbot, shown, tmp_path):
    dialog = shown(judged_run(tmp_path, zip("ABC", SLOTS, strict=True), failed="AB"))
    qtbot.waitUntil(dialog.card.isVisible)
    names = [dialog.card.itemText(row) for row in range(dialog.card.count())]
    assert [name.split(":")[0] for name in names] == ["GPU 0", "GPU 1", "GPU 2"]
    for name in ("GPU 0", "GPU 1"):
        qtbot.keyClick(dialog.card, Qt.Key.Key_Down)
        qtbot.waitUntil(lambda name=name: "swap GPU" in dialog.todo.text() and name in dialog.todo.text())
        assert read_test(tmp_path).suspect == dialog.card.currentData()
    assert dialog.again.isEnabled()


def test_the_banner_of_a_failed_run_opens_it(qtbot, base, view):
    view.open(base)
    qtbot.waitUntil(view.banner.swap.isVisible)
    view.banner.swap.click()
    assert view.findChild(SwapDialog) is not None
