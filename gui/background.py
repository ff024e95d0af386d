"""Runs slow work beside the window and hands the result back in the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QObject, QRunnable, QThreadPool, Signal, Slot
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from gui.widgets import messages

T = TypeVar("T")

_running: set[_Task] = set()
"""Keeps the Python side of each task alive until its result was delivered."""


def run_in_background(
    owner: QObject,
    work: Callable[[], T],
    done: Callable[[T], None],
    failed: Callable[[Exception], None] | None = None,
    pool: QThreadPool | None = None,
) -> None:
    """Calls `work` on a thread of the pool, then `done(result)` or `failed(error)` in the window's thread.

    Nothing is delivered once `owner` is gone. Without `failed` a known error is shown as its sentence, any other as
    a bug report. `work` must not touch widgets. Without `pool` it is the common one.
    """
    task = _Task(owner, work, done, failed)
    _running.add(task)
    (pool or QThreadPool.globalInstance()).start(task.runnable)


class _Task(QObject):
    """Lives in the window's thread; the runnable only computes and emits."""

    _finished = Signal(object, object)

    def __init__(
        self,
        owner: QObject,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None] | None,
    ) -> None:
        super().__init__()
        self._owner = owner
        self._work = work
        self._done = done
        self._failed = failed
        self._finished.connect(self._deliver)
        self.runnable = QRunnable.create(self._run)

    def _run(self) -> None:
        try:
            result = self._work()
        except Exception as error:  # noqa: BLE001 - it is shown in the window's thread
            self._finished.emit(None, error)
        else:
            self._finished.emit(result, None)

    @Slot(object, object)
    def _deliver(self, result: object, error: Exception | None) -> None:
        _running.discard(self)
        if not isValid(self._owner):
            return
        if error is None:
            self._done(result)  # type: ignore[arg-type]  # what `work` returned
        elif self._failed is not None:
            self._failed(error)
        else:
            messages.show_error(self._owner if isinstance(self._owner, QWidget) else None, error)
