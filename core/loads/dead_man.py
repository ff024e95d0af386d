"""The dead-man's switch of a load: it ends by itself when the process that supervises it gives no sign of life.

A runner that was killed closes the line, which ends the process at once. One that is frozen, swapped out or stuck keeps
the line open: nothing guards the device then, and its load must end all the same.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

WITHIN_S = 5.0
"""Of silence: a load ends with its process that has not stopped by then. A profile whose guards have less patience with
a device makes it less."""
LEAST_WITHIN_S = 2.0
"""The signs of life of a sound supervisor may come a second apart on a busy machine."""
STOP_SHARE = 0.8
"""Of that time: the load is stopped in good order then, so that what it has found is kept."""
EXIT_CODE = 75
"""Of a process that the switch ended."""
_LOOK_EVERY_S = 0.1
STOOD_STILL_S = 0.4
"""Between two looks: this process did not run, however long the supervisor has been silent. A standstill that is not
excused and the time until the next sign must leave much of the time: the supervisor may wake late."""


def excused(silent_s: float, since_s: float, before_s: float) -> float:
    """How much of a silence counts for nothing, `since_s` after the last look, at which it was `before_s`.

    That is while this process itself stood still: signs of life may wait to be read, and where the whole machine stood
    still the supervisor has only just woken, too. A sign that came just before the standstill leaves all of it excused.
    """
    known_s = 0.0 if silent_s < since_s else before_s
    return min(known_s + since_s, silent_s) if since_s > STOOD_STILL_S else known_s


class DeadMan:
    """Ends this process when `silent_s` reaches `within_s` while the switch is armed (used as a context)."""

    def __init__(
        self,
        silent_s: Callable[[], float],
        within_s: float = WITHIN_S,
        *,
        end: Callable[[], None] = lambda: os._exit(EXIT_CODE),
    ) -> None:
        self._silent_s = silent_s
        self._within_s = within_s
        self._end = end
        self._disarmed = threading.Event()
        self.stops = False
        """Whether the load shall stop in good order now."""

    def __enter__(self) -> DeadMan:
        threading.Thread(target=self._look, name="dead-man's switch", daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._disarmed.set()

    def _look(self) -> None:
        looked_s, excused_s = time.monotonic(), 0.0
        while not self._disarmed.wait(_LOOK_EVERY_S):
            silent_s, now_s = self._silent_s(), time.monotonic()
            since_s, looked_s = now_s - looked_s, now_s
            excused_s = excused(silent_s, since_s, excused_s)
            silent_s -= excused_s
            self.stops = self.stops or silent_s >= STOP_SHARE * self._within_s
            if silent_s >= self._within_s:
                self._end()
                return
