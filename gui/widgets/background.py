"""Runs slow work beside the window and hands the result back in the window's thread."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from PySide6.QtCore import QObject, QThreadPool, QTimer, Signal, Slot
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from gui.widgets import messages

T = TypeVar("T")
Work = Callable[[], Any]
Done = Callable[[Any], None]
Failed = Callable[[Exception], None]

_running: set[_Task] = set()
"""Begun and not delivered yet."""


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
    _delivery()
    task = _Task(owner, work, done, failed)
    _running.add(task)
    (start or QThreadPool.globalInstance().start)(task.run)


def call_later(owner: QObject, work: Callable[[], None], after_ms: int = 0) -> None:
    """Calls `work`, a method of `owner`, from the event loop, unless `owner` is gone by then.

    QTimer.singleShot with a receiver would do the same, but PySide 6.10 loses an error that leaves the method.
    """
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.timeout.connect(work)
    timer.timeout.connect(timer.deleteLater)
    timer.start(after_ms)


def pause(owner: QObject, work: Callable[[], None], after_ms: int) -> QTimer:
    """A timer that calls `work` once, so long after it was last started: of fast changes the last counts."""
    timer = QTimer(owner)
    timer.setSingleShot(True)
    timer.setInterval(after_ms)
    timer.timeout.connect(work)
    return timer


class _Task:
    """Work and whom it is for. All that it refers to is let go in the window's thread.

    A thread of the pool, or one that waits for its next work, may hold a task for long. If it then dropped the last
    reference to the owner, PySide would have the window's thread delete it between any two instructions of Python, also
    in the midst of one of the owner's own events: the window crashed.
    """

    def __init__(self, owner: QObject, work: Work, done: Done, failed: Failed | None) -> None:
        self._order: tuple[QObject, Work, Done, Failed | None] | None = (owner, work, done, failed)
        self._result: object = None
        self._error: Exception | None = None

    def run(self) -> None:
        """Works on the other thread."""
        assert self._order is not None
        try:
            self._result = self._order[1]()
        except Exception as error:  # noqa: BLE001 - it is shown in the window's thread
            self._error = error  # its traceback refers to the work: this thread no longer does when it is delivered
        _delivery().arrived.emit(self)

    def deliver(self) -> None:
        """In the window's thread; to an owner that is gone, nothing."""
        assert self._order is not None
        (owner, _, done, failed), result, error = self._order, self._result, self._error
        self._order = self._result = self._error = None
        if not isValid(owner):
            return
        if error is None:
            done(result)
        elif failed is not None:
            failed(error)
        else:
            messages.show_error(owner if isinstance(owner, QWidget) else None, error)


class _Delivery(QObject):
    """Brings tasks to the window's thread, in which it was made. It stays: threads may still be leaving `emit`.

    The pool is given a function and no QRunnable: it deletes the C++ side of one, and the Python side left behind is
    taken for whatever is made at its address next.
    """

    arrived = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self.arrived.connect(self._take)

    @Slot(object)
    def _take(self, task: _Task) -> None:
        _running.discard(task)
        task.deliver()


@cache
def _delivery() -> _Delivery:
    return _Delivery()
