"""Opens the two SQLite databases: write-ahead log, migrations with a backup first, newer files refused."""

from __future__ import annotations

import errno
import importlib
import os
import shutil
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from filelock import FileLock, Timeout

from core.platform.errors import EnvironmentProblem, reason_of
from core.words import plain, tr

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations

__all__ = [
    "Database",
    "DatabaseLocked",
    "Migrations",
    "copy_database",
    "explained",
    "one_at_a_time",
    "open_database",
    "set_patience",
    "writing",
]

BUSY_TIMEOUT_MS = 5000
MIGRATION_TIMEOUT_S = 60.0
ROOM_BYTES = 64 * 1024
"""What SQLite needs beside a database to open it; a disk with less is full."""


def __getattr__(name: str) -> Any:
    """`Database` and `Migrations` of sqlite-utils, loaded when first needed: not before the window is painted."""
    if name not in ("Database", "Migrations"):
        raise AttributeError(name)
    if "sqlite_utils" not in sys.modules:
        _load_without_pandas()
    return getattr(importlib.import_module("sqlite_utils"), name)


def _load_without_pandas() -> None:
    """Where pandas is installed, sqlite-utils loads it for types of columns that are not used here: 0.3 s a process."""
    hidden = "pandas" not in sys.modules
    if hidden:
        sys.modules["pandas"] = None  # type: ignore[assignment]  # so that importing it fails
    try:
        importlib.import_module("sqlite_utils")
    finally:
        if hidden:
            del sys.modules["pandas"]


class DatabaseLocked(EnvironmentProblem):
    """Another program holds the database. Nothing was written; it can be tried again."""


def open_database(path: Path, migrations: Migrations) -> Database:
    """A connection to a database at the newest schema of this program.

    Where nothing can be written (a read-only medium, a full disk) it is a connection for reading alone.

    Raises EnvironmentProblem when the file is damaged, locked or newer than the program, or cannot even be read.
    """
    with explained(path):
        try:
            return _opened(path, migrations)
        except (sqlite3.OperationalError, OSError) as error:
            if not (path.is_file() and _is_unwritable(error)):
                raise
            return _opened_for_reading(path, migrations)


def _opened(path: Path, migrations: Migrations) -> Database:
    _make_private(path)
    db: Database = __getattr__("Database")(path)
    try:
        set_patience(db, BUSY_TIMEOUT_MS / 1000)
        db.execute("PRAGMA foreign_keys = on")
        # A burn-in may cut the power: what was committed lies on the disk, for one flush a second.
        db.execute("PRAGMA synchronous = full")
        if _is_behind(db, migrations, path):
            _migrate(db, migrations, path)
    except BaseException:
        db.close()
        raise
    return db


def _opened_for_reading(path: Path, migrations: Migrations) -> Database:
    """The file as it lies there: nobody can write to it, and SQLite must not try to share it with anybody.

    What still lies in the write-ahead log would be left out so: where there is something, the file is not opened.
    """
    log = path.with_name(f"{path.name}-wal")
    if log.is_file() and log.stat().st_size:
        raise EnvironmentProblem(
            tr(
                "{path} cannot be opened for reading alone: its newest entries are in {log}. Copy its folder to a disk "
                "with free space, and name the copy with {--data-dir}.",
                path=path,
                log=log.name,
            )
        )
    db: Database = __getattr__("Database")(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro&immutable=1", uri=True))
    try:
        if _is_behind(db, migrations, path):
            raise EnvironmentProblem(
                tr(
                    "{path} was written by an older Rigwright and cannot be upgraded where it is. Copy its folder to a "
                    "disk that can be written, and name the copy with {--data-dir}.",
                    path=path,
                )
            )
    except BaseException:
        db.close()
        raise
    return db


def _is_unwritable(error: Exception) -> bool:
    if isinstance(error, OSError):
        return error.errno in (errno.EROFS, errno.EACCES, errno.EPERM, errno.ENOSPC, errno.EDQUOT)
    unwritable = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_FULL)
    return _code(error) in unwritable


def set_patience(db: Database, seconds: float) -> None:
    """How long a write waits for its turn."""
    db.execute(f"PRAGMA busy_timeout = {seconds * 1000:.0f}")


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns SQLite's errors about the file into a sentence for the user; a wrong call of ours stays an error."""
    try:
        yield
    except sqlite3.ProgrammingError:
        raise
    except (sqlite3.DatabaseError, OSError) as error:
        kind = DatabaseLocked if _code(error) == sqlite3.SQLITE_BUSY else EnvironmentProblem
        raise kind(plain("{path}: {reason}", path=path, reason=_sentence(error, path))) from error


