"""Whether a process that the kernel's log names is one of a run's own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

SELF = Path("/proc/self")
_FIRST_NAMESPACE = "pid:[4026531836]"
"""Of the processes that the kernel counts as it logs them (PROC_PID_INIT_INO); a container has numbers of its own."""
_OUR_NAMES = ("python", "pt_", "rigwright")
"""How the names of our processes begin: the interpreter, what torch calls its threads, the command."""


def is_of_run(pid: int, program: str, own: Iterable[int], root: Path = SELF) -> bool:
    """By its number; in a container, where numbers are others than in the kernel's log, by its name."""
    if pid in {os.getpid(), *own}:
        return True
    return not _numbers_are_the_kernels(root) and program.startswith(_OUR_NAMES)


def _numbers_are_the_kernels(root: Path) -> bool:
    try:
        return str((root / "ns" / "pid").readlink()) == _FIRST_NAMESPACE
    except OSError:
        return False
