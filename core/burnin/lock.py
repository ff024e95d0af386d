"""One runner per data folder: the lock that a living runner holds and the kernel releases when it dies."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from core.errors import EnvironmentProblem

TAKE_WITHIN_S = 1.0
"""A runner waits so long, because `runner_alive` holds the lock for a moment too."""
PROBE_FOR_S, PROBE_EVERY_S = 0.02, 0.01
"""And `runner_alive` asks twice, because another viewer may ask at the same moment."""


def runner_lock(data_dir: Path) -> FileLock:
    """The lock of this data folder, not yet taken."""
    return FileLock(data_dir / "runner.lock")


def take_runner_lock(data_dir: Path) -> FileLock:
    """Holds the lock for the life of this process. Raises EnvironmentProblem if a run is going on."""
    lock = runner_lock(data_dir)
    if not _acquired(lock, TAKE_WITHIN_S):
        raise EnvironmentProblem(
            "A burn-in is already running on this machine with this data folder. "
            "Watch it with: rigwright watch; stop it with: rigwright stop."
        )
    return lock


def runner_alive(data_dir: Path) -> bool:
    """Whether some process is recording a run now. Raises EnvironmentProblem where the folder cannot be used."""
    lock = runner_lock(data_dir)
    if not _acquired(lock, PROBE_FOR_S):
        return True
    lock.release()
    return False


def _acquired(lock: FileLock, within_s: float) -> bool:
    try:
        lock.acquire(timeout=within_s, poll_interval=PROBE_EVERY_S)
    except Timeout:
        return False
    except OSError as error:
        raise EnvironmentProblem(
            f"{lock.lock_file} cannot be used: {error.strerror}. Check its permissions or choose another --data-dir."
        ) from error
    return True
