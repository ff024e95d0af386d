"""Recordings that lie where nothing can be written: shown, verified and reported all the same; a full disk is named."""

import os
import shlex
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import EventLevel
from core.burnin.record.store import RunStore
from core.platform import database
from core.platform.errors import EnvironmentProblem
from tests.gui.burnin.fake_run import FakeRun
from tests.patience import PATIENCE_S


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A data folder with a finished run, closed by all."""
    place = tmp_path / "medium"
    place.mkdir()
    with closing(FakeRun(place)) as run:
        run.finish()
    return place


def refuse(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Whatever writes to a database fails as on such a medium; root may write anywhere else."""

    def opened(*_: Any) -> Any:
        raise error

    monkeypatch.setattr(database, "_opened", opened)


def refusal(code: int, text: str) -> sqlite3.OperationalError:
    """An error as SQLite raises it."""
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "error",
    [
        refusal(sqlite3.SQLITE_READONLY, "attempt to write a readonly database"),
        refusal(sqlite3.SQLITE_CANTOPEN, "unable to open database file"),
        refusal(sqlite3.SQLITE_IOERR, "disk I/O error"),
        refusal(sqlite3.SQLITE_FULL, "database or disk is full"),
        OSError(30, "Read-only file system"),
    ],
    ids=str,
)
def test_what_cannot_be_written_is_read(folder: Path, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    refuse(monkeypatch, error)
    before = {path.name: path.stat().st_mtime_ns for path in folder.iterdir()}
    with closing(RunReader(folder)) as store:
        assert [run.id for run in store.runs()] == [1]
        assert store.verdicts(1)
    assert {path.name: path.stat().st_mtime_ns for path in folder.iterdir()} == before
    with closing(RunStore(folder)) as store, pytest.raises(EnvironmentProblem, match="cannot be opened for writing"):
        store.add_event(1, 1.0, EventLevel.INFO, "note", "later")


def test_entries_that_lie_in_the_log_alone_are_not_left_out_silently(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "runs.sqlite-wal").write_bytes(b"x" * 100)
    refuse(monkeypatch, refusal(sqlite3.SQLITE_CANTOPEN, "unable to open database file"))
    with pytest.raises(EnvironmentProblem, match=r"its newest entries are in runs\.sqlite-wal\. Copy its folder"):
        RunReader(folder)


def test_an_io_error_is_a_full_disk_where_there_is_no_room(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def reason_with(free: int) -> str:
        monkeypatch.setattr(shutil, "disk_usage", lambda _: shutil._ntuple_diskusage(100, 100, free))
        with pytest.raises(EnvironmentProblem) as raised, database.explained(folder / "runs.sqlite"):
            raise sqlite3.OperationalError("disk I/O error")
        return str(raised.value)

    assert "the disk is full" in reason_with(0)
    assert "its disk gave an error" in reason_with(2**30)


def mounted(script: str) -> subprocess.CompletedProcess[str]:
    """In a namespace of mounts of its own. Skips where that is not permitted."""
    if shutil.which("unshare") is None or subprocess.run(["unshare", "-m", "true"], check=False).returncode:
        pytest.skip("this user may not mount anything")
    return subprocess.run(
        ["unshare", "-m", "sh", "-c", f"set -e\n{script}"],
        capture_output=True,
        text=True,
        timeout=10 * PATIENCE_S,
        check=False,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )


def command(*words: str, place: Path) -> str:
    return shlex.join([sys.executable, "-P", "-m", "core.cli", *words, "--data-dir", str(place)])


@pytest.mark.process
def test_a_read_only_medium_is_shown_reported_and_replayed(folder: Path, tmp_path: Path) -> None:
    report = tmp_path / "report.html"
    done = mounted(
        f"mount --bind {folder} {folder}; mount -o remount,ro,bind {folder}\n"
        f"! touch {folder}/x 2>/dev/null\n"
        f"{command('status', place=folder)}\n{command('runs', place=folder)}\n"
        f"{command('report', '1', '-o', str(report), place=folder)}\n"
        f"{command('watch', '1', place=folder)} || true\n"
        f"{command('verify', '1', place=folder)} || echo verify ended with $?\n"
    )
    if "permission denied" in done.stderr.lower() and "mount" in done.stderr:
        pytest.skip("this user may not mount anything")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Run 1" in done.stdout
    assert report.is_file()
    assert "read-only" not in done.stdout + done.stderr
    assert "verify ended with 3" not in done.stdout


@pytest.mark.process
def test_a_full_disk_is_said_in_words_or_read(folder: Path, tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    done = mounted(
        f"mount -t tmpfs -o size=2m tmpfs {small}; cp -r {folder}/. {small}\n"
        f"cat /dev/zero > {small}/filler 2>/dev/null || true\n"
        f"{command('status', place=small)} 2>&1\n{command('runs', place=small)} 2>&1\n"
        f"{command('report', '1', '-o', str(tmp_path / 'r.html'), place=small)} 2>&1\n"
    )
    if "permission denied" in done.stderr.lower() and "mount" in done.stderr:
        pytest.skip("this user may not mount anything")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "I/O error" not in done.stdout
