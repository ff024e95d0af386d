"""What is said while the devices take long to answer: without persistence mode the driver wakes card by card."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from core.words import tr

TELL_AFTER_S = 5.0
TELL_EVERY_S = 1.0
DRIVER = Path("/proc/driver/nvidia")
"""There where the kernel has loaded the NVIDIA driver."""


def waits_for_driver(driver: Path = DRIVER) -> bool:
    """Whether it is the NVIDIA driver that may take so long, as far as this process can tell without asking it."""
    return driver.exists()


def waiting_words(waited_s: float, *, for_driver: bool) -> str:
    """A sentence for somebody who waits."""
    if for_driver:
        return tr(
            "Waiting for the NVIDIA driver… {waited_s:.0f} s; without persistence mode up to two minutes.",
            waited_s=waited_s,
        )
    return tr("Waiting for the devices to be listed… {waited_s:.0f} s.", waited_s=waited_s)


@contextmanager
def told_meanwhile(
    tell: Callable[[float], None], *, after_s: float = TELL_AFTER_S, every_s: float = TELL_EVERY_S
) -> Iterator[None]:
    """Calls `tell` from another thread with the seconds that have passed, from `after_s` on, until the block ends."""
    over = threading.Event()
    began_s = time.monotonic()

    def go() -> None:
        wait_s = after_s
        while not over.wait(wait_s):
            tell(time.monotonic() - began_s)
            wait_s = every_s

    teller = threading.Thread(target=go, name="told meanwhile", daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
