"""One question at a time that takes longer than a moment, answered beside the window; only the newest answer counts."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from threading import Event
from typing import Any

from PySide6.QtCore import QObject, Signal

from core.errors import RigwrightError
from gui.background import run_in_background

Work = Callable[[Event], Any]
"""Works in steps, and gives up with None once the event is set."""


class Study(QObject):
    """`answered(result)`, unless another question was asked meanwhile or nobody wants to know any more."""

    answered = Signal(object)
    failed = Signal(object)
    """A known error, which is a sentence; any other is a bug and raised."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._stop: Event | None = None

    @property
    def busy(self) -> bool:
        """Whether an answer is still to come."""
        return self._stop is not None

    def ask(self, work: Work) -> None:
        """Gives up the question before, and begins this one."""
        self.rest()
        stop = self._stop = Event()
        run_in_background(self, partial(work, stop), partial(self._take, stop), partial(self._fail, stop))

    def rest(self) -> None:
        """Gives up; a step that has begun comes to its end, and is forgotten."""
        if self._stop is not None:
            self._stop.set()
            self._stop = None

    def _take(self, stop: Event, result: Any) -> None:
        if stop is self._stop:
            self._stop = None
            self.answered.emit(result)

    def _fail(self, stop: Event, error: Exception) -> None:
        if stop is self._stop:
            self._stop = None
            if not isinstance(error, RigwrightError):
                raise error
            self.failed.emit(error)
