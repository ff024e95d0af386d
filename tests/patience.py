"""How long a test waits for what must come, before it says that it never will; and how it times what must be prompt.

`PATIENCE_S` is no bound of the product: on a machine with much other work a process may take a minute to start. What
the product must do within seconds is asserted with those seconds.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
PATIENCE_S = 120.0
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


def given_time(job: Callable[[float], T], seconds: float, enough: Callable[[T], bool]) -> T:
    """What a job gives that runs for so many seconds; with twice as many, and so on, until they are enough for it."""
    while not enough(found := job(seconds)) and seconds < PATIENCE_S / 4:
        seconds *= 2
    return found
