"""Files of the program's own: written whole or not at all, and kept aside where they cannot be read any more."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from itertools import count
from pathlib import Path

from core.platform.errors import EnvironmentProblem, reason_of
from core.words import tr

NEW_FILE = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
"""A name that nobody can foresee, and never a file or link that is there: in a folder of several users another one
could have put a link in its place."""


def write_whole(path: Path, content: bytes | Iterable[bytes], *, mode: int = 0o666) -> None:
    """Puts the content, or its parts, in the place of what lies at `path`; who may read it says `mode`.

    Raises OSError; an older file then stays as it was.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "is a folder", str(path))
    draft = path.with_name(f".{path.name[:40]}.{secrets.token_hex(8)}.draft")
    try:
        with os.fdopen(os.open(draft, NEW_FILE, mode), "wb") as stream:
            stream.writelines([content] if isinstance(content, bytes) else content)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError:
        # The draft may lie where even removing it fails: a folder that is no folder.
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def write_output(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Writes a file that the user asked for as `write_whole` does; ~ is the user's home.

    Raises EnvironmentProblem, whose sentence says why it could not be written.
    """
    try:
        write_whole(path.expanduser().absolute(), content)
    except OSError as error:
        raise EnvironmentProblem(
            tr("{path} could not be written: {reason}. Choose another place.", path=path, reason=reason_of(error))
        ) from error


SUFFIX = ".damaged"


def set_aside(path: Path, what: str, instead: str) -> str:
    """Renames the file to NAME.damaged, or NAME.damaged-2 where that is taken, and says so in a sentence.

    `what` it is begins the sentence, `instead` says what holds now, both without a full stop.
    """
    names = (path.with_name(f"{path.name}{SUFFIX}{f'-{number}' if number > 1 else ''}") for number in count(1))
    aside = next(name for name in names if not name.exists() and not name.is_symlink())
    try:
        path.rename(aside)
    except OSError as error:
        return tr(
            "{what} ({path}) cannot be read, and could not be set aside: {reason}. {instead}.",
            what=what,
            path=path,
            reason=reason_of(error),
            instead=instead,
        )
    return tr(
        "{what} ({path}) could not be read and was set aside as {aside}. {instead}.",
        what=what,
        path=path,
        aside=aside.name,
        instead=instead,
    )
