"""One runner per data folder: the lock that a living runner holds and the kernel releases when it dies."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from core.errors import EnvironmentProblem


def runner_lock(data_dir: Path) -> FileLock:
    """The lock of this data folder, not yet taken."""
    return FileLock(data_dir / "runner.lock")


def take_runner_lock(data_dir: Path) -> FileLock:
    """Holds the lock for the life of this process. Raises EnvironmentProblem if a run is going on.

    Waits a moment, because `runner_alive` touches the lock too.
    """
    lock = runner_lock(data_dir)
    try:
        lock.acquire(timeout=1.0)
    except Timeout as error:
        raise EnvironmentProblem(
            "A burn-in is already running on this machine with this data folder. "
            "Watch it with: rigwright watch; stop it with: rigwright stop."
        ) from error
    return lock


def runner_alive(data_dir: Path) -> bool:
    """Whether some process is recording a run now."""
    lock = runner_lock(data_dir)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False
