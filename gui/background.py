"""Runs slow work beside the window and hands the result back in the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from PySide6.QtCore import QCoreApplication, QObject, QThreadPool, QTimer, Signal, Slot
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
    start: Callable[[Callable[[], None]], None] | None = None,
) -> None:
    """Calls `work` on a thread of the pool, then `done(result)` or `failed(error)` in the window's thread.

    Nothing is delivered once `owner` is gone. Without `failed` a known error is shown as its sentence, any other as
    a bug report. `work` must not touch widgets. `start` begins a function elsewhere than on the common pool.
    """
    task = _Task(owner, work, done, failed)
    _running.add(task)
    (start or QThreadPool.globalInstance().start)(task.run)


def soon(owner: QObject, work: Callable[[], None], after_ms: int = 0) -> None:
    """Calls `work`, a method of `owner`, from the event loop, unless `owner` is gone by then.

    QTimer.singleShot with a receiver would do the same, but PySide 6.10 loses an error that leaves the method.
    """
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.timeout.connect(work)
    timer.timeout.connect(timer.deleteLater)
    timer.start(after_ms)


class _Task(QObject):
    """Lives in the window's thread; what runs elsewhere only computes and emits.

    The pool is given a function and no QRunnable: it deletes the C++ side of one, and the Python side left behind is
    taken for whatever is made at its address next. The application is the parent, so that the last reference, which
    the other thread may hold, does not delete the object there.
    """

    _finished = Signal(object, object)

    def __init__(
        self,
        owner: QObject,
        work: Callable[[], T],
        done: Callable[[T], None],
        failed: Callable[[Exception], None] | None,
    ) -> None:
        super().__init__(QCoreApplication.instance())
        self._owner = owner
        self._work = work
        self._done = done
        self._failed = failed
        self._finished.connect(self._deliver)

    def run(self) -> None:
        """Works on the other thread."""
        try:
            result = self._work()
        except Exception as error:  # noqa: BLE001 - it is shown in the window's thread
            self._finished.emit(None, error)
        else:
            self._finished.emit(result, None)

    @Slot(object, object)
    def _deliver(self, result: object, error: Exception | None) -> None:
        _running.discard(self)
        self.deleteLater()
        if not isValid(self._owner):
            return
        if error is None:
            self._done(result)  # type: ignore[arg-type]  # what `work` returned
        elif self._failed is not None:
            self._failed(error)
        else:
            messages.show_error(self._owner if isinstance(self._owner, QWidget) else None, error)
