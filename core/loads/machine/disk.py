"""A stream to a disk and back: written, made to reach the disk, read again and compared byte by byte."""

import errno
import os
import shutil
import tempfile
import time
from collections.abc import Generator, Iterator
from io import FileIO
from pathlib import Path

import numpy as np
import psutil

from core.loads.findings import Findings
from core.loads.load import FaultKind, StepReport
from core.loads.machine.contract import DiskEvidence
from core.loads.machine.processors import HostTask
from core.platform.errors import reason_of
from core.words import tr, trn

MIB = 2**20
PIECE_BYTES = 4 * MIB
SHIFT_BYTES = 4096 + 8
"""Each piece is the one before shifted by so much: one in another's place is not right."""
PIECES_APART = 7919
"""So far apart are the contents of one writing and the next: what was written before is not right."""
FIRST_BYTES = 16 * MIB
SHARE_OF_FREE = 10
NOT_THE_DISK = (errno.ENOSPC, errno.EDQUOT, errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOENT, errno.ENOTDIR)
"""Errors of a folder that was chosen badly."""
IN_MEMORY = frozenset({"tmpfs", "ramfs", "devtmpfs"})
ON_DISK = ("/var/tmp",)
"""Where temporary files lie on a disk although the system's usual folder lies in memory."""


