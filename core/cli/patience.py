"""Says on standard error what a command waits for while the devices of the machine take long to answer."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from core.cli.options import errors
from core.machine.telemetry.patience import TELL_AFTER_S, told_meanwhile, waiting_words, waits_for_driver


@contextmanager
def devices_awaited(*, after_s: float | None = None) -> Iterator[None]:
    """A line that counts the seconds on a terminal; one line, once, elsewhere."""
    for_driver = waits_for_driver()
    status = errors.status(waiting_words(0.0, for_driver=for_driver))
    lines: list[str] = []

    def tell(waited_s: float) -> None:
        lines.append(waiting_words(waited_s, for_driver=for_driver))
        if errors.is_terminal:
            status.update(lines[-1])
            status.start()
        elif len(lines) == 1:
            errors.print(lines[0])

    try:
        with told_meanwhile(tell, after_s=TELL_AFTER_S if after_s is None else after_s):
            yield
    finally:
        status.stop()