@contextmanager
def writing(db: Database, path: Path) -> Iterator[None]:
    """A transaction that takes its turn at once, or waits for it; within another, a part of it. Errors are explained.

    A transaction that begins by reading (a full-text table reads its settings by itself) cannot wait: it fails with
    "locked" as soon as another process has written meanwhile.
    """
    with explained(path):
        if db.conn.in_transaction:
            with db.atomic():
                yield
            return
        db.execute("BEGIN IMMEDIATE")
        try:
            yield
            db.execute("COMMIT")
        except BaseException:
            db.rollback()
            raise


def _make_private(path: Path) -> None:
    """For its owner alone: a build or a run is nobody else's, and who can open a file can hold its locks.

    SQLite gives the files beside it the same rights.
    """
    with suppress(FileExistsError):
        # A file that is there is never opened here: closing it would drop all locks that this process holds on it.
        os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600))
    if sys.platform != "win32" and path.stat().st_mode & 0o077 and path.stat().st_uid == os.getuid():
        path.chmod(0o600)


def _code(error: Exception) -> int:
    """Of SQLite, 0 for another error. Extended codes hold the plain one in their last byte."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _sentence(error: Exception, path: Path) -> str:
    if isinstance(error, FileNotFoundError):
        return tr("it cannot be opened for writing: its folder does not exist. Make it or choose another {--data-dir}.")
    if isinstance(error, OSError):
        if error.errno == errno.ENOSPC:
            return _disk_full()
        reason = reason_of(error)
        if isinstance(error, PermissionError):
            return _unwritable(reason)
        return tr("the database could not be used: {reason}.", reason=reason)
    text = str(error)
    match text:
        case _ if "not a database" in text or "malformed" in text:
            return tr(
                "the file is damaged ({reason}). Move it away to start a new one; nothing was changed.", reason=text
            )
        case _ if "full" in text:
            return _disk_full()
        case _ if "disk I/O error" in text:
            return _io_error(path)
        case _ if "locked" in text:
            return tr("another program holds the database. Close it and try again.")
        case _ if "readonly" in text or "unable to open" in text:
            return _unwritable(text)
        case _:
            return tr("the database could not be used: {reason}.", reason=text)


def _disk_full() -> str:
    return tr("the disk is full. Free some space; what was recorded before is kept.")


def _io_error(path: Path) -> str:
    """SQLite says the same of a disk that is full where it needs room for what it shares, and of one that breaks."""
    try:
        free = shutil.disk_usage(path.parent).free
    except OSError:
        free = ROOM_BYTES
    if free < ROOM_BYTES:
        return _disk_full()
    return tr("its disk gave an error. Check the disk and its cable, and the kernel's log.")


def _unwritable(reason: str) -> str:
    return tr(
        "it cannot be opened for writing ({reason}). Check its permissions or choose another {--data-dir}.",
        reason=reason,
    )


def _is_behind(db: Database, migrations: Migrations, path: Path) -> bool:
    """Whether migrations are due. Raises EnvironmentProblem for a file that knows steps we do not."""
    names = {migration.name for migration in migrations._migrations}
    applied = [step.name for step in migrations.applied(db)]
    newer = [name for name in applied if name not in names]
    if newer:
        raise EnvironmentProblem(
            tr(
                "{path} was written by a newer Rigwright ({step}). Update the program, or choose another folder with "
                "{--data-dir}. The file was not changed.",
                path=path,
                step=newer[-1],
            )
        )
    return len(applied) < len(names)


@contextmanager
def one_at_a_time(path: Path) -> Iterator[None]:
    """For work on a whole database that takes seconds: other processes that want to do the same wait their turn.

    They wait longer than SQLite does for a transaction, and look then whether anything is left to do.
    """
    try:
        with FileLock(path.with_name(f"{path.name}.lock"), timeout=MIGRATION_TIMEOUT_S, mode=0o600):
            yield
    except Timeout as error:
        raise EnvironmentProblem(
            tr(
                "Another Rigwright has been upgrading {path} for more than {seconds:.0f} s. Wait for it "
                "or close it, then try again.",
                path=path,
                seconds=MIGRATION_TIMEOUT_S,
            )
        ) from error


def _migrate(db: Database, migrations: Migrations, path: Path) -> None:
    """Upgrades the file, one process at a time.

    SQLite's own lock is not enough: two processes that both found the file empty would both create its tables, and the
    switch to the write-ahead log does not wait for its turn.
    """
    with one_at_a_time(path):
        if not _is_behind(db, migrations, path):
            return
        if migrations.applied(db):
            copy_database(db, path.with_suffix(".before-upgrade.sqlite"))
        db.enable_wal()
        migrations.apply(db)


def copy_database(db: Database, path: Path) -> None:
    """The database as it is now, whole or not at all, whoever writes to it meanwhile."""
    draft = path.with_suffix(".draft")
    draft.unlink(missing_ok=True)
    copy = sqlite3.connect(draft)
    try:
        db.conn.backup(copy)
    finally:
        copy.close()
    draft.replace(path)
