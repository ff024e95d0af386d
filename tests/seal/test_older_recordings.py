"""Runs that were recorded by a program that linked stages only when they ended: an innocent one is never CHANGED.

The recordings are of version 0.1.0, of two simulated cards with three stages; `tests/seal/recordings` holds them as the
runner left them: killed in the second stage, resumed, given up while another program held the file, and so on.
"""

import gzip
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.reader import FILE
from core.burnin.record.rows import InterruptionKind, Outcome, RunStatus, Verdict
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import close_run
from core.burnin.sealing import SealState, check_run, finish_sealed
from core.seal.keys import read_public_key

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
