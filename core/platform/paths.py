"""Where things lie: shipped assets, the user's data folder, and a folder for locks and sockets of this user alone."""

from __future__ import annotations

import os
import stat
import sys
import tempfile
from pathlib import Path
from tempfile import TemporaryFile

import platformdirs

from core.platform.errors import EnvironmentProblem, reason_of
from core.words import tr

ASSETS = Path(__file__).resolve().parents[2] / "assets"


def usual_data_dir(chosen: Path | None = None) -> Path:
    """The data folder, whether it can be used or not: `chosen`, else the platform's place for user data."""
    return (chosen or Path(platformdirs.user_data_dir("rigwright"))).expanduser().absolute()


def data_dir(chosen: Path | None = None) -> Path:
    """The folder of databases and run logs, made for its owner alone if missing.

    `chosen` comes from `--data-dir`; otherwise the platform's place for user data.
    Raises EnvironmentProblem when it cannot be made or written.
    """
    folder = usual_data_dir(chosen)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)  # what was chosen may be shared on purpose
        if folder == usual_data_dir() and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
        with TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise EnvironmentProblem(
            tr(
                "The data folder {folder} cannot be used: {reason}. Choose another with {--data-dir}.",
                folder=folder,
                reason=reason_of(error),
            )
        ) from error
    return folder


def recordings_dir(chosen: Path | None = None) -> Path:
    """The data folder to read from, which may lie on a read-only medium or a full disk; made if missing.

    Raises EnvironmentProblem when it cannot be made.
    """
    folder = usual_data_dir(chosen)
    return folder if folder.is_dir() else data_dir(chosen)


MAX_SOCKET_BYTES = 103
"""Of a socket's path: macOS takes no more, Linux four more."""


def runtime_dir() -> Path:
    """Made if missing, for its owner alone: in XDG_RUNTIME_DIR, else in the user's state folder, by the boot.

    Never in a folder that all users share: there another user could make it first. Raises EnvironmentProblem.
    """
    configured = os.environ.get("XDG_RUNTIME_DIR")
    if configured and _is_own(Path(configured)):
        return private_dir(Path(configured) / "rigwright")
    return private_dir(Path(platformdirs.user_state_dir("rigwright")) / f"runtime-{_boot_id()}")


def socket_path(name: str) -> Path:
    """Where the socket of this name lies: in the runtime folder, where its path is not too long for the system.

    Else in a folder of this user's alone among the temporary files. Raises EnvironmentProblem where that is another's,
    or too long as well.
    """
    path = runtime_dir() / name
    if len(os.fsencode(path)) > MAX_SOCKET_BYTES:
        path = private_dir(Path(tempfile.gettempdir()) / f"rigwright-{os.getuid()}-{_boot_id()}") / name
    if len(os.fsencode(path)) > MAX_SOCKET_BYTES:
        raise EnvironmentProblem(
            tr(
                "{path} is too long for a socket: {most} bytes at most. Set XDG_RUNTIME_DIR or TMPDIR to "
                "a folder of your own with a shorter path.",
                path=path,
                most=MAX_SOCKET_BYTES,
            )
        )
    return path


def private_dir(folder: Path) -> Path:
    """The folder, made for its owner alone (0700) where it is missing. Raises EnvironmentProblem if it is another's."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_own(folder):
            raise EnvironmentProblem(
                tr("{folder} belongs to another user, or is a link. Remove it and start again.", folder=folder)
            )
        if sys.platform != "win32":
            _close_to_others(folder)
    except OSError as error:
        raise EnvironmentProblem(
            tr("{folder} cannot be used: {reason}. Check its permissions.", folder=folder, reason=reason_of(error))
        ) from error
    return folder


def _close_to_others(folder: Path) -> None:
    """Of the folder itself: nobody can put another one, or a link, in its place in the meantime. Raises OSError."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        status = os.fstat(handle)
        if status.st_uid == os.getuid() and status.st_mode & 0o077:
            os.fchmod(handle, 0o700)
    finally:
        os.close(handle)


def _is_own(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(status.st_mode):
        return False
    return sys.platform == "win32" or status.st_uid == os.getuid()


def _boot_id() -> str:
    """So that a home on a network does not carry the locks of one machine to another, or over a restart."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()[:8]
    except OSError:
        return "here"
