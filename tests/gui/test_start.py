"""The program as a process: what it imports, that it is alone, and what it leaves behind."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE_S, wait_for

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "apprise", "pynvml", "ortools", "typst", "scipy", "pandas")
ENV = os.environ | {"QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT)}
LATE = (
    "pydantic",
    "core.parts.part",
    "core.assessment",
    "core.rules",
    "gui.planner.page",
    "core.machine.asbuilt",
    "sqlite3",
)
"""What the window is painted without."""
EDITING = """
import sys
from PySide6.QtCore import QTimer
from gui.shell import app
from gui.shell.main_window import MainWindow
from core.plan.edits import SetDetails

def begin(self):
    ORIGINAL(self)
    self.document.edit(SetDetails(name="六卡 unsaved"))

ORIGINAL, MainWindow._after_first_paint = MainWindow._after_first_paint, begin
sys.exit(app.main(sys.argv[1:]))
"""


def start(data_dir, *extra, code=None, language="en"):
    begin = ["-c", code] if code else ["-m", "gui"]
    return subprocess.Popen(
        [sys.executable, *begin, "--data-dir", str(data_dir), *map(str, extra)],
        cwd=ROOT,
        env=ENV | {"RIGWRIGHT_LANGUAGE": language},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def answers_at(data_dir):
    """Whether a window with a running loop holds the folder."""
    from gui.shell.single_instance import hand_over

    return hand_over(data_dir, None)


@pytest.fixture
def first(qtbot, data_dir):
    process = start(data_dir)
    wait_for(lambda: answers_at(data_dir), "a window that answers")
    yield process
    process.kill()
    process.communicate()


def test_the_window_needs_no_heavy_library():
    code = f"""
import sys
import gui.shell.app, gui.shell.main_window, gui.planner.page, gui.predict.page, gui.share.report_export
print([name for name in {(*HEAVY, "pyqtgraph", "sqlite_utils")!r} if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=ENV, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_window_is_painted_before_parts_rules_and_predictions_are_loaded(data_dir):
    code = f"""
import os, sys
from gui.shell import app
from gui.shell.main_window import MainWindow

def painted(window):
    print([name for name in {(*LATE, *HEAVY)!r} if name in sys.modules], flush=True)
    os._exit(0)

MainWindow._after_first_paint = painted
sys.exit(app.main(sys.argv[1:]))
"""
    out, err = start(data_dir, code=code).communicate(timeout=PATIENCE_S)
    assert out.strip() == "[]", err


def test_a_second_start_hands_over_and_ends_with_a_sentence(first, data_dir):
    second = start(data_dir, "some.rig.json")
    out, err = second.communicate(timeout=PATIENCE_S)
    assert second.returncode == 0, err
    assert "already open" in out
    assert out.count("\n") == 1
    assert first.poll() is None


def test_a_window_that_was_killed_does_not_stand_in_the_way(first, data_dir):
    first.send_signal(signal.SIGKILL)
    first.wait()
    again = start(data_dir)
    try:
        wait_for(lambda: answers_at(data_dir), "a window that answers")
        assert again.poll() is None
    finally:
        again.kill()
        again.communicate()


def test_a_termination_ends_the_window_without_a_question_and_without_noise(first):
    first.send_signal(signal.SIGTERM)
    _, err = first.communicate(timeout=PATIENCE_S)
    assert first.returncode == 0
    assert [line for line in err.splitlines() if not line.startswith("This plugin does not support")] == []


def test_unsaved_work_survives_a_kill_and_is_offered_at_the_next_start(qtbot, data_dir, answers):
    from gui.shell.main_window import MainWindow
    from gui.shell.recovery import FILE

    process = start(data_dir, code=EDITING)
    copy = data_dir / FILE
    wait_for(copy.exists, "the copy")
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert json.loads(copy.read_text())["name"] == "六卡 unsaved"

    answers.queue = ["restore"]
    window = MainWindow(data_dir)
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: window.document.build.name == "六卡 unsaved")
    assert window.document.dirty
    assert "六卡 unsaved" in answers.questions[0][0]
    answers.queue = ["discard"]
    assert window.close()
    assert not copy.exists()


def test_without_a_display_it_says_so_instead_of_aborting(data_dir):
    bare = {name: value for name, value in ENV.items() if name not in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY")}
    done = subprocess.run(
        [sys.executable, "-m", "gui", "--data-dir", str(data_dir)],
        cwd=ROOT,
        env=bare,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 3
    assert done.stderr.startswith("There is no display")
