"""The certificate, the RMA pack and the check of the seal from the page of runs."""

from contextlib import closing

import pytest
from PySide6.QtWidgets import QDialog, QInputDialog

from core.burnin.record.run_facts import RunFacts
from core.burnin.record.store import RunStore
from core.burnin.sealing import seal_run
from core.seal.sealed_file import FileState, check_file
from gui.history.certificate_menu import CertificateDialog, CertificateMenu
from gui.widgets import files, messages
from tests.present.report.recorded import record_run


@pytest.fixture
def run_id(tmp_path):
    with closing(RunStore(tmp_path)) as store:
        number = record_run(store)
        seal_run(store, number)
    return number


@pytest.fixture
def menu(qtbot, tmp_path, run_id):
    button = CertificateMenu(tmp_path, lambda: run_id)
    qtbot.addWidget(button)
    return button


@pytest.fixture
def shown(monkeypatch):
    """Files that were shown, and sentences that were told."""
    shown_files = []
    monkeypatch.setattr(files, "show_file", shown_files.append)
    monkeypatch.setattr(messages, "tell", lambda _, text, detail="": shown_files.append((text, detail)))
    return shown_files


def answer(monkeypatch, target):
    monkeypatch.setattr(files, "file_to_save", lambda *_: target)


def test_facts_are_kept_and_a_sealed_certificate_is_written(menu, qtbot, tmp_path, run_id, shown, monkeypatch):
    target = tmp_path / "certificate.pdf"
    answer(monkeypatch, target)

    def fill(dialog):
        dialog.fields["customer"].setText("Ein Labor")
        dialog.language.setCurrentIndex(2)
        dialog.save.click()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(CertificateDialog, "exec", fill)
    menu.certificate()
    qtbot.waitUntil(lambda: shown == [target])
    assert check_file(target.read_bytes()).state is FileState.WHOLE
    with closing(RunStore(tmp_path)) as store:
        assert store.facts(run_id) == RunFacts(customer="Ein Labor")


def test_facts_may_be_kept_without_a_certificate(menu, tmp_path, run_id, shown, monkeypatch):
    def fill(dialog):
        dialog.fields["order"].setText("4711")
        dialog.keep.click()
        return QDialog.DialogCode.Accepted

    monkeypatch.setattr(CertificateDialog, "exec", fill)
    menu.certificate()
    with closing(RunStore(tmp_path)) as store:
        assert store.facts(run_id).order == "4711"
    assert shown == []


def test_what_cannot_be_kept_is_said_while_it_is_typed(qtbot):
    dialog = CertificateDialog(1, RunFacts())
    qtbot.addWidget(dialog)
    dialog.fields["room_temperature_c"].setText("warm")
    assert "room temperature cannot be saved" in dialog.message.text()
    assert not dialog.save.isEnabled()
    dialog.fields["room_temperature_c"].setText("24,6")
    assert dialog.save.isEnabled()
    assert dialog.facts["room_temperature_c"] == "24.6"
    assert dialog.chosen_language == "en"
    assert all(field.accessibleName() for field in dialog.fields.values())


def test_the_pack_of_the_chosen_card_is_written(menu, qtbot, tmp_path, shown, monkeypatch):
    target = tmp_path / "card.zip"
    answer(monkeypatch, target)
    monkeypatch.setattr(QInputDialog, "getItem", lambda *arguments: (arguments[3][1], True))
    menu.rma_pack()
    qtbot.waitUntil(lambda: shown == [target])
    assert check_file(target.read_bytes()).state is FileState.WHOLE


def test_a_changed_record_is_reported(menu, qtbot, tmp_path, shown):
    menu.verify()
    qtbot.waitUntil(lambda: bool(shown))
    assert "is intact" in shown.pop()[0]
    with closing(RunStore(tmp_path)) as store, store.one_commit():
        store._db.execute("UPDATE verdicts SET outcome = 'PASS' WHERE device_id = ''")
    menu.verify()
    qtbot.waitUntil(lambda: bool(shown))
    sentence, lines = shown.pop()
    assert "was CHANGED" in sentence
    assert "The verdict on the machine was changed in outcome." in lines
