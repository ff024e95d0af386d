"""Keeps a copy of unsaved work in the data folder, so that a crash or a power cut costs a second at most."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from core.plan.file import dump_build
from core.platform.errors import BadInput, reason_of
from core.platform.foreign import read_json, read_text
from core.platform.whole_file import set_aside, write_whole
from core.words import tr
from gui.planner.document import PlanDocument
from gui.widgets.background import pause

FILE, PUT_OFF = "unsaved.json", "unsaved-later"
"""The copy of the work that is open, and the beginning of the names of those that were put off."""
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
    copy: Path
    """The file that it is kept in."""
    changed_at: datetime
    """Local time of its last change."""
    digest: str | None = None
    """Of the build's file when the work on it began; None where that is not known."""


class Recovery(QObject):
    """Writes the copy a moment after each change, and removes it once the work is saved or given up."""

    failed = Signal(str)
    """The copy cannot be written, and why, in a sentence; once until it can be again."""

    def __init__(self, data_dir: Path, document: PlanDocument) -> None:
        super().__init__(document)
        self._folder = data_dir
        self._path = data_dir / FILE
        self._document = document
        self.damage = ""
        """What became of copies that could not be read, in sentences."""
        self._started = self._stopped = self._fails = False
        self._pause = pause(self, self._keep, PAUSE_MS)

    def start(self) -> None:
        """Follows the document from now on; what an earlier run left must have been taken or put off before."""
        self._started = True
        self._document.changed.connect(self._pause.start)
        self._document.title_changed.connect(self._pause.start)
        self._pause.start()

    def left_behind(self) -> list[UnsavedWork]:
        """What earlier runs could not save, the newest first. Copies that cannot be read are set aside."""
        copies = [path for path in (self._path, *self._folder.glob(f"{PUT_OFF}*.json")) if path.exists()]
        works = [work for path in copies if (work := self._read(path)) is not None]
        return sorted(works, key=lambda work: work.changed_at, reverse=True)

    def give_aside(self, copy: Path) -> None:
        """Keeps a copy that cannot be used beside its place, where nothing overwrites it."""
        sentence = set_aside(copy, tr("The copy of unsaved work"), tr("The last saved build is unchanged"))
        self.damage = f"{self.damage}\n{sentence}".strip()

    def settle(self, work: UnsavedWork) -> None:
        """Removes the copy of work that was given up."""
        work.copy.unlink(missing_ok=True)

    def take_up(self, work: UnsavedWork) -> None:
        """Opens the work. Its copy goes only once the open build has one. Raises BadInput."""
        self._document.recover(work.text, work.path, work.digest)
        if self.write() is None and work.copy != self._path:
            self.settle(work)

    def put_off(self, work: UnsavedWork) -> None:
        """Keeps it for the next start, under a number of its own, out of the way of new work."""
        if work.copy == self._path:
            names = (f"{PUT_OFF}{f'-{number}' if number > 1 else ''}.json" for number in count(1))
            work.copy.rename(next(path for name in names if not (path := self._folder / name).exists()))

    def forget(self) -> None:
        """Removes the copy of the open build."""
        self._pause.stop()
        self._path.unlink(missing_ok=True)

    def stop(self) -> None:
        """Ends for good: the window closes with the work saved or given up."""
        self._stopped = True
        self.forget()

    def write(self) -> str | None:
        """Brings the copy up to date now; why it cannot be written. Before `start`, an earlier run's copy stays."""
        if self._stopped:
            return None
        if not self._document.dirty:
            if self._started:
                self.forget()
            return None
        path = self._document.path
        stored = {
            "name": self._document.build.name,
            "path": str(path) if path else None,
            "digest": self._document.digest,
            "build": dump_build(self._document.build),
        }
        try:
            write_whole(self._path, json.dumps(stored).encode())
        except OSError as error:
            log.warning("the recovery copy %s cannot be written: %s", self._path, reason_of(error))
            return reason_of(error)
        return None

    @Slot()
    def _keep(self) -> None:
        """As `write`, and tells once where that fails: a crash would cost more than a second now."""
        reason = self.write()
        if reason is not None and not self._fails:
            self.failed.emit(
                tr(
                    "Unsaved work is not protected: its recovery copy {path} cannot be written ({reason}). Save often; "
                    "free some space or check the folder's permissions.",
                    path=self._path,
                    reason=reason,
                )
            )
        self._fails = reason is not None

    def _read(self, copy: Path) -> UnsavedWork | None:
        try:
            changed_at = datetime.fromtimestamp(copy.stat().st_mtime)
            stored = read_json(read_text(copy, MAX_BYTES))
            text, path, digest = str(stored["build"]), stored["path"], stored.get("digest")
            name = str(stored["name"])
            return UnsavedWork(text, Path(path) if path else None, name, copy, changed_at, digest and str(digest))
        except (BadInput, OSError, ValueError, KeyError, TypeError, AttributeError):
            self.give_aside(copy)
            return None
