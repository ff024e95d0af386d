"""What concerns the whole machine: room on the disk and in its memory, and room for last words on a full disk."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import psutil

from core.burnin.guards.limit import GuardLimit
from core.burnin.profile.profile import Guards
from core.errors import EnvironmentProblem
from core.language import tr
from core.os_reasons import reason_of
from core.whole_file import NEW_FILE

RESERVE_BYTES = 256 * 1024
"""An event and a status take some pages of 4 KiB, their sentence in the log another."""


def disk_breach(folder: Path, guards: Guards) -> str | None:
    """A sentence when the recording would soon have no room."""
    free_mb = shutil.disk_usage(folder).free / 1e6
    if free_mb >= guards.free_disk_mb:
        return None
    return tr(
        "The disk of {folder} is nearly full: {free_mb:.0f} MB left, {free_disk_mb:.0f} MB "
        "required. Free some space and start again.",
        folder=folder,
        free_mb=free_mb,
        free_disk_mb=guards.free_disk_mb,
    )


class MemoryGuard:
    """Breached when the host's memory stays nearly full: the system would end processes at random, the runner too."""

    def __init__(self, guards: Guards) -> None:
        self._limit = GuardLimit(guards.free_memory_mb, guards.free_memory_for_s, above=False)

    def breach(self, now_s: float, free_mb: float | None = None) -> str | None:
        """A sentence when all loads must stop; `free_mb` is read from the system unless given."""
        free_mb = psutil.virtual_memory().available / 1e6 if free_mb is None else free_mb
        lasted_s = self._limit.lasted_s(now_s, free_mb)
        if lasted_s is None:
            return None
        return tr(
            "The machine's memory was nearly full for {lasted_s:.0f} s: {free_mb:.0f} MB left, "
            "{bound:.0f} MB required. All loads were stopped. Close other programs and start again.",
            lasted_s=lasted_s,
            free_mb=free_mb,
            bound=self._limit.bound,
        )


class DiskReserve:
    """The file of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "reserve"

    def take(self) -> None:
        """Occupies the room. Raises EnvironmentProblem when there is none."""
        try:
            if self._path.is_symlink() or not self._path.is_file() or self._path.stat().st_size < RESERVE_BYTES:
                self._path.unlink(missing_ok=True)  # never written through a link that somebody has put there
                with os.fdopen(os.open(self._path, NEW_FILE, 0o600), "wb") as stream:
                    stream.write(os.urandom(RESERVE_BYTES))  # zeros take no room where the disk compresses
        except OSError as error:
            self.give_up()
            raise EnvironmentProblem(
                tr(
                    "{folder} has no room for a recording: {reason}. Free some space and start again.",
                    folder=self._path.parent,
                    reason=reason_of(error),
                )
            ) from error

    def give_up(self) -> None:
        """Frees the room."""
        self._path.unlink(missing_ok=True)
