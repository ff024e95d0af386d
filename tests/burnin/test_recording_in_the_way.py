"""Real runs whose recording is held by another program, is taken away under them, or cannot be signed."""

from __future__ import annotations

import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from core.burnin.record.reader import FILE
from core.burnin.record.rows import InterruptionKind, Outcome, ResultStatus, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.recovery import find_interrupted
from core.burnin.sealing import SealState, check_run
from core.platform.errors import ExitCode
from core.seal.keys import PRIVATE, PUBLIC
from tests.burnin.processes import (
    Start,
    View,
    WriteProfile,
    burned,
    burning,
    family,
    finished,
    log_text,
    outcome,
    running,
)
from tests.patience import wait_for

pytestmark = pytest.mark.process
HELD_S = 6.0
"""Longer than SQLite waits and than loads go on without a word of the runner (WITHIN_S), 5 s each."""


def test_another_program_that_holds_the_recording_for_seconds_costs_a_run_nothing(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    run_id = start(write_profile(("gemm", 11.0, {}), telemetry_timeout_s=60, heartbeat_timeout_s=60), simulate="1x3090")
    (card,) = burned(store, run_id)
    wait_for(lambda: len(store.samples(run_id, card)), "the first sample")
    assert (tmp_path / PRIVATE).exists(), "a key is made before it"
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    with closing(sqlite3.connect(tmp_path / FILE, isolation_level=None)) as holder:
        wait_for(lambda: _taken(holder), "the lock")
        begun_s, held_at_s = store.last_time_s(run_id), time.monotonic()
        wait_for(lambda: time.monotonic() - held_at_s >= HELD_S, "some seconds")
        assert store.last_time_s(run_id) == begun_s, "nobody else wrote"
        holder.execute("ROLLBACK")
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert {result.status for result in store.results(run_id)} == {ResultStatus.PASSED}
    paused = bool(store.interruptions(run_id))  # by the machine of the test alone
    assert outcome(store, run_id) is (Outcome.WARN if paused else Outcome.PASS), store.verdicts(run_id)
    assert "Another program held the recording for" in log_text(store, run_id)
    times = store.samples(run_id, card)[:, 0]
    assert ((times > begun_s) & (times < begun_s + HELD_S - 1)).any(), "measured meanwhile"
    assert check_run(store, run_id).state is SealState.INTACT


def _taken(holder: sqlite3.Connection) -> bool:
    try:
        holder.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError:
        return False
    return True


# -- taken away -------------------------------------------------------------------------------------------------------


def remove(path: Path) -> None:
    shutil.rmtree(path.parent, ignore_errors=True)
    path.unlink(missing_ok=True)


def move(path: Path) -> None:
    path.parent.rename(path.parent.with_name("elsewhere"))


def replace(path: Path) -> None:
    """By an older copy, as a synchronised folder does."""
    path.with_name("older").write_bytes(b"")
    path.with_name("older").replace(path)


@pytest.mark.parametrize("spoil", [remove, move, replace])
def test_a_recording_that_is_taken_away_ends_the_run_and_its_viewer_with_a_sentence(
    view: View, write_profile: WriteProfile, tmp_path: Path, spoil: Callable[[Path], None]
) -> None:
    folder = tmp_path / "data"
    terminal = view("burn", "--profile", write_profile(("gemm", 300.0, {})), "--simulate", "1x3090", folder=folder)
    wait_for((folder / FILE).exists, "the recording")
    with closing(RunStore(folder)) as store:
        run_id = wait_for(lambda: store.runs() and store.runs()[0].id, "the run")
        wait_for(lambda: burning(store, run_id, 1), "throughput")
        processes = family(store, run_id)
        spoil(store.path)
    assert terminal.ended() == ExitCode.ENVIRONMENT, terminal.words
    assert "was removed, moved or replaced" in terminal.words
    wait_for(lambda: not any(map(running, processes)), "the end of runner and loads")
    assert not (folder / FILE).exists() or (folder / FILE).stat().st_size == 0, "nothing new was made there"
    if spoil is not replace:
        assert not list(folder.glob("seal-key*"))
    else:
        assert sqlite3.connect(folder / FILE).execute("SELECT * FROM sqlite_master").fetchall() == []
    if spoil is move:
        with closing(RunStore(tmp_path / "elsewhere")) as moved:
            assert "was removed, moved or replaced" in (moved.run(run_id).cut_short or "")
            assert find_interrupted(moved, tmp_path / "elsewhere")
            assert moved.run(run_id).status is RunStatus.INTERRUPTED
            assert check_run(moved, run_id).seal is None
            assert (tmp_path / "elsewhere" / PRIVATE).exists()
            assert (tmp_path / "elsewhere" / PUBLIC).exists()


# -- without a key ----------------------------------------------------------------------------------------------------


def test_a_run_whose_key_cannot_be_made_says_so_at_the_start_and_at_the_end(
    view: View, write_profile: WriteProfile, tmp_path: Path
) -> None:
    (tmp_path / "data" / PRIVATE).mkdir(parents=True)  # nothing that is a key can lie there
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 2.0, {}))
    terminal = view("burn", "--profile", profile, "--simulate", "1x3090", folder=tmp_path / "data")
    assert terminal.ended() == ExitCode.PASS, terminal.words
    words = terminal.words
    assert words.index("The key for the seal cannot be used") < words.index("started."), words
    at_the_end = words.partition("Run 1 is not signed: ")[2]
    assert PRIVATE in at_the_end.partition("Sign it with: rigwright seal 1")[0], "and why"


# -- last words -------------------------------------------------------------------------------------------------------

RUNNER_WHOSE_DISK_FAILS = """
import sys
if "core.burnin.run.runner" in sys.orig_argv:
    from core.burnin.record import store
    from core.platform.errors import EnvironmentProblem
    add_tick, ticks = store.RunStore.add_tick, []
    def broken(self, *given, **named):
        raise EnvironmentProblem("runs.sqlite: the database could not be used: disk I/O error.")
    def tick(self, *given, **named):
        ticks.append(1)
        (add_tick if len(ticks) < 4 else broken)(self, *given, **named)
    store.RunStore.add_tick, store.RunStore.cut_short = tick, broken
"""


def test_the_cause_of_an_error_of_the_disk_is_on_record_although_the_runner_could_not_put_it_there(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path,
    sabotage: Callable[[str], None],
) -> None:  # fmt: skip
    sabotage(RUNNER_WHOSE_DISK_FAILS)
    run_id = start(write_profile(("gemm", 300.0, {})), simulate="1x3090")
    wait_for(lambda: find_interrupted(store, tmp_path), "the end of the runner")
    assert "disk I/O error" in (store.run(run_id).cut_short or "")
    (interruption,) = store.interruptions(run_id)
    assert (interruption.kind, "disk I/O error" in interruption.message) == (InterruptionKind.GAVE_UP, True)
