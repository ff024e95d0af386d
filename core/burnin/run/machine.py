"""This machine: its name, its current boot, its clocks, and which of its processes are a run's own."""

from __future__ import annotations

import json
import os
import platform
import signal
import subprocess
import time
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path

import psutil

from core.platform.processes import foreign_environment
from core.words import duration, tr

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_JOURNAL_WITHIN_S = 10.0
JUMP_S = 2.0
"""Time servers slew smaller differences, a few milliseconds in a second."""


def boot_id() -> str:
    """Changes with every start of the machine: a run that spans two was cut off by a reset."""
    return _BOOT_ID.read_text().strip() if _BOOT_ID.is_file() else f"boot-{psutil.boot_time():.0f}"


def boot_of(data_dir: Path, *, simulated: bool) -> str:
    """The boot to which a run belongs. That of simulated devices also changes with every simulated power cut."""
    return f"SIMULATED-{_power_cuts(data_dir)}-{boot_id()}" if simulated else boot_id()


def simulate_power_cut(data_dir: Path) -> None:
    """Ends this process at once and without a last word, as a power cut does; the next start is another boot.

    For simulated devices only: the machine itself goes on.
    """
    with _cuts_file(data_dir).open("w", encoding="ascii") as stream:
        stream.write(str(_power_cuts(data_dir) + 1))
        stream.flush()
        os.fsync(stream.fileno())
    os.kill(os.getpid(), getattr(signal, "SIGKILL", signal.SIGTERM))


def last_sign_of_life(boot: str) -> datetime | None:
    """When the system's journal was last written to in an earlier boot; None where there is none, or not for us.

    A machine that wrote on for minutes after a run's last record was not reset in it.
    """
    command = ["journalctl", f"--boot={boot.replace('-', '')}", "--lines=1", "--output=json", "--quiet"]
    try:
        journal = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=foreign_environment(),
            timeout=_JOURNAL_WITHIN_S,
            check=False,
        )
        entry = json.loads(journal.stdout)
        return datetime.fromtimestamp(int(entry["__REALTIME_TIMESTAMP"]) / 1e6, UTC)
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return None


def describe_machine() -> str:
    """Host name and operating system, as the report names the machine."""
    return f"{platform.node()} ({platform.system()} {platform.release()}, {platform.machine()})"


def _cuts_file(data_dir: Path) -> Path:
    return data_dir / "simulated-power-cuts"


def _power_cuts(data_dir: Path) -> int:
    try:
        return int(_cuts_file(data_dir).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0


def awake_and_asleep_s() -> float:
    """Since the boot, with the time that the machine was suspended for, s (clock_gettime(2), CLOCK_BOOTTIME)."""
    boot = getattr(time, "CLOCK_BOOTTIME", None)
    return time.monotonic() if boot is None else time.clock_gettime(boot)


class WallClock:
    """Compares the wall clock with the monotonic one; `boot_s` is a clock that goes on while the machine sleeps."""

    def __init__(
        self,
        wall_s: Callable[[], float] = time.time,
        monotonic_s: Callable[[], float] = time.monotonic,
        boot_s: Callable[[], float] = awake_and_asleep_s,
    ) -> None:
        self._wall_s = wall_s
        self._monotonic_s = monotonic_s
        self._boot_s = boot_s
        self._ahead_s = wall_s() - boot_s()
        self._slept_s = boot_s() - monotonic_s()

    def take_jump(self) -> str | None:
        """In a sentence by how much the clock was set since this was asked last; None where it was not."""
        ahead_s = self._wall_s() - self._boot_s()
        jump_s, self._ahead_s = ahead_s - self._ahead_s, ahead_s
        if abs(jump_s) < JUMP_S:
            return None
        by = duration(abs(jump_s))
        if jump_s > 0:
            return tr("The clock of the machine was set ahead by {time}. Times of the run are not affected.", time=by)
        return tr("The clock of the machine was set back by {time}. Times of the run are not affected.", time=by)

    def take_sleep_s(self) -> float | None:
        """For how long the machine was suspended since this was asked last; None where it was not."""
        slept_s = self._boot_s() - self._monotonic_s()
        sleep_s, self._slept_s = slept_s - self._slept_s, slept_s
        return sleep_s if sleep_s >= JUMP_S else None


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
