"""Whether somebody sets the clock of the machine, or suspends it, while a run goes on.

Times and durations of a run are of the monotonic clock, which neither can move; its stamps are of the wall clock. That
one was set shall stand beside them.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from core.words import duration

JUMP_S = 2.0
"""Time servers slew smaller differences, a few milliseconds in a second."""


def awake_and_asleep_s() -> float:
    """Since the boot, with the time that the machine was suspended for, s (clock_gettime(2), CLOCK_BOOTTIME)."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class WallClock:
    """Compares the wall clock with the monotonic one; `boot_s` is a clock that goes on while the machine sleeps."""

    def __init__(
        self,
        wall_s: Callable[[], float] = time.time,
        monotonic_s: Callable[[], float] = time.monotonic,
        boot_s: Callable[[], float] = awake_and_asleep_s,
    ) -> None:
        self._wall_s = wall_s
        self._monotonic_s = monotonic_s
        self._boot_s = boot_s
        self._ahead_s = wall_s() - boot_s()
        self._slept_s = boot_s() - monotonic_s()

    def take_jump(self) -> str | None:
        """In a sentence by how much the clock was set since this was asked last; None where it was not."""
        ahead_s = self._wall_s() - self._boot_s()
        jump_s, self._ahead_s = ahead_s - self._ahead_s, ahead_s
        if abs(jump_s) < JUMP_S:
            return None
        way = "ahead" if jump_s > 0 else "back"
        return f"The clock of the machine was set {way} by {duration(abs(jump_s))}. Times of the run are not affected."

    def take_sleep_s(self) -> float | None:
        """For how long the machine was suspended since this was asked last; None where it was not."""
        slept_s = self._boot_s() - self._monotonic_s()
        sleep_s, self._slept_s = slept_s - self._slept_s, slept_s
        return sleep_s if sleep_s >= JUMP_S else None
