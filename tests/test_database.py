"""Opening the databases: first use, upgrades, and files that cannot be used."""

import errno
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent
from typing import Self

import pytest
from filelock import FileLock
from sqlite_utils import Database, Migrations

from core.platform import database
from core.platform.database import explained, open_database, writing
from core.platform.errors import EnvironmentProblem
from tests.patience import PATIENCE_S

OPENERS = 6
OPEN_AT_THE_WORD = """
    import sys
    from pathlib import Path
    from core.parts.catalogue import Catalogue
    from core.burnin.record.store import RunStore

    print("ready", flush=True)
    sys.stdin.readline()
    folder = Path(sys.argv[1])
    catalogue, store = Catalogue(folder), RunStore(folder)
    print(sum(catalogue.counts().values()), len(store.runs()))
"""


def first_version() -> Migrations:
    migrations = Migrations("test")

    @migrations()
    def m001_notes(db: Database) -> None:
        db.execute("CREATE TABLE notes (text TEXT NOT NULL) STRICT")

    return migrations


def second_version() -> Migrations:
    migrations = first_version()

    @migrations()
    def m002_stars(db: Database) -> None:
        db.execute("ALTER TABLE notes ADD COLUMN stars INTEGER")

    return migrations


def broken_second_version() -> Migrations:
    migrations = first_version()

    @migrations()
    def m002_broken(db: Database) -> None:
        db.execute("ALTER TABLE notes ADD COLUMN stars INTEGER")
        db.execute("INSERT INTO no_such_table VALUES (1)")

    return migrations


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "notes.sqlite"


@pytest.fixture
def one_note(path: Path) -> Path:
    """A database of the first version with a row in it."""
    db = open_database(path, first_version())
    db.execute("INSERT INTO notes VALUES ('keep me')")
    db.close()
    return path


def notes(path: Path) -> list[tuple[object, ...]]:
    connection = sqlite3.connect(path)
    rows = connection.execute("SELECT * FROM notes").fetchall()
    connection.close()
    return rows


def test_first_opening_makes_the_tables_with_a_write_ahead_log(path: Path) -> None:
    db = open_database(path, first_version())
    assert db.table_names() == ["_sqlite_migrations", "notes"]
    assert db.journal_mode == "wal"
    assert db.execute("PRAGMA foreign_keys").fetchone() == (1,)
    assert db.execute("PRAGMA busy_timeout").fetchone() == (database.BUSY_TIMEOUT_MS,)
    db.close()


def test_opening_again_keeps_the_rows_and_makes_no_backup(one_note: Path) -> None:
    open_database(one_note, first_version()).close()
    assert notes(one_note) == [("keep me",)]
    assert not list(one_note.parent.glob("*before-upgrade*"))


def test_an_upgrade_keeps_a_whole_backup_of_the_file_before(one_note: Path) -> None:
    open_database(one_note, second_version()).close()
    assert notes(one_note) == [("keep me", None)]
    assert notes(one_note.with_suffix(".before-upgrade.sqlite")) == [("keep me",)]
    assert not list(one_note.parent.glob("*.draft*"))


