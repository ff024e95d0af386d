"""Writes a file whole or not at all."""

from __future__ import annotations

import errno
import os
import secrets
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from core.platform.errors import EnvironmentProblem
from core.platform.os_reasons import reason_of
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
            tr(
                "{path} could not be written: {reason}. Nothing was changed; choose another place.",
                path=path,
                reason=reason_of(error),
            )
        ) from error
