"""The logs of the runner and its children: appended to, bounded, and read back for the last words of a process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import IO

from core.errors import EnvironmentProblem

LARGEST_BYTES = 1_000_000
"""A larger log is put aside when it is opened next; one older log is kept."""
_TAIL_BYTES = 4_000
APPENDED = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)
"""Never through a link: where several users share a folder, one could lead the log into another file."""


def open_log(path: Path) -> IO[bytes]:
    """A log to append to, in a folder that is made if missing. Raises EnvironmentProblem."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if path.is_file() and path.stat().st_size > LARGEST_BYTES:
            path.replace(path.with_suffix(".old.log"))
        return os.fdopen(os.open(path, APPENDED, 0o600), "ab")
    except OSError as error:
        raise EnvironmentProblem(
            f"The log {path} cannot be written: {error.strerror}. Free some space, or choose another --data-dir."
        ) from error


def last_line(path: Path, after: int) -> str:
    """The last line written to a log beyond its byte `after`, shortened; "" if there is none."""
    try:
        with path.open("rb") as stream:
            end = stream.seek(0, 2)
            stream.seek(max(after, end - _TAIL_BYTES))
            lines = stream.read().decode("utf-8", errors="replace").strip().splitlines()
    except OSError:
        return ""
    return lines[-1][:300] if lines else ""
