"""Runs that were recorded by a program that linked stages only when they ended: an innocent one is never CHANGED. And
absence is seen: no number is given again, what is deleted leaves its digest, and a recording put back shows.

The recordings are of version 0.1.0, of two simulated cards with three stages; `tests/seal/recordings` holds them as the
runner left them: killed in the second stage, resumed, given up while another program held the file, and so on.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.burnin.record.origin import WITNESS
from core.burnin.record.reader import FILE
from core.burnin.record.rows import InterruptionKind, Outcome, RunStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import close_run
from core.burnin.sealing import SealState, check_run, finish_sealed
from core.cli.app import app
from core.seal.keys import read_public_key
from tests.burnin.test_store import CARD
from tests.burnin.test_store import record_run as begin_run

RECORDINGS = Path(__file__).parent / "recordings"
UNFINISHED = ("running", "killed-unseen", "killed", "killed-twice", "gave-up", "resumed-running",
              "stopped-resumed-running")  # fmt: skip
FINISHED = ("finished", "closed", "resumed", "stopped", "stopped-resumed")
TITLES = ("Idle baseline", "Verified GEMM", "Transformer training")

Opened = Callable[[str], RunStore]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Opened]:
    stores = []

    def open_one(name: str) -> RunStore:
        with gzip.open(RECORDINGS / f"{name}.sqlite.gz") as packed, (tmp_path / FILE).open("wb") as plain:
            shutil.copyfileobj(packed, plain)
        stores.append(RunStore(tmp_path))
        return stores[-1]

    yield open_one
    for store in stores:
        store.close()


def edit(store: RunStore, sql: str, *values: object) -> None:
    with closing(sqlite3.connect(store.path)) as db, db:
        assert db.execute(sql, values).rowcount == 1


@pytest.mark.parametrize("name", UNFINISHED)
def test_one_that_has_not_ended_is_not_signed(opened: Opened, name: str) -> None:
    check = check_run(opened(name), 1)
    assert (check.state, check.changes) == (SealState.UNSIGNED, ())


@pytest.mark.parametrize("name", FINISHED)
def test_one_that_has_ended_is_intact(opened: Opened, name: str) -> None:
    store = opened(name)
    assert check_run(store, 1, [read_public_key(RECORDINGS / f"{name}.pub.pem")]).state is SealState.INTACT


@pytest.mark.parametrize("name", ["killed", "killed-twice", "gave-up"])
def test_one_that_was_cut_off_is_closed_and_resumed_by_this_program(opened: Opened, name: str) -> None:
    store = opened(name)
    close_run(store, 1)
    assert check_run(store, 1).state is SealState.INTACT
    store = opened(name)
    store.set_runner(1, 1, "boot", stage_titles=TITLES)
    assert check_run(store, 1).state is SealState.UNSIGNED
    finish_sealed(store, 1, lambda: [Verdict("", Outcome.WARN, ())])
    assert check_run(store, 1).state is SealState.INTACT
    assert InterruptionKind.CHANGED not in {one.kind for one in store.interruptions(1)}


def test_one_that_was_stopped_is_resumed_by_this_program(opened: Opened) -> None:
    store = opened("stopped")
    store.set_runner(1, 1, "boot", stopped_s=0.0, stage_titles=TITLES)
    assert check_run(store, 1).state is SealState.UNSIGNED
    store.mark_interrupted(1, InterruptionKind.KILLED, "Its runner was killed.")
    assert (check_run(store, 1).state, store.run(1).status) == (SealState.UNSIGNED, RunStatus.INTERRUPTED)


@pytest.mark.parametrize(
    ("name", "sql"),
    [
        ("killed", "UPDATE stages SET seconds = 86400 WHERE number = 2"),
        ("killed", "UPDATE stages SET kind = 'soak' WHERE number = 2"),
        ("killed", "UPDATE stages SET status = 'done', started_s = 20, ended_s = 90 WHERE number = 2"),
        ("killed", "UPDATE stages SET title = 'Idle, 24 h' WHERE number = 0"),
        ("killed", "UPDATE stages SET status = 'skipped' WHERE number = 1"),
        ("killed", "UPDATE runs SET status = 'finished' WHERE id = 1"),
        ("killed", "UPDATE runs SET simulated = 0 WHERE id = 1"),
        ("killed", "DELETE FROM interruptions WHERE id = 1"),
        ("killed", "DELETE FROM stages WHERE number = 0"),
        (
            "killed-unseen",
            "UPDATE samples SET metrics = '{}' WHERE time_s = (SELECT max(time_s) FROM samples) AND device_id = 'cpu'",
        ),
        (
            "running",
            "INSERT INTO stages (run_id, number, kind, title, seconds, status) VALUES (1,3,'gemm','x',6,'done')",
        ),
        ("stopped-resumed-running", "UPDATE stages SET seconds = 86400 WHERE number = 1"),
        ("stopped-resumed-running", "UPDATE stages SET started_s = 0 WHERE number = 0"),
        ("stopped-resumed-running", "UPDATE runs SET status = 'finished' WHERE id = 1"),
        ("stopped", "UPDATE stages SET status = 'pending', started_s = NULL, ended_s = NULL WHERE number = 2"),
        ("stopped", "UPDATE runs SET status = 'interrupted' WHERE id = 1"),
    ],
)
def test_what_an_older_program_did_link_is_excused_by_nothing(opened: Opened, name: str, sql: str) -> None:
    store = opened(name)
    edit(store, sql)
    assert check_run(store, 1).state is SealState.CHANGED


def test_a_title_that_was_changed_while_a_run_lay_interrupted_is_told_by_the_next_check(opened: Opened) -> None:
    store = opened("killed")
    edit(store, "UPDATE stages SET title = 'Transformer training, 24 h' WHERE number = 2")
    store.set_runner(1, 1, "boot", stage_titles=TITLES)
    assert check_run(store, 1).state is SealState.CHANGED


def record(store: RunStore, outcome: Outcome = Outcome.PASS) -> int:
    """A run from its start to its seal."""
    run_id = begin_run(store)
    store.add_tick(run_id, 1.0, {CARD.id: {"power_w": 100.0}})
    finish_sealed(store, run_id, lambda: [Verdict("", outcome, ())])
    return run_id


def digest(store: RunStore, run_id: int) -> str:
    head = store.chain_head(run_id)
    assert head is not None
    return head.hex()


def cli(folder: Path, *arguments: str) -> str:
    result = CliRunner().invoke(app, [*arguments, "--data-dir", str(folder)], env={"COLUMNS": "300"})
    return result.stdout


@contextmanager
def put_back(folder: Path) -> Iterator[None]:
    """What is recorded inside is undone: runs.sqlite is put back, without the file beside the key."""
    copy = folder / "copy.sqlite"
    with closing(sqlite3.connect(folder / FILE)) as db, closing(sqlite3.connect(copy)) as to:
        db.backup(to)
    yield
    for suffix in ("-wal", "-shm"):
        (folder / f"{FILE}{suffix}").unlink(missing_ok=True)
    shutil.move(copy, folder / FILE)


def test_a_number_is_not_given_again_and_what_is_deleted_leaves_its_digest(store: RunStore, tmp_path: Path) -> None:
    first, failed = record(store), record(store, Outcome.FAIL)
    left = digest(store, failed)
    store.delete(failed)
    third = record(store)
    assert (first, failed, third) == (1, 2, 3)
    [deleted] = store.deleted_runs()
    assert (deleted.run_id, deleted.digest) == (failed, left)
    origin = store.origin(third)
    assert origin is not None
    assert (origin.follows, origin.follows_digest) == (failed, left)
    assert store.absent() == []  # it was deleted, and says so
    assert check_run(store, third).state is SealState.INTACT
    [row] = [run for run in json.loads(cli(tmp_path, "runs", "--json")) if run["run"] == failed]
    assert (row["status"], row["digest"]) == ("deleted", left)
    assert left[:16] in cli(tmp_path, "runs")


def test_a_row_that_was_deleted_by_hand_with_its_witness_leaves_a_gap(store: RunStore, tmp_path: Path) -> None:
    record(store)
    failed = record(store, Outcome.FAIL)
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("PRAGMA foreign_keys = on")
        db.execute("DELETE FROM runs WHERE id = ?", (failed,))
    (tmp_path / WITNESS).unlink()
    assert record(store) == 3
    assert [(one.run_id, one.digest) for one in store.absent()] == [(2, "")]
    assert "Run 2 with digest unknown was recorded here. Run 2 is missing here." in cli(tmp_path, "runs")


def test_a_recording_that_was_moved_away_is_missed_once(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        left = [digest(store, record(store)) for _ in range(3)][-1]
    for file in tmp_path.glob(f"{FILE}*"):
        file.unlink()
    with closing(RunStore(tmp_path)) as store:
        assert record(store) == 4
        assert [(one.run_id, one.digest, one.named_by) for one in store.absent()] == [(3, left, 4)]


def test_a_row_that_was_deleted_by_hand_is_missed(store: RunStore, tmp_path: Path) -> None:
    record(store)
    failed = record(store, Outcome.FAIL)
    left = digest(store, failed)
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        db.execute("PRAGMA foreign_keys = on")
        db.execute("DELETE FROM runs WHERE id = ?", (failed,))
    assert f"Run 2 with digest {left} was recorded here. Run 2 is missing here." in cli(tmp_path, "runs")
    third = record(store)
    sentence = f"Run 3 followed run 2 with digest {left}. Run 2 is missing here."
    assert sentence in cli(tmp_path, "runs")
    assert sentence in cli(tmp_path, "verify", str(third))
    [row] = [run for run in json.loads(cli(tmp_path, "runs", "--json")) if run["status"] == "missing"]
    assert (row["run"], row["digest"], row["named_by"]) == (2, left, 3)


def test_a_recording_that_was_put_back_shows_at_once_and_in_the_next_run(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        record(store)
    with put_back(tmp_path), closing(RunStore(tmp_path)) as store:
        failed = record(store, Outcome.FAIL)
        left = digest(store, failed)
    assert f"Run 2 with digest {left} was recorded here. Run 2 is missing here." in cli(tmp_path, "runs")
    assert "Run 2 is missing here." in cli(tmp_path, "verify", "1")
    with closing(RunStore(tmp_path)) as store:
        following = record(store)
        check = check_run(store, following)
    assert following == 3
    assert check.state is SealState.INTACT
    assert [(one.run_id, one.digest, one.here) for one in check.absent] == [(2, left, False)]
    assert check.seal is not None
    assert check.seal.statement["follows"] == {"run": 2, "digest": left}


def test_an_earlier_state_of_a_run_that_was_put_back_is_different(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = begin_run(store)
        store.mark_interrupted(run_id, InterruptionKind.KILLED, "Its runner was killed.")
    with put_back(tmp_path), closing(RunStore(tmp_path)) as store:
        store.set_runner(run_id, 1, "boot")
        finish_sealed(store, run_id, lambda: [Verdict("", Outcome.FAIL, ())])
    with closing(RunStore(tmp_path)) as store:
        assert [one.here for one in store.absent()] == [True]
        record(store)
        assert [(one.run_id, one.named_by, one.here) for one in store.absent()] == [(1, 2, True)]
        assert [one.run_id for one in check_run(store, 1).absent] == [1]
    assert "Run 1 is different here." in cli(tmp_path, "verify", "1")


def test_a_run_that_goes_on_after_others_followed_it_is_missed_by_nobody(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        interrupted = begin_run(store)
        store.mark_interrupted(interrupted, InterruptionKind.KILLED, "Its runner was killed.")
        record(store)
        store.set_runner(interrupted, 1, "boot")
        finish_sealed(store, interrupted, lambda: [Verdict("", Outcome.WARN, ())])
        assert store.absent() == []
        store.delete(interrupted)
        record(store)
        assert store.absent() == []


def test_a_witness_that_is_late_damaged_or_gone_accuses_nobody(store: RunStore, tmp_path: Path) -> None:
    record(store)
    late = (tmp_path / WITNESS).read_bytes()
    record(store)
    for content in (late, b"", b"[" * 9000, b'{"run": "2"}', b'{"run": -1, "digest": ""}'):
        (tmp_path / WITNESS).write_bytes(content)
        assert store.absent() == []
    (tmp_path / WITNESS).unlink()
    assert (store.absent(), record(store)) == ([], 3)


def test_a_witness_that_cannot_be_written_costs_no_run(store: RunStore, tmp_path: Path) -> None:
    (tmp_path / WITNESS).mkdir()
    assert check_run(store, record(store)).state is SealState.INTACT


@pytest.mark.parametrize("count", [0, 3])
def test_numbers_go_on_from_a_recording_without_them(tmp_path: Path, count: int) -> None:
    """As an older program left it, without its witness."""
    with closing(RunStore(tmp_path)) as store:
        for _ in range(count):
            record(store)
    with closing(sqlite3.connect(tmp_path / FILE)) as db, db:
        for table in ("origins", "libraries", "deleted_runs", "numbers"):
            db.execute(f"DROP TABLE {table}")
        db.execute("DELETE FROM _sqlite_migrations WHERE name = 'm009_origin'")
    (tmp_path / WITNESS).unlink(missing_ok=True)
    with closing(RunStore(tmp_path)) as store:
        assert record(store) == count + 1
        assert (tmp_path / FILE).with_suffix(".before-upgrade.sqlite").is_file()
