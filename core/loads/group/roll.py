"""Who of a group is there: a small file beside the meeting place for every rank, so that nobody waits for the dead.

Ranks of one group run on one machine, so that a process that has gone can be seen by its id.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

import psutil


@dataclass(frozen=True, slots=True)
class Entry:
    """One rank: its process, and why it has left if it has; `done` if in good order."""

    pid: int
    left: str = ""
    done: bool = False

    @property
    def gone(self) -> str:
        """Why nobody needs to wait for it any more; empty while it works or once it is done."""
        if self.done:
            return ""
        return self.left or ("" if _runs(self.pid) else f"its process {self.pid} is gone")


class Roll:
    """The entries of a group. Files are replaced whole, so that a reader never sees half of one."""

    def __init__(self, meeting: Path, size: int) -> None:
        self._meeting = meeting
        self._size = size

    def enter(self, rank: int, pid: int) -> None:
        """This rank has a process. Raises OSError where the file cannot be written."""
        self._write(rank, {"pid": pid, "left": "", "done": False})

    def leave(self, rank: int, reason: str, *, done: bool) -> None:
        """This rank has ended; who still waits for it reads why."""
        entry = self._read(rank)
        self._write(rank, {"pid": entry.pid if entry else 0, "left": reason, "done": done})

    def absent(self) -> list[int]:
        """Ranks that have never come."""
        return [rank for rank in range(self._size) if self._read(rank) is None]

    def gone(self) -> dict[int, str]:
        """Ranks that came and will do nothing any more, with the reason."""
        entries = {rank: entry for rank in range(self._size) if (entry := self._read(rank))}
        return {rank: entry.gone for rank, entry in entries.items() if entry.gone}

    def _write(self, rank: int, entry: dict[str, str | int | bool]) -> None:
        path = self._path(rank)
        draft = path.with_name(f"{path.name}.{os.getpid()}")
        draft.write_text(json.dumps(entry), encoding="utf-8")
        draft.replace(path)

    def _read(self, rank: int) -> Entry | None:
        try:
            return Entry(**json.loads(self._path(rank).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    def _path(self, rank: int) -> Path:
        return self._meeting.with_name(f"{self._meeting.name}.rank{rank}")


def _runs(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
