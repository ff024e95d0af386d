"""Keeps the traceback of a bug in a file, so that what people read is one sentence."""

from __future__ import annotations

import os
import platform
import sys
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from core.version import __version__
from core.words import tr


def bug_sentence(error: BaseException, folder: Path) -> str:
    """Keeps the traceback in `folder`, or where temporary files lie, and says so; else the sentence ends with it."""
    kind = type(error).__name__
    path = _written(error, folder)
    if path is None:
        return tr(
            "This is a bug in Rigwright ({kind}), and no log could be written. Please report this:\n{trace}",
            kind=kind,
            trace=trace_of(error),
        )
    return tr(
        "This is a bug in Rigwright ({kind}). Please report it with the log {path}, which says where it happened.",
        kind=kind,
        path=path,
    )


def _written(error: BaseException, folder: Path) -> Path | None:
    now = datetime.now(tz=UTC)
    words = " ".join(map(ascii, sys.argv[1:]))
    head = (
        f"Rigwright {__version__}, Python {platform.python_version()}, {platform.platform()}\n{now:%c} UTC\n{words}\n"
    )
    for place in (folder, Path(tempfile.gettempdir())):
        with suppress(OSError):
            number, name = tempfile.mkstemp(".log", f"bug-{now:%Y%m%d-%H%M%S}-", place)
            with os.fdopen(number, "w", encoding="utf-8", errors="backslashreplace") as file:
                file.write(f"{head}\n{trace_of(error)}")
            return Path(name)
    return None


def trace_of(error: BaseException) -> str:
    """The traceback, with those of its causes."""
    return "".join(traceback.format_exception(error))
