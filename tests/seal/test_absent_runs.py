"""Absence is seen: no number is given again, what is deleted leaves its digest, and a recording put back shows."""

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from typer.testing import CliRunner

from core.burnin.record.origin import WITNESS
from core.burnin.record.reader import FILE
from core.burnin.record.rows import InterruptionKind, Outcome, Verdict
from core.burnin.record.store import RunStore
from core.burnin.sealing import SealState, check_run, finish_sealed
from core.cli.app import app
from tests.burnin.test_store import CARD
from tests.burnin.test_store import record_run as begin_run


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
    told = CliRunner().invoke(app, [*arguments, "--data-dir", str(folder)], env={"COLUMNS": "300"})
    return told.stdout


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
    [told] = [run for run in json.loads(cli(tmp_path, "runs", "--json")) if run["run"] == failed]
    assert (told["status"], told["digest"]) == ("deleted", left)
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
    said = f"Run 3 followed run 2 with digest {left}. Run 2 is missing here."
    assert said in cli(tmp_path, "runs")
    assert said in cli(tmp_path, "verify", str(third))
    [told] = [run for run in json.loads(cli(tmp_path, "runs", "--json")) if run["status"] == "missing"]
    assert (told["run"], told["digest"], told["named_by"]) == (2, left, 3)


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
