"""Standard streams as they come: closed, or in an encoding that lacks most letters."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper


def prepare_streams() -> None:
    """Makes writing to them safe; to be called before anything is opened.

    A closed one (`>&-`) leads nowhere: otherwise the next file would take its number, and what is printed would end up
    in a database. A letter that the encoding lacks is written as its escape.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.set_inheritable(os.open(os.devnull, os.O_RDWR), True)  # takes the lowest number that is free
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
