"""The texts of a list of prices: its own, or those of the tables in a .zip, read without writing one to the disk."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

from core.errors import BadInput
from core.language import tr
from core.text_file import MAX_BYTES, encoding_of, read_bytes

_ENDINGS = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")
_MOST_FILES = 1000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError, OSError)
"""RuntimeError: encrypted; ValueError: a name that is no Unicode."""


def price_texts(path: Path) -> Iterator[tuple[str, str]]:
    """The name within the archive, empty for a file of its own, and the text. Raises BadInput."""
    content = read_bytes(path)
    if not content.startswith(b"PK\x03\x04"):
        yield "", _text(content)
        return
    try:
        yield from _members(path, content)
    except _DAMAGED as error:
        raise BadInput(
            tr("{path} cannot be unpacked. Unpack it yourself and name the file with the prices.", path=path)
        ) from error


def _members(path: Path, content: bytes) -> Iterator[tuple[str, str]]:
    left = MAX_BYTES
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        tables = [one for one in archive.infolist() if _is_table(one.filename)]
        if not tables:
            raise BadInput(tr("{path} holds no .csv, .json or .jsonl file.", path=path))
        for info in tables[:_MOST_FILES]:
            if info.compress_type not in _METHODS:
                raise zipfile.BadZipFile(info.filename)
            with archive.open(info) as member:
                read = member.read(left + 1)
            left -= len(read)
            if left < 0:
                raise BadInput(
                    tr("{path} is larger than {size} unpacked. Is it the right file?", path=path, size="64 MB")
                )
            yield info.filename, _text(read)


def _is_table(name: str) -> bool:
    """Not what a Mac adds to an archive beside each file."""
    return name.lower().endswith(_ENDINGS) and not name.startswith("__MACOSX/")


def _text(content: bytes) -> str:
    return content.decode(encoding_of(content), errors="replace").removeprefix("\ufeff")
