"""Machine checks in the kernel's log: many lines tell of one error, and only the later ones say how grave it is."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Sequence

QUIET_S = 1.0
"""A block has ended when no line of it came for so long."""
MOST_LINES = 64
"""Of a block; a storm of errors is told in pieces."""
CORRECTED, UNCORRECTED = "correctable", "fatal"
"""How grave an error is, in the words of the `aer` and `mce` messages."""

_OPENING = re.compile(r"machine check events logged\s*$", re.IGNORECASE)
_MARK = re.compile(r"^.*?\[Hardware Error\]:\s*", re.IGNORECASE)
_UNCORRECTED = re.compile(
    r"uncorrect|machine check exception|deferred error|severity: *(?:fatal|recoverable)", re.IGNORECASE
)
_CORRECTED = re.compile(r"(?<!un)correct(?:ed|able)", re.IGNORECASE)
_BANK = re.compile(r"Bank \d+: (?P<status>[0-9a-f]{16})\b", re.IGNORECASE)
_VALID, _UC = 1 << 63, 1 << 61
"""Bits of IA32_MCi_STATUS: the register holds an error, and it was not corrected (Intel's manual, volume 3B)."""


def gravity(lines: Sequence[str]) -> str | None:
    """CORRECTED, UNCORRECTED, or None where no line of the block says it. The gravest line counts."""
    found = {told for line in lines if (told := _of_line(line)) is not None}
    return UNCORRECTED if UNCORRECTED in found else next(iter(found), None)


def told(lines: Sequence[str]) -> str:
    """The block in one text: each explaining line once; the opening line only where nothing explains it."""
    stripped = dict.fromkeys(_MARK.sub("", line).strip() for line in lines)
    explaining = [line for line in stripped if line and not _OPENING.search(line)]
    return "; ".join(explaining or stripped)


def _of_line(line: str) -> str | None:
    if match := _BANK.search(line):
        status = int(match["status"], 16)
        if status & _VALID:
            return UNCORRECTED if status & _UC else CORRECTED
    if _UNCORRECTED.search(line):
        return UNCORRECTED
    return CORRECTED if _CORRECTED.search(line) else None


class Gathering:
    """Gathers lines until none came for a while, then hands the block on. Safe to use from several threads."""

    def __init__(self, hand_on: Callable[[list[str]], None], *, quiet_s: float = QUIET_S) -> None:
        self._hand_on = hand_on
        self._quiet_s = quiet_s
        self._lines: list[str] = []
        self._timer: threading.Timer | None = None
        self._lock = threading.Lock()

    def add(self, line: str) -> None:
        """A line of the block that is open, or the first of a new one."""
        with self._lock:
            self._lines.append(line)
            full = len(self._lines) >= MOST_LINES
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(self._quiet_s, self.flush)
            self._timer.daemon = True
            self._timer.start()
        if full:
            self.flush()

    def flush(self) -> None:
        """Hands on what has been gathered so far."""
        with self._lock:
            lines, self._lines = self._lines, []
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
        if lines:
            self._hand_on(lines)
