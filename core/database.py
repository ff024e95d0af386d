"""Opens the two SQLite databases: write-ahead log, migrations with a backup first, newer files refused."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlite_utils import Database, Migrations

from core.errors import EnvironmentProblem

BUSY_TIMEOUT_MS = 5000


def open_database(path: Path, migrations: Migrations) -> Database:
    """A connection to a database at the newest schema of this program.

    Raises EnvironmentProblem when the file is damaged, locked, unwritable or newer than the program.
    """
    with explained(path):
        db = Database(path)
        db.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
        db.execute("PRAGMA foreign_keys = on")
        db.execute("PRAGMA synchronous = normal")
        _refuse_newer(db, migrations, path)
        if migrations.pending(db):
            _migrate(db, migrations, path)
        return db


@contextmanager
def explained(path: Path) -> Iterator[None]:
    """Turns SQLite's errors about the file into a sentence for the user."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        raise EnvironmentProblem(f"{path}: {_sentence(error)}") from error


def _sentence(error: Exception) -> str:
    text = str(error)
    match text:
        case _ if "not a database" in text or "malformed" in text:
            return f"the file is damaged ({text}). Move it away to start a new one; nothing was changed."
        case _ if "full" in text:
            return "the disk is full. Free some space; what was recorded before is kept."
        case _ if "locked" in text:
            return "another program holds the database. Close it and try again."
        case _ if "readonly" in text or "unable to open" in text:
            return f"it cannot be opened for writing ({text}). Check its permissions or choose another --data-dir."
        case _:
            return f"the database could not be used: {text}."


def _refuse_newer(db: Database, migrations: Migrations, path: Path) -> None:
    known = {migration.name for migration in migrations._migrations}
    newer = [step.name for step in migrations.applied(db) if step.name not in known]
    if newer:
        db.close()
        raise EnvironmentProblem(
            f"{path} was written by a newer Rigwright ({newer[-1]}). Update the program, "
            f"or choose another folder with --data-dir. The file was not changed."
        )


def _migrate(db: Database, migrations: Migrations, path: Path) -> None:
    if migrations.applied(db):
        backup = sqlite3.connect(path.with_suffix(".before-upgrade.sqlite"))
        db.conn.backup(backup)
        backup.close()
    db.enable_wal()
    migrations.apply(db)
