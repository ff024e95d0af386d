"""Reads a text file of somebody else: never more than a bound, and with a sentence for what cannot be read."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadInput

MAX_BYTES = 64 * 1024**2


def read_text(path: Path) -> str:
    """The UTF-8 text of a file of at most 64 MB, with or without a byte order mark. Raises BadInput."""
    try:
        with path.open("rb") as stream:
            content = stream.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}.") from error
    if len(content) > MAX_BYTES:
        raise BadInput(f"{path} is larger than {MAX_BYTES // 1024**2} MB. Is it the right file?")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} cannot be read: it is not UTF-8 text. Save it as UTF-8.") from error
