"""The files of a data set: a folder, a .zip or a .tar.xz, read without ever writing one to the disk.

Nothing is unpacked, so no path in an archive can lead anywhere; what is too large, too much or a link is refused.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import stat
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from io import FileIO
from pathlib import Path
from typing import NamedTuple

from core.platform.errors import BadInput, reason_of
from core.words import tr

FOLDER = "open-db"
MAX_FILE_BYTES = 256 * 1024
"""The largest file of the data set has 6 kB."""
MAX_FILES = 100_000
"""Files, and in an archive all its members, of whatever kind: an empty one costs time too. The data set has 30,000."""
MAX_BYTES = 384 * 1024**2
"""Of an archive, unpacked and with its headers: the data set has 120 MB."""
_ZIP_ENTRY = b"PK\x01\x02"
_MAX_DIRECTORY_BYTES = 64 * 1024**2
"""The list of contents of a zip, which is read at once."""
_MAX_MEMORY_BYTES = 100 * 1024**2
"""To unpack with. An xz names what its reader must set aside, up to 4 GB; the largest usual setting takes 65 MB."""
_CHUNK_BYTES = 64 * 1024
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2)
"""Those of a zip that need a few MB at most."""
_MEMBER = re.compile(rf"(?:^|/){FOLDER}/([A-Za-z]+)/([^/]+)\.json$")
_DAMAGED = (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError, NotImplementedError, ValueError)
"""ValueError: a name that is no Unicode, a number in a header that is none."""


class RawFile(NamedTuple):
    """One file of the data set, not yet looked into."""

    folder: str
    """The data set's category."""
    name: str
    """The file's name without ".json": the row's identity."""
    content: bytes
    refused: str = ""
    """Why it was not read, in words; then it has no content."""


def raw_files(path: Path) -> Iterator[RawFile]:
    """All files of the data set in a folder or archive, in the order of the medium.

    Raises BadInput when there is no such data set, when it is damaged, or larger than any such data set can be.
    """
    count = 0
    try:
        for file in _reader(path):
            count += 1
            _refuse_crowd(path, count)
            yield file
    except _DAMAGED as error:
        raise BadInput(
            tr(
                "{path} is damaged or not an archive of its kind ({reason}). Download it again; nothing was lost.",
                path=path,
                reason=error.args[0] if error.args else error,
            )
        ) from error
    except RuntimeError as error:  # zipfile: encrypted
        raise BadInput(
            tr("{path} cannot be unpacked: {reason}. Unpack it yourself and name the folder.", path=path, reason=error)
        ) from error
    except OSError as error:
        raise BadInput(tr("{path} cannot be read: {reason}.", path=path, reason=reason_of(error))) from error
    if not count:
        raise BadInput(
            tr(
                "{path} holds no BuildCores OpenDB: there is no folder {folder!r} with JSON files in "
                "it. Name the data set's own folder, or its .zip or .tar.xz.",
                path=path,
                folder=FOLDER,
            )
        )


def _reader(path: Path) -> Iterator[RawFile]:
    if path.is_dir():
        return _from_folder(path)
    if not path.is_file():
        raise BadInput(tr("{path} does not exist, or is neither a folder nor a file.", path=path))
    name = path.name.lower()
    if name.endswith(".zip"):
        return _from_zip(path)
    if name.endswith((".tar.xz", ".txz")):
        return _from_tar(path)
    raise BadInput(tr("{path} is neither a folder nor a .zip or .tar.xz.", path=path.name))


def _from_folder(path: Path) -> Iterator[RawFile]:
    root = path if path.name == FOLDER else path / FOLDER
    if not root.is_dir() or root.is_symlink():
        return
    for folder in sorted(root.iterdir()):
        if folder.is_dir() and not folder.is_symlink():
            yield from _from_category(folder)


def _from_category(folder: Path) -> Iterator[RawFile]:
    category = folder.name
    with os.scandir(folder) as entries:
        for entry in entries:
            name, _, ending = entry.name.rpartition(".")
            if ending != "json":
                continue
            if entry.is_file(follow_symlinks=False):
                with FileIO(entry.path) as file:
                    yield _bounded(category, name, file.read(MAX_FILE_BYTES + 1))
            else:
                yield RawFile(category, name, b"", tr("is a link or not a regular file; links are not followed"))


