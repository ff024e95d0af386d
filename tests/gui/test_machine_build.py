"""A build of another machine's texts begins in the window, and what the texts lack is said."""

from pathlib import Path

from gui.widgets import files, messages

MACHINES = Path(__file__).parent.parent / "machine" / "asbuilt" / "texts" / "machines"


def test_texts_of_another_machine_become_a_build(window, answers, qtbot, monkeypatch):
    texts = [MACHINES / "romed8-2t" / "dmidecode.txt", MACHINES / "p100-pair" / "lspci.txt"]
    shown = []
    monkeypatch.setattr(files, "files_to_open", lambda *_: texts)
    monkeypatch.setattr(messages, "tell", lambda _parent, text, detail="": shown.append((text, detail)))
    window.workspace.files.may_replace = lambda: True
    window.workspace.machine_build.begin_from_texts()
    qtbot.waitUntil(lambda: bool(shown), timeout=60_000)
    ids = {line.part.id for line in window.workspace.document.build.lines}
    assert {"asrock-rack-romed8-2t", "amd-epyc-7262", "nvidia-tesla-p100-pcie-16gb"} <= ids
    [(text, detail)] = shown
    assert text.endswith("parts were recognised.")
    assert "lspci.txt (lspci): GPUs" in detail
    assert "Not in these texts: drives" in detail


def test_no_file_chosen_changes_nothing(window, monkeypatch):
    monkeypatch.setattr(files, "files_to_open", lambda *_: [])
    window.workspace.files.may_replace = lambda: True
    before = window.workspace.document.build
    window.workspace.machine_build.begin_from_texts()
    assert window.workspace.document.build == before
