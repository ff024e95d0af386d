"""A bug in a slot, in a paint event or in work beside the window: kept in a log, said once, and the window goes on."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QApplication

from core.platform.errors import bug_sentence, trace_of
from core.words import joined, tr
from gui.widgets import messages

MOST_LOGS = 20
"""In one session: a bug in a timer must not fill the disk."""


class Bugs(QObject):
    """Takes what no code of the window caught, on whichever thread, from `install` on.

    `keep_work` writes the recovery copy. The same bug, told by its place, is logged and said once. The dialog opens
    from the event loop, since what failed may be a paint event, and one at a time.
    """

    _met = Signal(object)

    def __init__(self, folder: Path, keep_work: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._folder = folder
        self._keep_work = keep_work
        self._logged: set[tuple[str, str]] = set()
        self._showing = False
        self._met.connect(self._report, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Errors that leave a slot or a thread come here from now on."""
        sys.excepthook = self.take
        threading.excepthook = self._take_from_thread

    def take(self, kind: type[BaseException], error: BaseException | None, _trace: TracebackType | None = None) -> None:
        """The hook of the interpreter; an end that was asked for is none of ours."""
        if error is None or not issubclass(kind, Exception):
            QApplication.quit()
            return
        self._met.emit(error)

    def _take_from_thread(self, caught: threading.ExceptHookArgs) -> None:
        self.take(caught.exc_type, caught.exc_value, caught.exc_traceback)

    @Slot(object)
    def _report(self, error: Exception) -> None:
        bug = _place(error)
        if bug in self._logged or len(self._logged) >= MOST_LOGS:
            return
        self._logged.add(bug)
        sentence = bug_sentence(error, self._folder)
        try:
            self._keep_work()
        except Exception as second:  # noqa: BLE001 - what went wrong may be the work itself
            lost = tr("Unsaved work could not be kept ({error}): save it now.", error=type(second).__name__)
            sentence = joined([sentence, lost])
        sys.stderr.write(f"{sentence}\n")
        if self._showing:
            return
        self._showing = True
        messages.report_bug(QApplication.activeWindow(), sentence, f"{sentence}\n\n{trace_of(error)}")
        self._showing = False


def _place(error: Exception) -> tuple[str, str]:
    """What the same bug has in common each time: its kind, and where it was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return type(error).__name__, f"{frames[-1].filename}:{frames[-1].lineno}" if frames else ""
