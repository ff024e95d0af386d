"""A virtual screen of its own, and the real program on it."""

import contextlib
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from gui.shell.main_window import MainWindow
from gui.widgets.theme import theme
from tests.patience import PATIENCE_S, wait_for


@pytest.fixture(name="wait_until")
def _wait_until() -> Callable[..., Any]:
    return wait_for


@pytest.fixture
def leave_nothing_behind(tmp_path: Path) -> Iterator[None]:
    """Ends every process that still works on this test's folder."""
    yield
    for process in psutil.process_iter(["cmdline"]):
        if str(tmp_path) in " ".join(process.info["cmdline"] or []):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


class Screen:
    """A virtual screen that is typed and clicked on, and looked at."""

    def __init__(self, display: str, picture: Path) -> None:
        self.display = display
        self._picture = picture
        self._started: list[subprocess.Popen[bytes]] = []
        self.environment = {name: value for name, value in os.environ.items() if name != "QT_QPA_PLATFORM"}
        self.environment |= {"DISPLAY": display, "QT_QPA_PLATFORM": "xcb"}

    def start(self, *words: str, module: str = "gui") -> subprocess.Popen[bytes]:
        """Starts the window with these arguments."""
        started = subprocess.Popen([sys.executable, "-m", module, *words], env=self.environment)
        self._started.append(started)
        return started

    def end_all(self) -> None:
        """Kills what was started and still runs."""
        for process in self._started:
            process.kill()
            process.wait()

    def do(self, *words: str) -> str:
        """Calls xdotool; returns what it prints, empty if it found nothing."""
        done = subprocess.run(
            ["xdotool", *words], env=self.environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        return done.stdout.strip()

    def window(self, title: str) -> str:
        """The id of the visible window with these words in its title."""
        return self.do("search", "--onlyvisible", "--name", title).split("\n")[0]

    def focus(self, title: str) -> None:
        """Gives the keyboard to the window with these words in its title."""
        self.do("windowfocus", self.window(title))

    def key(self, *keys: str) -> None:
        """Presses keys in the active window."""
        self.do("key", "--clearmodifiers", *keys)

    def type(self, text: str) -> None:
        """Types text into whatever has the focus."""
        self.do("type", "--delay", "15", text)

    def picture(self) -> bytes:
        """What the screen shows now."""
        return self._picture.read_bytes()


@pytest.fixture
def screen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
    """A screen without a window manager, like a test's own."""
    missing = [name for name in ("Xvfb", "xdotool") if shutil.which(name) is None]
    assert not missing, f"`make test` installs {missing}; without them the window cannot be driven"
    folder = tmp_path_factory.mktemp("screen")
    read, write = os.pipe()
    server = subprocess.Popen(
        [
            "Xvfb", "-displayfd", str(write), "-screen", "0", "1440x900x24", "-fbdir", str(folder), "-nolisten", "tcp",
            "-noreset",  # else it begins anew when its last window is gone, and refuses the next one meanwhile
        ],
        pass_fds=[write], stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as answer:
        number = answer.readline().strip()
    shown = Screen(f":{number}", folder / "Xvfb_screen0")
    yield shown
    shown.end_all()
    server.terminate()
    server.wait()


@pytest.fixture
def window(qtbot: Any, qapp: Any, tmp_path: Path) -> Iterator[MainWindow]:
    theme().apply(qapp)
    main = MainWindow(tmp_path)
    main.show()
    qtbot.waitUntil(lambda: main.plan.parts.parts.rowCount() > 100)
    yield main
    main.document.undo_stack.setClean()
    main.close()
    main.deleteLater()
