"""Whether a window can open here, and opening it.

The libraries and the screen itself are asked first, because Qt aborts where it cannot open. The window is a process of
its own; the core knows it by module name only.
"""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from core.cli.options import errors
from core.platform.errors import ExitCode
from core.platform.processes import able_to_sign, own_environment, own_python
from core.words import tr

NEEDED_BY_QT = (
    "libglib-2.0.so.0",
    "libEGL.so.1",
    "libGL.so.1",
    "libdbus-1.so.3",
    "libfontconfig.so.1",
    "libxkbcommon.so.0",
)
NEEDED_ON_X11 = (
    "libxkbcommon-x11.so.0",
    "libxcb-cursor.so.0",
    "libxcb-icccm.so.4",
    "libxcb-keysyms.so.1",
    "libxcb-shape.so.0",
)
NEEDED_ON_WAYLAND = ("libwayland-cursor.so.0",)
NO_DISPLAY = tr("There is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set).")


@dataclass(frozen=True, slots=True)
class Screen:
    """Where the window can open: `platform` is Qt's name for it, empty for Qt's own choice.

    `problem` is a sentence that says why no window can open, None where one can.
    """

    platform: str = ""
    problem: str | None = None


def find_screen(environment: Mapping[str, str] = os.environ) -> Screen:
    """Tries the displays that the environment names, without loading Qt (a few milliseconds)."""
    if not sys.platform.startswith("linux"):
        return Screen()
    chosen = environment.get("QT_QPA_PLATFORM")
    x11, wayland = environment.get("DISPLAY"), environment.get("WAYLAND_DISPLAY")
    if not (chosen or x11 or wayland):
        return Screen(problem=NO_DISPLAY)
    if absent := missing_libraries(NEEDED_BY_QT):
        return Screen(problem=_lack(absent))
    if chosen:
        return Screen(chosen)
    problems = {"wayland": _wayland_problem(wayland), "xcb": _x11_problem(x11)}
    usable = [name for name, problem in problems.items() if problem is None]
    if not usable:
        return Screen(problem=" ".join(problem for problem in problems.values() if problem))
    return Screen(usable[0] if len(usable) == 1 else "")


def missing_libraries(names: tuple[str, ...]) -> list[str]:
    """Those that the system's loader cannot load."""
    return [name for name in names if _library(name) is None]


def _x11_problem(display: str | None) -> str | None:
    """None where the X server answers; "" where none is named."""
    if not display:
        return ""
    if absent := missing_libraries(NEEDED_ON_X11):
        return _lack(absent)
    xcb = _library("libxcb.so.1")
    if xcb is None:
        return _lack(["libxcb.so.1"])
    xcb.xcb_connect.restype = ctypes.c_void_p
    xcb.xcb_connect.argtypes = (ctypes.c_char_p, ctypes.c_void_p)
    xcb.xcb_connection_has_error.argtypes = (ctypes.c_void_p,)
    xcb.xcb_disconnect.argtypes = (ctypes.c_void_p,)
    connection = xcb.xcb_connect(display.encode(), None)
    refused = xcb.xcb_connection_has_error(connection) != 0
    xcb.xcb_disconnect(connection)
    return _unreachable(display, "DISPLAY") if refused else None


def _wayland_problem(display: str | None) -> str | None:
    """None where the Wayland compositor answers; "" where none is named."""
    if not display:
        return ""
    if absent := missing_libraries(NEEDED_ON_WAYLAND):
        return _lack(absent)
    if not (os.environ.get("XDG_RUNTIME_DIR") or display.startswith("/")):
        return tr(
            "The display {display} (WAYLAND_DISPLAY) cannot be reached: XDG_RUNTIME_DIR is not set.", display=display
        )
    wayland = _library("libwayland-client.so.0")
    if wayland is None:
        return _lack(["libwayland-client.so.0"])
    wayland.wl_display_connect.restype = ctypes.c_void_p
    wayland.wl_display_connect.argtypes = (ctypes.c_char_p,)
    wayland.wl_display_disconnect.argtypes = (ctypes.c_void_p,)
    connection = wayland.wl_display_connect(display.encode())
    if connection is None:
        return _unreachable(display, "WAYLAND_DISPLAY")
    wayland.wl_display_disconnect(connection)
    return None


def _library(name: str) -> ctypes.CDLL | None:
    try:
        return ctypes.CDLL(name)
    except OSError:
        return None


def _unreachable(display: str, variable: str) -> str:
    return tr(
        "The display {display} ({variable}) cannot be reached: it is not running, or refuses this user.",
        display=display,
        variable=variable,
    )


def _lack(absent: list[str]) -> str:
    return tr(
        "The window needs {libraries}, which this machine lacks: `make prepare` installs it or says how.",
        libraries=", ".join(absent),
    )


FROM_THE_TERMINAL = (signal.SIGINT,)
UNCAUGHT = 1
"""Of a Python that ends by an exception; the window itself never ends with it."""
PASSED_ON = (signal.SIGTERM, signal.SIGHUP) if sys.platform != "win32" else ()


def open_window(place: Path, file: Path | None, screen: Screen) -> int:
    """Runs the window on a data folder until it is closed; returns its exit code."""
    command = own_python("-m", "gui", "--data-dir", str(place), *([str(file)] if file else []))
    platform = {"QT_QPA_PLATFORM": screen.platform} if screen.platform else {}
    with subprocess.Popen(command, env=able_to_sign(own_environment()) | platform) as window, _signals_go_to(window):
        code = window.wait()
    if code < 0:
        errors.print(
            tr(
                "The window was ended by signal {number} ({signal}). Unsaved work is offered at the next "
                "start. `rigwright doctor` examines this machine; every other command works without a "
                "window.",
                number=-code,
                signal=signal.strsignal(-code),
            )
        )
        return ExitCode.ENVIRONMENT
    if code == UNCAUGHT:
        errors.print(
            tr(
                "The window could not continue; see its output for the reason. `rigwright doctor` "
                "examines this machine."
            )
        )
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
