"""Keeps a copy of unsaved work in the data folder, so that a crash or a power cut costs a second at most."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Slot

from core.build.file import dump_build
from core.damaged import set_aside
from core.errors import BadInput
from core.foreign import read_json
from core.language import tr
from core.os_reasons import reason_of
from core.text_file import read_text
from core.whole_file import write_whole
from gui.planner.document import PlanDocument

FILE, LATER = "unsaved.json", "unsaved-later.json"
PAUSE_MS = 700
MAX_BYTES = 48_000_000
"""A build file has at most 20 MB, and its quotes are escaped."""
log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class UnsavedWork:
    """A build as it stood when the program ended without saving."""

    text: str
    path: Path | None
    name: str


class Recovery(QObject):
    """Writes the copy a moment after each change, and removes it once the work is saved or given up."""

    def __init__(self, data_dir: Path, document: PlanDocument) -> None:
        super().__init__(document)
        self._path = data_dir / FILE
        self._later = data_dir / LATER
        self._found = self._path
        self._document = document
        self.damage = ""
        """What became of a copy that could not be read, in a sentence."""
        self._started = self._stopped = False
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.write)

    def start(self) -> None:
        """Follows the document from now on; what an earlier run left must have been taken before."""
        self._started = True
        self._document.changed.connect(self._pause.start)
        self._document.title_changed.connect(self._pause.start)
        self._pause.start()

    def left_behind(self) -> UnsavedWork | None:
        """What the last run could not save, or was put off; None if there is nothing."""
        self._found = self._path if self._path.exists() else self._later
        try:
            if not self._found.exists():
                return None
            stored = read_json(read_text(self._found, MAX_BYTES))
            text, path = stored["build"], stored["path"]
            return UnsavedWork(str(text), Path(path) if path else None, str(stored["name"]))
        except (BadInput, OSError, ValueError, KeyError, TypeError):
            self.damage = self.give_aside()
            return None

    def give_aside(self) -> str:
        """Keeps what `left_behind` found beside its place, where nothing overwrites it; says so in a sentence."""
        return set_aside(self._found, tr("The copy of unsaved work"), tr("The last saved build is unchanged"))

    def settle(self) -> None:
        """Removes what `left_behind` told of: it was taken up or given up."""
        self._found.unlink(missing_ok=True)

    def put_off(self) -> None:
        """Keeps it for the next start, out of the way of new work."""
        if self._found == self._path:
            self._path.replace(self._later)

    def forget(self) -> None:
        """Removes the copy."""
        self._pause.stop()
        self._path.unlink(missing_ok=True)

    def stop(self) -> None:
        """Ends for good: the window closes with the work saved or given up."""
        self._stopped = True
        self.forget()

    @Slot()
    def write(self) -> None:
        """Brings the copy up to date now. Before `start`, what is there is an earlier run's and stays."""
        if self._stopped:
            return
        if not self._document.dirty:
            if self._started:
                self.forget()
            return
        path = self._document.path
        stored = {
            "name": self._document.build.name,
            "path": str(path) if path else None,
            "build": dump_build(self._document.build),
        }
        try:
            write_whole(self._path, json.dumps(stored).encode())
        except OSError as error:
            log.warning("the recovery copy %s cannot be written: %s", self._path, reason_of(error))