def test_a_backup_survives_when_another_process_upgraded_first(one_note: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class TakenByAnother(FileLock):
        """Is granted only after another process has done the upgrade."""

        def __enter__(self) -> Self:
            monkeypatch.undo()
            open_database(one_note, second_version()).close()
            return self

    monkeypatch.setattr(database, "FileLock", TakenByAnother)
    open_database(one_note, second_version()).close()
    assert notes(one_note.with_suffix(".before-upgrade.sqlite")) == [("keep me",)]


def test_an_upgrade_that_fails_leaves_the_file_as_it_was(one_note: Path) -> None:
    with pytest.raises(EnvironmentProblem, match="no such table"):
        open_database(one_note, broken_second_version())
    assert notes(one_note) == [("keep me",)]
    open_database(one_note, second_version()).close()
    assert notes(one_note) == [("keep me", None)]


def test_a_file_of_a_newer_program_is_refused_and_not_changed(one_note: Path) -> None:
    open_database(one_note, second_version()).close()
    before = one_note.read_bytes()
    with pytest.raises(EnvironmentProblem, match=r"notes\.sqlite was written by a newer Rigwright \(m002_stars\)"):
        open_database(one_note, first_version())
    assert one_note.read_bytes() == before


@pytest.mark.parametrize(
    "content",
    [b"this is a letter, not a database, and long enough to be read\n" * 50, b"SQLite format 3\0" + b"\xff" * 4000],
    ids=["text", "header only"],
)
def test_a_damaged_file_is_named_and_not_changed(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(EnvironmentProblem, match=r"notes\.sqlite: .*(damaged|could not be used)"):
        open_database(path, first_version())
    assert path.read_bytes() == content


def test_a_file_cut_off_in_the_middle_is_reported_as_damaged(one_note: Path) -> None:
    db = sqlite3.connect(one_note)
    db.executemany("INSERT INTO notes VALUES (?)", [("x" * 500,)] * 200)
    db.commit()
    db.execute("PRAGMA wal_checkpoint(truncate)")
    db.close()
    one_note.write_bytes(one_note.read_bytes()[:20_000])
    with pytest.raises(EnvironmentProblem, match="the file is damaged"):
        open_database(one_note, first_version())


def test_a_folder_that_is_not_there_is_reported_in_words(tmp_path: Path) -> None:
    with pytest.raises(EnvironmentProblem, match=r"gone/notes\.sqlite: it cannot be opened for writing"):
        open_database(tmp_path / "gone" / "notes.sqlite", first_version())


@pytest.fixture
def held(one_note: Path) -> Iterator[Path]:
    """A database that another connection has locked for itself."""
    other = sqlite3.connect(one_note)
    other.execute("PRAGMA locking_mode = exclusive")
    other.execute("BEGIN EXCLUSIVE")
    yield one_note
    other.close()


def test_a_locked_database_is_reported_after_the_waiting_time(held: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "BUSY_TIMEOUT_MS", 20)
    with pytest.raises(EnvironmentProblem, match="another program holds the database"):
        open_database(held, second_version())


def test_an_upgrade_that_another_process_never_ends_is_reported(
    one_note: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database, "MIGRATION_TIMEOUT_S", 0.05)
    with FileLock(f"{one_note}.lock"), pytest.raises(EnvironmentProblem, match="Another Rigwright has been upgrading"):
        open_database(one_note, second_version())


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (sqlite3.OperationalError("database or disk is full"), "the disk is full"),
        (OSError(errno.ENOSPC, "Aucun espace disponible"), "the disk is full"),
        (sqlite3.DatabaseError("database disk image is malformed"), "the file is damaged"),
        (sqlite3.OperationalError("attempt to write a readonly database"), "cannot be opened for writing"),
        (PermissionError(errno.EACCES, "Permission non accordée"), "cannot be opened for writing"),
        (sqlite3.OperationalError("disk I/O error"), "its disk gave an error"),
    ],
)
def test_errors_of_the_file_become_a_sentence_with_its_name(error: Exception, words: str) -> None:
    with pytest.raises(EnvironmentProblem, match=f"/data/runs.sqlite: .*{words}"), explained(Path("/data/runs.sqlite")):
        raise error


def test_a_transaction_that_fails_changes_nothing_and_leaves_the_connection_usable(one_note: Path) -> None:
    db = open_database(one_note, first_version())
    with pytest.raises(EnvironmentProblem, match="no such table"), writing(db, one_note):
        db.execute("DELETE FROM notes")
        db.execute("DELETE FROM no_such_table")
    assert notes(one_note) == [("keep me",)]
    with writing(db, one_note):
        db.execute("UPDATE notes SET text = 'changed'")
    assert notes(one_note) == [("changed",)]
    db.close()


def test_a_wrong_call_of_ours_is_not_blamed_on_the_file() -> None:
    with pytest.raises(sqlite3.ProgrammingError), explained(Path("/data/runs.sqlite")):
        raise sqlite3.ProgrammingError("Cannot operate on a closed database.")


@pytest.mark.process
@pytest.mark.parametrize("round_", range(3))
def test_processes_that_open_a_fresh_folder_at_once_all_succeed(tmp_path: Path, round_: int) -> None:
    children = [
        subprocess.Popen(
            [sys.executable, "-c", dedent(OPEN_AT_THE_WORD), str(tmp_path)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(OPENERS)
    ]
    for child in children:
        assert child.stdout.readline() == "ready\n"
    for child in children:
        child.stdin.write("go\n")
        child.stdin.flush()
    ends = [child.communicate(timeout=PATIENCE_S) for child in children]
    assert [errors for _, errors in ends] == [""] * OPENERS
    assert len({output for output, _ in ends}) == 1, "all see the same catalogue"
    assert int(ends[0][0].split()[0]) > 0
