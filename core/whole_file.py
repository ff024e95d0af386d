"""Writes a file whole or not at all."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def write_whole(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Puts the content, or its parts, in the place of what lies at `path`.

    Raises OSError; an older file then stays as it was.
    """
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    draft = path.with_name(f".{path.name[:40]}.{os.getpid()}.draft")
    try:
        with draft.open("wb") as stream:
            stream.writelines([content] if isinstance(content, bytes) else content)
            stream.flush()
            os.fsync(stream.fileno())
        draft.replace(path)
    except OSError:
        # The draft may lie where even removing it fails: a folder that is no folder.
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
