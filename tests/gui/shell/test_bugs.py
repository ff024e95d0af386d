"""A bug in the window is one sentence with its log, the work is kept, and the window goes on."""

import json
import subprocess
import sys
import threading

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget

from gui.shell.bugs import Bugs
from gui.widgets.background import run_in_background
from tests.gui.test_start import ENV, ROOT
from tests.patience import PATIENCE_S

INJECTED = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication, QMessageBox
from core.plan.edits import SetDetails
from gui.shell import app
from gui.shell.main_window import MainWindow

def look():
    box = QApplication.activeModalWidget()
    if not isinstance(box, QMessageBox):
        QTimer.singleShot(50, look)
        return
    print(box.text())
    next(b for b in box.buttons() if b.text() == "Copy details").click()
    print("open after copying" if box.isVisible() else "closed")
    print(QApplication.clipboard().text().splitlines()[-1])
    box.reject()
    QTimer.singleShot(0, again)

def again():
    window = QApplication.topLevelWidgets()
    print("usable", any(w.isEnabled() and w.isVisible() for w in window if isinstance(w, MainWindow)))
    QApplication.exit(0)

def broken(self):
    self.document.edit(SetDetails(name="unsaved work"))
    QTimer.singleShot(0, look)
    raise ZeroDivisionError("injected")

MainWindow._after_first_paint = broken
sys.exit(app.main(sys.argv[1:]))
"""


@pytest.fixture
def hooks(monkeypatch):
    """The interpreter's own hooks, back in place after the test."""
    monkeypatch.setattr(sys, "excepthook", sys.excepthook)
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)


def raised(error):
    try:
        raise error
    except KeyError as caught:
        return caught


def test_a_bug_in_a_slot_of_the_started_window(data_dir):
    done = subprocess.run(
        [sys.executable, "-c", INJECTED, "--data-dir", str(data_dir)],
        cwd=ROOT, env=ENV, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    sentence, after_copying, copied, usable = done.stdout.splitlines()
    [log] = data_dir.glob("bug-*.log")
    assert sentence.startswith("This is a bug in Rigwright (ZeroDivisionError).")
    assert str(log) in sentence
    assert "injected" in log.read_text()
    assert (after_copying, copied, usable) == ("open after copying", "ZeroDivisionError: injected", "usable True")
    assert "Traceback" not in done.stderr
    unsaved = json.loads((data_dir / "unsaved.json").read_text())
    assert unsaved["name"] == "unsaved work"


@pytest.mark.parametrize(
    "begin",
    [
        lambda owner: run_in_background(owner, lambda: 1 // 0, lambda _: None),
        lambda _: threading.Thread(target=lambda: 1 // 0).start(),
    ],
    ids=["in background work", "in a thread"],
)
def test_a_bug_beside_the_window_comes_to_the_same_place(qtbot, hooks, tmp_path, answers, begin):
    saved = []
    Bugs(tmp_path, lambda: saved.append(True), parent := QObject()).install()
    owner = QWidget()
    qtbot.addWidget(owner)
    begin(owner)
    qtbot.waitUntil(lambda: len(answers.bugs) == 1)
    assert saved
    assert len(list(tmp_path.glob("bug-*.log"))) == 1
    answers.bugs.clear()
    parent.deleteLater()


def test_the_same_bug_is_said_once(qtbot, hooks, tmp_path, answers):
    bugs = Bugs(tmp_path, lambda: None)
    error = raised(KeyError("each time"))
    for _ in range(50):
        bugs.take(KeyError, error)
    qtbot.waitUntil(lambda: len(answers.bugs) == 1)
    qtbot.wait(20)
    assert len(answers.bugs) == len(list(tmp_path.glob("bug-*.log"))) == 1
    answers.bugs.clear()


def test_work_that_cannot_be_kept_is_said(qtbot, hooks, tmp_path, answers):
    def broken():
        raise OSError("no room")

    Bugs(tmp_path, broken, parent := QObject()).take(KeyError, raised(KeyError("x")))
    qtbot.waitUntil(lambda: len(answers.bugs) == 1)
    assert answers.bugs[0].endswith("save it now.")
    answers.bugs.clear()
    parent.deleteLater()
