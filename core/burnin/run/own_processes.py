"""Whether a process that the kernel's log names is one of a run's own."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

import psutil

SELF = Path("/proc/self")
_FIRST_NAMESPACE = "pid:[4026531836]"
"""Of the processes that the kernel counts as it logs them (PROC_PID_INIT_INO); a container has numbers of its own."""
_OUR_NAMES = ("python", "pt_", "rigwright")
"""How the names of our processes begin: the interpreter, what torch calls its threads, the command."""


def is_of_run(pid: int, program: str, own: Iterable[int], root: Path = SELF) -> bool:
    """By its number or those of its parents: a worker starts ranks of its own.

    Of a process that is gone, and in a container, where numbers are others than in the kernel's log, by its name:
    rather is another's taken for ours than a fault of a card for another's.
    """
    ours = {os.getpid(), *own}
    if pid in ours:
        return True
    parents = _parents(pid) if _numbers_are_the_kernels(root) else None
    if parents is None:
        return not program or program.startswith(_OUR_NAMES)
    return not ours.isdisjoint(parents)


def _parents(pid: int) -> set[int] | None:
    try:
        return {process.pid for process in psutil.Process(pid).parents()}
    except (psutil.Error, OverflowError):
        return None


def _numbers_are_the_kernels(root: Path) -> bool:
    try:
        return str((root / "ns" / "pid").readlink()) == _FIRST_NAMESPACE
    except OSError:
        return False
