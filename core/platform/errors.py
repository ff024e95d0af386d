"""Errors that a person should read in one sentence, with an exit code; and the log of those that are bugs.

Why the operating system refused is said in the program's own words: the system's follow the language of the machine as
soon as a library asks for it (Qt does), so that half a sentence of ours would be French, and what a program looks for
in them would not be found.
"""

from __future__ import annotations

import errno
import os
import platform
import sys
import tempfile
import traceback
from contextlib import suppress
from datetime import UTC, datetime
from enum import IntEnum
from pathlib import Path

from core.version import __version__
from core.words import tr


class ExitCode(IntEnum):
    """What the command line ends with."""

    PASS = 0
    FAIL = 1
    USAGE = 2
    ENVIRONMENT = 3
    INCOMPLETE = 4


class RigwrightError(Exception):
    """Something the user can act on. The message says what happened, why, and what to do.

    Any other exception is a bug: one sentence names the log that holds its traceback.
    """

    exit_code = ExitCode.USAGE

    @property
    def sentence(self) -> str:
        """What it says."""
        return str(self)

    def __str__(self) -> str:
        """Still a message where it was made of one, so that each reader gets it in its own words and units."""
        return self.args[0] if len(self.args) == 1 and isinstance(self.args[0], str) else super().__str__()


class BadInput(RigwrightError):
    """A file, an id or an argument that cannot be used as it is."""


class EnvironmentProblem(RigwrightError):
    """This machine lacks something: a display, space, a driver, a free lock."""

    exit_code = ExitCode.ENVIRONMENT


_WORDS = {
    "ENOENT": tr("there is no such file or folder"),
    "EACCES": tr("permission denied"),
    "EPERM": tr("permission denied"),
    "EISDIR": tr("it is a folder"),
    "ENOTDIR": tr("part of its path is not a folder"),
    "EEXIST": tr("it already exists"),
    "ENOTEMPTY": tr("the folder is not empty"),
    "ENAMETOOLONG": tr("its name is too long"),
    "ELOOP": tr("its links form a loop"),
    "ENOSPC": tr("the disk is full"),
    "EDQUOT": tr("the disk quota is used up"),
    "EFBIG": tr("the file is too large"),
    "EROFS": tr("the disk is read-only"),
    "EIO": tr("input/output error"),
    "EINVAL": tr("the system does not accept that"),
    "EBUSY": tr("it is in use"),
    "ETXTBSY": tr("it is in use"),
    "EMFILE": tr("too many files are open"),
    "ENFILE": tr("too many files are open"),
    "ENOMEM": tr("there is not enough memory"),
    "EAGAIN": tr("the system is out of resources at the moment"),
    "EWOULDBLOCK": tr("the system is out of resources at the moment"),
    "ENOEXEC": tr("it is not a program for this system"),
    "ENODEV": tr("there is no such device"),
    "ENXIO": tr("there is no such device"),
    "EXDEV": tr("it is on another disk"),
    "ESTALE": tr("the network drive no longer has it"),
    "ETIMEDOUT": tr("there was no answer in time"),
    "ECONNREFUSED": tr("the connection was refused"),
    "EADDRINUSE": tr("the address is in use"),
    "EPIPE": tr("the other side closed the connection"),
    "ENOTSUP": tr("that is not supported there"),
    "EOPNOTSUPP": tr("that is not supported there"),
}
"""By the names of errno(3), since their numbers differ between systems."""


def reason_of(error: OSError) -> str:
    """What follows "cannot be read: " in a sentence, without a full stop.

    An error without words here is told by the name of its number, one without a number by its own text (a library made
    it, in English), else by its class.
    """
    if error.errno is None:
        return str(error).rstrip(".") or type(error).__name__
    name = errno.errorcode.get(error.errno, f"errno {error.errno}")
    return _WORDS.get(name) or tr("the system says {name}", name=name)


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
