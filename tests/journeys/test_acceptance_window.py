"""From the plan to the sealed certificate in the real window: the card that fails is told, moved, burned in again."""

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QDialog

from core.burnin.record.rows import Outcome
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from core.burnin.simulated_plan import with_plan
from core.burnin.swap.reasoning import Suspect
from core.burnin.swap.session import keep_test, read_test
from core.plan.build import Build
from core.plan.file import dump_build
from core.seal.sealed_file import FileState, check_file
from gui.burnin.dialogs.failed_card import SwapDialog
from gui.history.certificate_menu import CertificateDialog, CertificateMenu
from gui.shell.main_window import MainWindow
from gui.widgets import files, messages
from tests.burnin.fast_run import burned

pytestmark = [pytest.mark.journey, pytest.mark.usefixtures("leave_nothing_behind")]


def burn(folder: Path, build: Build, script: str) -> int:
    """A run of the plan's cards, simulated, on a clock that jumps; its number."""
    simulate = with_plan(f"plan,{script}" if script else "plan", build)
    burned(folder, BurnOrder(profile="quick-test", simulate=simulate, build=dump_build(build)))
    with closing(RunStore(folder)) as store:
        return store.runs()[0].id


def test_a_card_that_fails_is_found_moved_and_the_machine_accepted(
    window: MainWindow, qtbot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    next(action for action in window.menus.templates.actions() if "3090, quiet" in action.text()).trigger()
    build = window.document.build

    # the run with a failing card: which one it is, and where it sits
    failed = burn(tmp_path, build, "fault=ecc@2:20s")
    page = window.pages.require_burnin()
    page.show_run(failed)
    qtbot.waitUntil(lambda: page.view.recording is not None and bool(page.view.recording.verdicts))
    bad = [one.device_id for one in page.view.recording.verdicts if one.device_id and one.outcome is Outcome.FAIL]
    assert bad == ["SIM-2-geforce-rtx-3090"]
    with closing(RunStore(tmp_path)) as store:
        as_built = store.as_built(failed)
    assert as_built is not None
    slot = as_built.card(bad[0])
    assert slot is not None
    assert slot.slot is not None

    # the swap test names the slot of the card, and of a sound one to change places with
    page.view.swap_test()
    dialog = page.view.findChildren(SwapDialog)[0]
    qtbot.waitUntil(lambda: "Reading" not in dialog.todo.text())
    assert f"in {slot.slot} with" in dialog.todo.text()
    assert dialog.again.isEnabled()
    dialog.reject()

    # the fault does not come back after the move: it was the contact
    passed = burn(tmp_path, build, "")
    test = read_test(tmp_path)
    assert test is not None
    keep_test(tmp_path, test.after(Suspect.CARD, passed))
    page.show_run(passed)
    after = SwapDialog(tmp_path, passed, window)
    qtbot.waitUntil(lambda: bool(after.answer.text()))
    assert after.answer.text().startswith("The fault did not come back")
    after.reject()

    # the certificate of the run that passed, and its seal
    shown: list[Any] = []
    target = tmp_path / "certificate.pdf"
    monkeypatch.setattr(files, "show_file", shown.append)
    monkeypatch.setattr(messages, "tell", lambda _, text, detail="": shown.append(text))
    monkeypatch.setattr(files, "file_to_save", lambda *_: target)

    def fill(certificate_dialog: CertificateDialog) -> QDialog.DialogCode:
        certificate_dialog.save.click()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(CertificateDialog, "exec", fill)
    menu = CertificateMenu(tmp_path, lambda: passed, window)
    menu.certificate()
    qtbot.waitUntil(lambda: shown == [target])
    assert check_file(target.read_bytes()).state is FileState.WHOLE
    menu.verify()
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert "is intact" in shown[1]