class Disk(HostTask):
    """One file, written and read again and again. It has no name, so that it is gone with the process at the latest."""

    name = "disk"

    def __init__(self, folder: Path, size_bytes: int, findings: Findings, *, write_at_most: float, seed: int) -> None:
        super().__init__(findings)
        self.folder = folder
        self.written_bytes = self.read_bytes = 0
        self.write_s = self.read_s = 0.0
        self.rounds = 0
        self.file_bytes = 0
        self.unread = False
        """Whether the file was changed on purpose and has not been read since."""
        self._wanted_bytes = size_bytes
        self._write_at_most = write_at_most
        self._writings = 0
        drawn = np.random.default_rng(seed).bytes(PIECE_BYTES)
        self._twice = drawn + drawn
        """A piece shifted round by less than its length lies in here as it is."""

    def turns(self) -> Generator[StepReport, None, None]:
        """One piece a turn. A disk that gives an error is a fault; one that cannot be used is missing."""
        try:
            yield from self._rounds()
        except OSError as error:
            if error.errno in NOT_THE_DISK:
                fields = {"folder": self.folder, "reason": reason_of(error)}
                self.missing = tr("The disk of {folder} cannot be used: {reason}.", **fields)
                return
            fields = {"folder": self.folder, "reason": reason_of(error)}
            yield self.findings.wrong(tr("the disk of {folder}: {reason}", **fields), kind=FaultKind.ERROR)

    def evidence(self) -> DiskEvidence:
        """For the record."""
        return DiskEvidence(
            folder=str(self.folder),
            file_system=file_system(self.folder),
            file_bytes=self.file_bytes,
            rounds=self.rounds,
            written_bytes=self.written_bytes,
            read_bytes=self.read_bytes,
            write_gbps=_gbps(self.written_bytes, self.write_s),
            read_gbps=_gbps(self.read_bytes, self.read_s),
            cache_dropped=hasattr(os, "posix_fadvise"),
        )

    def _rounds(self) -> Iterator[StepReport]:
        """Small at first, so that little time suffices for a check; then the whole file."""
        if self._lacks_room():
            return
        with tempfile.TemporaryFile(prefix="rigwright-", dir=self.folder, buffering=0) as file:
            size = min(FIRST_BYTES, self.file_bytes)
            while True:
                if not self.rounds or self.written_bytes + size <= self._write_at_most:
                    yield from self._write(file, size)
                yield from self._read(file)
                self.rounds += 1
                size = min(4 * size, self.file_bytes)

    def _lacks_room(self) -> bool:
        if file_system(self.folder) in IN_MEMORY:
            self.missing = tr("The folder {folder} is in memory. Name one on a disk.", folder=self.folder)
            return True
        room = shutil.disk_usage(self.folder).free // SHARE_OF_FREE
        self.file_bytes = min(self._wanted_bytes, room) // PIECE_BYTES * PIECE_BYTES
        if self.file_bytes == 0:
            fields = {"folder": self.folder, "room": room // MIB}
            self.missing = tr("The disk of {folder} is too full: a tenth of the free space is {room} MiB.", **fields)
        return bool(self.missing)

    def _write(self, file: FileIO, size: int) -> Iterator[StepReport]:
        self._writings += 1
        file.seek(0)
        for place in range(size // PIECE_BYTES):
            started = time.perf_counter()
            _write_all(file, self._piece(place))
            os.fsync(file.fileno())
            self.write_s += time.perf_counter() - started
            self.written_bytes += PIECE_BYTES
            yield StepReport()
        file.truncate()
        self._inject(file, size)
        _forget(file)

    def _read(self, file: FileIO) -> Iterator[StepReport]:
        """All that was written last."""
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        for place in range(size // PIECE_BYTES):
            started = time.perf_counter()
            content = _read_all(file)
            self.read_s += time.perf_counter() - started
            self.read_bytes += len(content)
            yield self.findings.checked(difference(content, self._piece(place), place))
        self.unread = False
        _forget(file)

    def _piece(self, place: int) -> memoryview:
        shift = (place + self._writings * PIECES_APART) * SHIFT_BYTES % PIECE_BYTES
        return memoryview(self._twice)[shift : shift + PIECE_BYTES]

    def _inject(self, file: FileIO, size: int) -> None:
        """In the round of the drill, one bit in the middle of the file."""
        drill = self.findings.drill
        if not drill.due(self.rounds):
            return
        file.seek(size // 2)
        [byte] = file.read(1)
        file.seek(size // 2)
        file.write(bytes([byte ^ 2]))
        os.fsync(file.fileno())
        self.unread = True
        drill.strike(tr("byte {byte} of the file", byte=size // 2))


def difference(content: bytes, expected: memoryview, place: int) -> str | None:
    """How a piece that was read differs from the one that was written; None if it does not."""
    if content == expected:
        return None
    if len(content) != len(expected):
        fields = {"found": len(content), "expected": len(expected), "place": place}
        return tr("the disk gave {found} bytes instead of {expected} in piece {place}", **fields)
    wrong = np.flatnonzero(np.frombuffer(content, np.uint8) != np.frombuffer(expected, np.uint8))
    at = int(wrong[0])
    fields = {"count": len(wrong), "byte": place * PIECE_BYTES + at, "got": content[at], "right": expected[at]}
    return trn(
        "the disk gave {count} wrong byte (first at byte {byte}: {got:02x} instead of {right:02x})",
        "the disk gave {count} wrong bytes (first at byte {byte}: {got:02x} instead of {right:02x})",
        **fields,
    )


def file_system(folder: Path) -> str | None:
    """The type of the file system that a folder lies in; None where the system does not tell."""
    mounts = {Path(mount.mountpoint): mount.fstype for mount in psutil.disk_partitions(all=True)}
    for parent in (folder.resolve(), *folder.resolve().parents):
        if parent in mounts:
            return mounts[parent]
    return None


def folder_on_disk(named: str) -> Path:
    """The folder named, or one for temporary files that lies on a disk, as far as there is one."""
    if named:
        return Path(named)
    usual = Path(tempfile.gettempdir())
    if file_system(usual) in IN_MEMORY:
        return next((Path(other) for other in ON_DISK if Path(other).is_dir()), usual)
    return usual


def _write_all(file: FileIO, piece: memoryview) -> None:
    written = 0
    while written < len(piece):
        written += file.write(piece[written:])


def _read_all(file: FileIO) -> bytes:
    """A piece, or what there is of it."""
    parts = []
    left = PIECE_BYTES
    while left and (part := file.read(left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _forget(file: FileIO) -> None:
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _gbps(moved: int, seconds: float) -> float | None:
    return round(moved / seconds / 1e9, 3) if seconds > 0 else None
