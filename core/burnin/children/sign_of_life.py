"""The runner's sign of life to its workers: their loads end by themselves some seconds after the last one.

It comes from a thread, so that a slow disk or a long judgement does not end healthy loads. The thread falls silent with
the process, when that is frozen, swapped out or killed, and when the supervision has not turned for as long as the
profile lets loads run unwatched.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable

from core.burnin.children.child import Child
from core.protocol import ALIVE_EVERY_S


class SignOfLife:
    """`children` are those that hear it; `turned_s` tells when the supervision turned last (monotonic clock)."""

    def __init__(
        self, children: Callable[[], Iterable[Child]], turned_s: Callable[[], float], *, unwatched_s: float
    ) -> None:
        self._children = children
        self._turned_s = turned_s
        self._unwatched_s = unwatched_s
        self._ended = threading.Event()
        self._longest_s = 0.0
        self._last_s = time.monotonic()
        self._noting = threading.Lock()

    def start(self) -> None:
        """Begins, until `end`."""
        self._last_s = time.monotonic()
        threading.Thread(target=self._go, name="sign of life", daemon=True).start()

    def end(self) -> None:
        """No more signs."""
        self._ended.set()

    def take_longest_s(self) -> float:
        """The longest time without a sign since this was asked last: long where the whole process stood still.

        The time that just ends counts, too: whoever asks may have woken before the thread that gives the signs.
        """
        with self._noting:
            self._note()
            longest, self._longest_s = self._longest_s, 0.0
        return longest

    def _note(self) -> float:
        now_s = time.monotonic()
        self._longest_s = max(self._longest_s, now_s - self._last_s)
        self._last_s = now_s
        return now_s

    def _go(self) -> None:
        while not self._ended.wait(ALIVE_EVERY_S):
            with self._noting:
                now_s = self._note()
            if now_s - self._turned_s() < self._unwatched_s:
                for child in self._children():
                    child.beat()