def _from_zip(path: Path) -> Iterator[RawFile]:
    read = 0
    with _Packed(path) as packed, zipfile.ZipFile(packed) as archive:
        for info in archive.infolist():
            match = _MEMBER.search(info.filename)
            if match is None:
                continue
            if stat.S_ISLNK(info.external_attr >> 16):
                yield RawFile(match[1], match[2], b"", tr("is a link; links are not followed"))
                continue
            if info.compress_type not in _METHODS:
                raise zipfile.BadZipFile(
                    tr("it is packed by method {method}; deflate is expected", method=info.compress_type)
                )
            with archive.open(info) as member:
                file = _bounded(match[1], match[2], member.read(MAX_FILE_BYTES + 1))
            read += len(file.content)
            _refuse_bomb(path, read)
            yield file


def _from_tar(path: Path) -> Iterator[RawFile]:
    count = 0
    with _Unpacked(path) as unpacked, _Tar.open(fileobj=unpacked, mode="r:") as archive:
        while (member := archive.next()) is not None:
            archive.members.clear()  # else all headers stay in memory
            count += 1
            _refuse_crowd(path, count)
            _refuse_bomb(path, member.offset_data + member.size)
            match = _MEMBER.search(member.name)
            if match is None:
                continue
            content = archive.extractfile(member) if member.isreg() else None
            if content is None:
                yield RawFile(match[1], match[2], b"", tr("is a link or not a regular file; links are not followed"))
            else:
                yield _bounded(match[1], match[2], content.read(MAX_FILE_BYTES + 1))


class _Tar(tarfile.TarFile):
    """Names the list of all headers read, which the standard library keeps."""

    members: list[tarfile.TarInfo]


class _Unpacked(io.BufferedIOBase):
    """An xz file, read from front to end, within the bound of memory.

    Never asked for more than a file at once: a header can claim a name of 10 GB.
    """

    def __init__(self, path: Path) -> None:
        self._packed = path.open("rb")
        self._xz = _xz()
        self._fed = b""
        self._place = 0

    def close(self) -> None:
        self._packed.close()
        super().close()

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Forward only, as a tar is read."""
        if whence != os.SEEK_SET or offset < self._place:
            raise tarfile.ReadError(tr("it points backwards"))
        while self._place < offset and self.read(min(offset - self._place, MAX_FILE_BYTES)):
            pass
        return self._place

    def read(self, size: int | None = -1) -> bytes:
        if size is None or not 0 <= size <= 2 * MAX_FILE_BYTES:
            raise tarfile.ReadError(tr("it asks for too much data at once"))
        content = bytearray()
        while len(content) < size and not self._at_end():
            content += self._xz.decompress(self._fed, size - len(content))
            self._fed = b""
        self._place += len(content)
        return bytes(content)

    def _at_end(self) -> bool:
        """Brings what the next step needs: more of the file, or the next of several streams in it."""
        if self._xz.eof:
            self._fed = self._xz.unused_data.lstrip(b"\0") or self._packed.read(_CHUNK_BYTES).lstrip(b"\0")
            if not self._fed:
                return True
            self._xz = _xz()
        elif self._xz.needs_input:
            self._fed = self._packed.read(_CHUNK_BYTES)
            if not self._fed:
                raise EOFError(tr("it is truncated"))
        return False


def _xz() -> lzma.LZMADecompressor:
    return lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MAX_MEMORY_BYTES)


class _Packed(FileIO):
    """A zip whose list of contents is weighed before it becomes objects: it may say another count than it has."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:  # the end of the file, where the list is looked for
            size = _MAX_DIRECTORY_BYTES
        if size > _MAX_DIRECTORY_BYTES:
            raise zipfile.BadZipFile(tr("it asks for too much data at once"))
        content = super().read(size)
        _refuse_crowd(Path(str(self.name)), content.count(_ZIP_ENTRY))
        return content


def _refuse_crowd(path: Path, count: int) -> None:
    if count > MAX_FILES:
        raise BadInput(
            tr(
                "{path} holds more than {most:,} files; no parts data set does. The rest was not read.",
                path=path,
                most=MAX_FILES,
            )
        )


def _refuse_bomb(path: Path, read: int) -> None:
    if read > MAX_BYTES:
        raise BadInput(
            tr(
                "{path} unpacks to more than {megabytes:,} MB; no parts data set does. The rest was not read.",
                path=path,
                megabytes=MAX_BYTES // 1024**2,
            )
        )


def _bounded(folder: str, name: str, content: bytes) -> RawFile:
    if len(content) > MAX_FILE_BYTES:
        return RawFile(folder, name, b"", tr("is larger than {kilobytes} kB", kilobytes=MAX_FILE_BYTES // 1024))
    return RawFile(folder, name, content)
