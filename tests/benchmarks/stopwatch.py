"""Times what must be prompt, on a machine that may stand still for a moment."""

import threading
import time

_TIMER_S = 0.01
_USUAL_S = 0.02
"""By so much a timer may fire late on any machine, and where other threads of the test compute."""


class Stopwatch:
    """Counts seconds of which this machine had time for its processes, from now until `seconds` is asked for.

    What must happen within a second cannot on a machine that stands still for two: a timer that should fire every 10 ms
    runs beside, and what it fires too late is taken off. For what other processes do: a test that computes itself would
    hold up the timer.
    """

    def __init__(self) -> None:
        self._begun_s, self._late_s = time.monotonic(), 0.0
        self._read = threading.Event()
        self._timer = threading.Thread(target=self._watch, name="stopwatch", daemon=True)
        self._timer.start()

    @property
    def seconds(self) -> float:
        """Since it was made; it stops by that."""
        lasted_s = time.monotonic() - self._begun_s
        self._read.set()
        self._timer.join()
        return lasted_s - self._late_s

    def _watch(self) -> None:
        due_s = time.monotonic() + _TIMER_S
        over = False
        while not over:
            # The end may come while everything stood still: that time counts as late, too.
            over = self._read.wait(max(due_s - time.monotonic(), 0))
            late_s = time.monotonic() - due_s
            self._late_s += late_s if late_s > _USUAL_S else 0.0
            due_s = time.monotonic() + _TIMER_S
