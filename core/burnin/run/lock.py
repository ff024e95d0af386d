"""Who burns what: one runner for each data folder, one for each device. The kernel frees the locks of the dead.

The lock of a folder is a file in it; who removes that file blinds nobody, because the process of the runner stands on
record, too. The lock of a device lies in the user's runtime folder, by its UUID, for all data folders.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import psutil
from filelock import FileLock, Timeout

from core.machine.telemetry.device import Device
from core.platform.errors import EnvironmentProblem, reason_of
from core.platform.paths import private_dir, runtime_dir
from core.words import tr

TAKE_WITHIN_S = 1.0
"""A runner waits so long, because `runner_alive` holds the lock for a moment too."""
PROBE_FOR_S, PROBE_EVERY_S = 0.02, 0.01
"""And `runner_alive` asks twice, because another viewer may ask at the same moment."""
PRIVATE = 0o600
"""No other user may open a lock: whoever can open it can hold it."""
ALREADY_RUNNING = tr(
    "A burn-in is already running on this machine with this data folder. Watch it with: "
    "{rigwright watch}; stop it with: {rigwright stop}."
)
WORKER = "core.loads.worker"


def runner_lock(data_dir: Path) -> FileLock:
    """The lock of this data folder, not yet taken."""
    return FileLock(data_dir / "runner.lock", mode=PRIVATE)


def take_runner_lock(data_dir: Path) -> FileLock:
    """Holds the lock for the life of this process. Raises EnvironmentProblem if a run is going on."""
    lock = runner_lock(data_dir)
    if not _acquired(lock, TAKE_WITHIN_S):
        raise EnvironmentProblem(ALREADY_RUNNING)
    return lock


def runner_alive(data_dir: Path) -> bool:
    """Whether some process holds the lock now. Raises EnvironmentProblem where the folder cannot be used."""
    lock = runner_lock(data_dir)
    if not _acquired(lock, PROBE_FOR_S):
        return True
    lock.release()
    return False


def take_device_locks(devices: Iterable[Device]) -> list[FileLock]:
    """Holds each device for the life of this process; simulated ones belong to nobody.

    Raises EnvironmentProblem if another run loads one of them, of this user in any data folder or of another user.
    """
    taken: list[FileLock] = []
    for device in devices:
        if device.simulated:
            continue
        lock = FileLock(private_dir(runtime_dir() / "devices") / f"{_file_name(device.id)}.lock", mode=PRIVATE)
        other = next(_others_workers(device.id), None)
        if other is None and _acquired(lock, TAKE_WITHIN_S):
            taken.append(lock)
            continue
        for held in taken:
            held.release()
        if other:
            fields = {"device": device.title, "process": other}
            raise EnvironmentProblem(
                tr("{device} is being burned in by another run ({process}). Wait for it, or stop it.", **fields)
            )
        raise EnvironmentProblem(
            tr(
                "{device} is being burned in by another run with another data folder. Wait for it, or stop it.",
                device=device.title,
            )
        )
    return taken


def _others_workers(device_id: str) -> Iterator[str]:
    """Workers of other users on this device, whose locks cannot be seen from here."""
    own = psutil.Process().username()
    for process in psutil.process_iter(["cmdline", "username"]):
        words, user = process.info["cmdline"] or [], process.info["username"]
        if user != own and WORKER in words and device_id in words:
            yield tr("process {pid} of {user}", pid=process.pid, user=user)


def _file_name(device_id: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]", "_", device_id)


def _acquired(lock: FileLock, within_s: float) -> bool:
    try:
        lock.acquire(timeout=within_s, poll_interval=PROBE_EVERY_S)
    except Timeout:
        return False
    except OSError as error:
        fields = {"file": lock.lock_file, "reason": reason_of(error)}
        raise EnvironmentProblem(
            tr("{file} cannot be used: {reason}. Check its permissions or choose another {--data-dir}.", **fields)
        ) from error
    return True
