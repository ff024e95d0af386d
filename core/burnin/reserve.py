"""Room for last words: a small file that is given up when the disk is full, so that a run can still say why it ends."""

from __future__ import annotations

import os
from pathlib import Path

from core.errors import EnvironmentProblem
from core.whole_file import NEW_FILE

RESERVE_BYTES = 256 * 1024
"""An event and a status take some pages of 4 KiB, their sentence in the log another."""


class Reserve:
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
                f"{self._path.parent} has no room for a recording: {error.strerror}. Free some space and start again."
            ) from error

    def give_up(self) -> None:
        """Frees the room."""
        self._path.unlink(missing_ok=True)
