"""How long a test waits for what must come, before it says that it never will.

`PATIENCE_S` is no bound of the product: on a machine with much other work a process may take a minute to start. What
the product must do within seconds is measured by tests/benchmarks.
"""

from collections.abc import Callable
from time import monotonic, sleep
from typing import TypeVar

import psutil

T = TypeVar("T")
PATIENCE_S = 480.0


def wait_for(condition: Callable[[], T], what: str) -> T:
    """Waits until a condition gives something true, and returns it; fails where it never does."""
    deadline = monotonic() + PATIENCE_S
    while not (result := condition()):
        if monotonic() > deadline:
            raise AssertionError(f"waited {PATIENCE_S:.0f} s in vain for: {what}")
        sleep(0.02)
    return result


def gone(process: psutil.Process) -> bool:
    """Whether a process has ended; one that nobody has reaped yet has."""
    try:
        return not process.is_running() or process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


def given_time(job: Callable[[float], T], seconds: float, enough: Callable[[T], bool]) -> T:
    """What a job gives that runs for so many seconds; with twice as many, and so on, until they are enough for it."""
    while not enough(result := job(seconds)) and seconds < PATIENCE_S / 4:
        seconds *= 2
    return result
