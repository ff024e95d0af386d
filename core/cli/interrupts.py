"""Ctrl-C while a run is being started: it waits until the run can be stopped in order."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from core.cli.options import errors


class Interrupt:
    """Whether Ctrl-C came."""

    came = False


@contextmanager
def interrupt_waits() -> Iterator[Interrupt]:
    """Notes the first Ctrl-C, so that no run is left behind unseen; a second one is a KeyboardInterrupt."""
    interrupt = Interrupt()

    def note(number: int, frame: FrameType | None) -> None:
        if interrupt.came:
            signal.default_int_handler(number, frame)
        interrupt.came = True
        errors.print("Stopping as soon as the run is on record; press Ctrl-C again to leave at once.")

    before = signal.signal(signal.SIGINT, note)
    try:
        yield interrupt
    finally:
        signal.signal(signal.SIGINT, before)
