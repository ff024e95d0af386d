"""Whether a window can open here: asks the libraries and the screen itself, because Qt aborts where it cannot."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass

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
NO_DISPLAY = "There is no display to open a window on (DISPLAY and WAYLAND_DISPLAY are not set)."


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
        return f"The display {display} (WAYLAND_DISPLAY) cannot be reached: XDG_RUNTIME_DIR is not set."
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
    return f"The display {display} ({variable}) cannot be reached: it does not run, or refuses this user."


def _lack(absent: list[str]) -> str:
    return f"The window needs {', '.join(absent)}, which this machine lacks: `make prepare` installs it or says how."
