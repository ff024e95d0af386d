"""The texts of lists of prices: of a file, of all in a folder, of the tables in a .zip, none of which is unpacked."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from core.parts.price_columns import day_in
from core.platform.errors import BadInput, reason_of
from core.platform.foreign import MAX_BYTES, encoding_of, read_bytes
from core.words import tr

_TABLES = (".csv", ".tsv", ".txt", ".json", ".jsonl", ".ndjson")
_MOST_FILES = 1000
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, RuntimeError, OSError)
"""RuntimeError: encrypted; ValueError: a name that is no Unicode."""


@dataclass(frozen=True, slots=True)
class PriceText:
    """One list of prices."""

    file: str
    """Its name within the folder or archive; empty where it is all that there is."""
    text: str
    day: date
    """As its name or the names of its folders say, else on which it was written: its prices are no newer."""


@dataclass(frozen=True, slots=True)
class RefusedFile:
    """A file of a folder that is no list of prices."""

    file: str
    reason: str


def price_texts(path: Path, today: date) -> Iterator[PriceText | RefusedFile]:
    """The lists of a file or of a folder, in the order of their names. Raises BadInput where there is none at all."""
    if not path.is_dir():
        yield from _of_file(path, "", today)
        return
    files = _files(path)
    if not files:
        raise BadInput(tr("{path} holds no .csv, .json or .jsonl file.", path=path))
    if len(files) > _MOST_FILES:
        raise BadInput(
            tr("{path} holds more than {count} lists of prices. Name a folder within it.", path=path, count=_MOST_FILES)
        )
    for file in files:
        name = file.relative_to(path).as_posix()
        try:
            yield from _of_file(file, name, today)
        except BadInput as error:
            yield RefusedFile(name, error.args[0])


def _files(folder: Path) -> list[Path]:
    """Those of the folder and its folders; nothing that a link leads to, nothing hidden."""

    def refuse(error: OSError) -> None:
        raise BadInput(tr("{path} cannot be read: {reason}.", path=folder, reason=reason_of(error))) from error

    inside = []
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        files = (Path(place, name) for name in names if not name.startswith("."))
        inside += [file for file in files if file.suffix.lower() in (*_TABLES, ".zip") and not file.is_symlink()]
    return sorted(inside)


def _of_file(path: Path, name: str, today: date) -> Iterator[PriceText]:
    content = read_bytes(path)
    written = today
    with suppress(OSError, ValueError, OverflowError):  # gone meanwhile, or a time that no calendar has
        written = min(today, date.fromtimestamp(path.stat().st_mtime))
    day = day_in(f"{path.parent.name}/{name or path.name}", today) or written
    if not content.startswith(b"PK\x03\x04"):
        yield PriceText(name, _text(content), day)
        return
    try:
        for member, text in _members(path, content):
            inner = f"{name}, {member}" if name else member
            yield PriceText(inner, text, day_in(member, today) or day)
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
    return name.lower().endswith(_TABLES) and not name.startswith("__MACOSX/")


def _text(content: bytes) -> str:
    return content.decode(encoding_of(content), errors="replace").removeprefix("\ufeff")
