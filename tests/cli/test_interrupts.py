"""Ctrl-C in a terminal: once stops the run and judges it, twice leaves it alone."""

import os
import pty
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process
CTRL_C = b"\x03"
# As a shell in a terminal does: Ctrl-C reaches the command, also where the tests were started to ignore it.
AS_SESSION_LEADER = (
    "import fcntl, os, signal, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
    "signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "os.execv(sys.executable, [sys.executable, '-m', 'core.cli', *sys.argv[1:]])"
)


class Terminal:
    """A command in a terminal of its own."""

    def __init__(self, data: Path, *words: str) -> None:
        self._ours, theirs = pty.openpty()
        self.process = subprocess.Popen(
            [sys.executable, "-c", AS_SESSION_LEADER, *words],
            stdin=theirs, stdout=theirs, stderr=theirs, env={**os.environ, "RIGWRIGHT_DATA_DIR": str(data)},
        )  # fmt: skip
        os.close(theirs)
        self._seen = ""

    def type(self, keys: bytes) -> None:
        os.write(self._ours, keys)

    def read_until(self, pattern: str) -> str:
        """Reads until the pattern has come; the rest of what came is kept for later."""
        while not re.search(pattern, self._seen):
            try:
                came = os.read(self._ours, 65536)
            except OSError:
                came = b""
            assert came, f"the command ended before it said {pattern!r}: {self._seen[-2000:]}"
            self._seen += came.decode(errors="replace")
        return self._seen

    def wait(self) -> tuple[int, str]:
        """The exit code, and all that was shown."""
        try:
            while came := os.read(self._ours, 65536):
                self._seen += came.decode(errors="replace")
        except OSError:
            pass  # Linux says so when the last program has left the terminal
        return self.process.wait(timeout=PATIENCE_S), self._seen

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self._ours)


@pytest.fixture
def burn(tmp_path: Path, rigwright: Any) -> Iterator[Terminal]:
    terminal = Terminal(tmp_path / "data", "burn", "--simulate", "2x3090")
    yield terminal
    terminal.close()
    rigwright("stop")
    rigwright("watch")


def test_once_stops_the_run_and_judges_it(burn: Terminal) -> None:
    burn.read_until("Idle baseline started")
    burn.type(CTRL_C)
    code, shown = burn.wait()
    assert code == 4
    assert "press Ctrl-C again to leave" in shown
    assert "INCOMPLETE" in shown


def test_twice_leaves_the_run_to_end_by_itself(burn: Terminal, rigwright: Any) -> None:
    burn.read_until("Idle baseline started")
    burn.type(CTRL_C)
    burn.read_until("press Ctrl-C again to leave at once")
    burn.type(CTRL_C)
    code, _ = burn.wait()
    assert code == 4
    assert rigwright("watch").returncode == 4


def test_who_watches_from_elsewhere_leaves_without_stopping_it(burn: Terminal, tmp_path: Path, rigwright: Any) -> None:
    burn.read_until("Idle baseline started")
    watcher = Terminal(tmp_path / "data", "watch")
    try:
        watcher.read_until("Idle baseline started")
        watcher.type(CTRL_C)
        code, shown = watcher.wait()
    finally:
        watcher.close()
    assert code == 4
    assert "goes on without this terminal. Stop it with: rigwright stop 1" in " ".join(shown.split())
    assert '"status": "running"' in rigwright("status", "--json").stdout


def test_a_run_that_is_still_starting_is_not_left_behind(burn: Terminal, tmp_path: Path, rigwright: Any) -> None:
    log = tmp_path / "data/logs/runner.log"
    deadline = time.monotonic() + PATIENCE_S
    while not log.exists():  # it is opened just before the runner starts
        assert time.monotonic() < deadline
        time.sleep(0.005)
    burn.type(CTRL_C)
    code, shown = burn.wait()
    assert code == 4, shown
    assert rigwright("stop").returncode == 2
