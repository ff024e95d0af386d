"""Lets Ctrl-C and a session's end reach Python while Qt's loop waits, without a timer that wakes the machine."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable

from PySide6.QtCore import QObject, QSocketNotifier, Slot

ENDING = (signal.SIGINT, signal.SIGTERM)


class SignalWatch(QObject):
    """Calls `leave` in the window's thread when the process is asked to end."""

    def __init__(self, leave: Callable[[], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._leave = leave
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._wake)
        signal.set_wakeup_fd(self._writer.fileno())
        for number in ENDING:
            signal.signal(number, self._caught)

    def close(self) -> None:
        """Gives the signals back."""
        for number in ENDING:
            signal.signal(number, signal.SIG_DFL)
        signal.set_wakeup_fd(-1)
        self._notifier.setEnabled(False)
        self._reader.close()
        self._writer.close()

    def _caught(self, _number: int, _frame: object) -> None:
        self._leave()

    @Slot()
    def _wake(self) -> None:
        self._reader.recv(16)  # Python runs the handler on the way here
