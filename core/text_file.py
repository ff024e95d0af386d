"""Reads a text file of somebody else: never more than a bound, and with a sentence for what cannot be read."""

from __future__ import annotations

from pathlib import Path

from core.errors import BadInput
from core.language import tr
from core.os_reasons import reason_of

MAX_BYTES = 64_000_000


def read_text(path: Path, max_bytes: int = MAX_BYTES) -> str:
    """The UTF-8 text of a file of at most so many bytes, with or without a byte order mark. Raises BadInput."""
    try:
        with path.open("rb") as stream:
            content = stream.read(max_bytes + 1)
    except OSError as error:
        raise BadInput(tr("{path} cannot be read: {reason}.", path=path, reason=reason_of(error))) from error
    if len(content) > max_bytes:
        raise BadInput(
            tr("{path} is larger than {megabytes:.0f} MB. Is it the right file?", path=path, megabytes=max_bytes / 1e6)
        )
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BadInput(tr("{path} cannot be read: it is not UTF-8 text. Save it as UTF-8.", path=path)) from error
