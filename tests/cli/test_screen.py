"""Without a screen, or without Qt's libraries, a start says why and goes on in the terminal; nothing aborts."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.cli import app as command
from core.cli import quick_test, window
from core.cli.window import NEEDED_BY_QT, NEEDED_ON_WAYLAND, NEEDED_ON_X11, NO_DISPLAY, Screen, find_screen
from tests.patience import PATIENCE_S

ROOT = Path(__file__).parent.parent.parent
DEAD = ":9417"


@pytest.fixture
def lacking(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Libraries that the loader does not find from now on."""
    absent: list[str] = []
    load = window._library
    monkeypatch.setattr(window, "_library", lambda name: None if name in absent else load(name))
    return absent


@pytest.fixture
def display() -> Iterator[str]:
    """A virtual X server of its own."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "800x600x24", "-nolisten", "tcp", "-noreset"],
        pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as answer:
        yield f":{answer.readline().strip()}"
    server.terminate()
    server.wait()


def test_no_display_is_said() -> None:
    assert find_screen({}) == Screen(problem=NO_DISPLAY)


def test_a_display_that_does_not_answer_is_named() -> None:
    problem = find_screen({"DISPLAY": DEAD}).problem or ""
    assert problem.startswith(f"The display {DEAD} (DISPLAY) cannot be reached")
    problem = find_screen({"WAYLAND_DISPLAY": "/nowhere/wayland-7"}).problem or ""
    assert problem.startswith("The display /nowhere/wayland-7 (WAYLAND_DISPLAY) cannot be reached")


def test_the_display_that_answers_is_taken(display: str) -> None:
    assert find_screen({"DISPLAY": display}) == Screen("xcb")
    assert find_screen({"DISPLAY": display, "WAYLAND_DISPLAY": "/nowhere/wayland-7"}) == Screen("xcb")


def test_a_platform_chosen_by_the_user_is_kept() -> None:
    assert find_screen({"QT_QPA_PLATFORM": "offscreen"}) == Screen("offscreen")


@pytest.mark.parametrize("library", [*NEEDED_BY_QT, *NEEDED_ON_X11])
def test_a_missing_library_is_named_before_qt_stumbles_over_it(display: str, lacking: list[str], library: str) -> None:
    lacking.append(library)
    problem = find_screen({"DISPLAY": display}).problem or ""
    assert f"needs {library}, which this machine lacks" in problem
    assert "make prepare" in problem


def test_what_is_looked_for_is_what_preparation_installs() -> None:
    script = (ROOT / "packaging/system-packages.sh").read_text()
    rows = script.split("window_libraries=(")[1].split(")")[0].split()
    assert {row.split(":")[1] for row in rows} == {*NEEDED_BY_QT, *NEEDED_ON_X11, *NEEDED_ON_WAYLAND}


def test_a_start_without_a_usable_screen_does_the_job_in_the_terminal(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    starts: list[tuple[Path, str]] = []
    monkeypatch.setattr(quick_test, "run", lambda place, why: starts.append((place, why)) or 4)
    for name in ("WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("DISPLAY", DEAD)
    assert command._window_or_terminal(tmp_path) == 4
    assert [(place, DEAD in why) for place, why in starts] == [(tmp_path, True)]


def test_open_needs_a_screen_and_says_so(process: Any) -> None:
    ended = process("open", display=DEAD)
    assert ended.returncode == 3
    assert ended.stderr.startswith(f"Error: The display {DEAD} (DISPLAY) cannot be reached")
    assert "rigwright --help" in ended.stderr


@pytest.mark.journey
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_window_ends_in_order_with_the_command(display: str, tmp_path: Path, number: signal.Signals) -> None:
    others = {name: value for name, value in os.environ.items() if name not in ("QT_QPA_PLATFORM", "WAYLAND_DISPLAY")}
    process = subprocess.Popen(
        [sys.executable, "-m", "core.cli", "--data-dir", str(tmp_path)],
        env={**others, "DISPLAY": display}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True,
    )  # fmt: skip
    try:
        _wait_for_window(display, process)
        os.killpg(process.pid, number)  # as Ctrl-C does: the command and its window both get it
        _, complaint = process.communicate(timeout=PATIENCE_S)
    finally:
        process.kill()
    assert (process.returncode, complaint) == (0, b"")


def _wait_for_window(display: str, process: subprocess.Popen[bytes]) -> None:
    search = ["xdotool", "search", "--onlyvisible", "--name", "Rigwright"]
    deadline = time.monotonic() + PATIENCE_S
    while subprocess.run(search, env={**os.environ, "DISPLAY": display}, capture_output=True, check=False).returncode:
        assert process.poll() is None
        assert time.monotonic() < deadline, "no window came"
        time.sleep(0.05)
