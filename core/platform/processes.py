"""Processes of this machine: how ours are started, and what the kernel tells of others.

A process id is used again after its owner has gone. With its start time it names one process for good.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path

from core.platform.search_path import in_full
from core.words.catalog import VARIABLE as LANGUAGE

PASSPHRASE_VARIABLE = "RIGWRIGHT_SEAL_PASSPHRASE"
"""Holds the passphrase of the installation's key: for processes that sign, and never for one that runs others' code."""


def own_python(*arguments: str) -> list[str]:
    """The command of a process of this program: a module and its arguments.

    In safe-path mode (-P): `python -m` would look for modules in the folder that it is started in first, and run
    whatever lies there under the name of one of ours.
    """
    return [sys.executable, "-P", *arguments]


def own_environment() -> dict[str, str]:
    """The environment of a process of this program that signs nothing: no passphrase, no code of the current folder."""
    return {name: value for name, value in in_full(dict(os.environ)).items() if name != PASSPHRASE_VARIABLE}


def english_environment() -> dict[str, str]:
    """The same of one whose sentences are recorded: it speaks English everywhere."""
    return own_environment() | {LANGUAGE: "en"}


def able_to_sign(environment: dict[str, str]) -> dict[str, str]:
    """The environment of a process that seals runs or reports: with the passphrase of the key, if there is one."""
    passphrase = os.environ.get(PASSPHRASE_VARIABLE)
    return environment if passphrase is None else environment | {PASSPHRASE_VARIABLE: passphrase}


def foreign_environment() -> dict[str, str]:
    """The environment of a program that is not ours, and whose output we read: it answers in English everywhere."""
    environment = {name: value for name, value in own_environment().items() if name != "LANGUAGE"}
    return environment | {"LC_ALL": "C"}


_STOPPED = ("T", "t", "stopped", "tracing-stop")
_GONE = ("Z", "X", "x", "zombie", "dead")
"""As Linux writes them, and as psutil does."""


@dataclass(frozen=True, slots=True)
class ProcessMark:
    """One process for good. `started` is in clock ticks since the boot on Linux, where no wall clock moves it."""

    pid: int
    started: str


def mark_of(pid: int) -> ProcessMark | None:
    """The process that has this id now; None if there is none, or it has ended."""
    state, started = _state_and_start(pid)
    return ProcessMark(pid, started) if state and state not in _GONE else None


def is_alive(mark: ProcessMark) -> bool:
    """Whether that very process still runs, however slowly."""
    return mark_of(mark.pid) == mark


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal (SIGSTOP, job control, a debugger) and runs no further."""
    return _state_and_start(pid)[0] in _STOPPED


if sys.platform == "linux":

    def _state_and_start(pid: int) -> tuple[str, str]:
        """From /proc/PID/stat (proc(5)): the state after the name, and the start time, field 22; empty if gone."""
        try:
            text = Path(f"/proc/{pid}/stat").read_text("utf-8", errors="replace")
        except OSError:
            return "", ""
        fields = text.rpartition(")")[2].split()
        return fields[0], fields[19]

else:

    def _state_and_start(pid: int) -> tuple[str, str]:
        """Empty if gone."""
        import psutil

        try:
            process = psutil.Process(pid)
            return process.status(), repr(process.create_time())
        except psutil.Error:
            return "", ""
