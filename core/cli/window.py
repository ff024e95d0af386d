"""Opens the window in a process of its own; the core knows it by module name only."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from core.cli.options import errors
from core.cli.screen import Screen
from core.errors import ExitCode
from core.processes import own_python

FROM_THE_TERMINAL = (signal.SIGINT,)
UNCAUGHT = 1
"""Of a Python that ends by an exception; the window itself never ends with it."""
PASSED_ON = (signal.SIGTERM, signal.SIGHUP) if sys.platform != "win32" else ()


def open_window(place: Path, file: Path | None, screen: Screen) -> int:
    """Runs the window on a data folder until it is closed; returns its exit code."""
    command = own_python("-m", "gui", "--data-dir", str(place), *([str(file)] if file else []))
    platform = {"QT_QPA_PLATFORM": screen.platform} if screen.platform else {}
    with subprocess.Popen(command, env={**os.environ, **platform}) as window, _signals_go_to(window):
        code = window.wait()
    if code < 0:
        errors.print(
            f"The window ended by signal {-code} ({signal.strsignal(-code)}). Unsaved work is offered at the next one."
            " `rigwright doctor` examines this machine; every other command works without a window."
        )
        return ExitCode.ENVIRONMENT
    if code == UNCAUGHT:
        errors.print("The window could not go on; what it printed says why. `rigwright doctor` examines this machine.")
        return ExitCode.ENVIRONMENT
    return code


@contextmanager
def _signals_go_to(window: subprocess.Popen[bytes]) -> Iterator[None]:
    """The window decides how to end: it gets Ctrl-C from the terminal itself, the others from here."""

    def pass_on(number: int, _frame: FrameType | None) -> None:
        window.send_signal(number)

    def leave_to_it(_number: int, _frame: FrameType | None) -> None:
        """Nothing: waiting goes on until the window has put its work away."""

    before = {
        **{number: signal.signal(number, leave_to_it) for number in FROM_THE_TERMINAL},
        **{number: signal.signal(number, pass_on) for number in PASSED_ON},
    }
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
