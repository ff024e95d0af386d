"""What a command asks in the terminal, and what it says there while the devices take long to answer."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import typer

from core.cli.options import errors
from core.machine.telemetry.detect import TELL_AFTER_S, told_meanwhile, waiting_words, waits_for_driver
from core.platform.processes import PASSPHRASE_VARIABLE
from core.seal.keys import is_locked
from core.words import tr

LONG_S = 600.0
"""A run that has measured for longer is not stopped by a slip of the hand."""


def can_ask() -> bool:
    """Whether somebody sits before the terminal: neither a pipe nor a script."""
    streams = (sys.stdin, sys.stderr)
    return all(stream is not None and stream.isatty() for stream in streams)


def agrees(question: str) -> bool:
    """The answer on the terminal; anything but yes is no."""
    return typer.confirm(question, default=False, err=True)


def given_passphrase(data_dir: Path) -> str | None:
    """None where none is needed, or nobody can be asked; the environment is then looked at where it is used."""
    if PASSPHRASE_VARIABLE in os.environ or not is_locked(data_dir) or not sys.stdin or not sys.stdin.isatty():
        return None
    return str(typer.prompt(tr("Passphrase of the key"), hide_input=True, err=True))


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
