"""Interrupted runs: the cause is told, and closing them gives a verdict that never passes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from contextlib import closing
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from core.burnin.record.reader import RecordingMoved
from core.burnin.record.rows import EventLevel, Outcome, ResultStatus, RunStatus, StageResult, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.lock import take_runner_lock
from core.burnin.run.machine import boot_id, boot_of
from core.burnin.run.recovery import close_run, find_interrupted
from core.burnin.verdict.judge import machine_reasons
from core.platform.errors import BadInput
from tests.burnin.begun_run import CARD, begun


def leave_running(store: RunStore, boot: str) -> int:
    """A run in the middle of its third stage, whose runner is gone."""
    run_id = begun(store, boot)
    for number in range(2):
        store.start_stage(run_id, number, float(number), boot)
        store.add_result(run_id, StageResult(number, CARD.id, ResultStatus.PASSED, "fine"))
        store.end_stage(run_id, number, float(number), StageStatus.DONE)
    store.start_stage(run_id, 2, 8.0, boot)
    store.add_tick(run_id, 12.0, {CARD.id: {"temperature_c": 50.0}})
    return run_id


@pytest.mark.parametrize(
    ("boot", "cause"), [(boot_id(), "ended unexpectedly"), ("an earlier boot", "reset or switched off")]
)
def test_the_next_start_says_what_happened(store: RunStore, tmp_path: Path, boot: str, cause: str) -> None:
    run_id = leave_running(store, boot)
    interrupted = find_interrupted(store, tmp_path)
    assert [interruption.run_id for interruption in interrupted] == [run_id]
    assert "during gemm" in interrupted[0].sentence
    assert "12 s after its start" in interrupted[0].sentence
    assert cause in interrupted[0].sentence
    assert store.run(run_id).status is RunStatus.INTERRUPTED


def test_a_run_with_a_living_runner_is_left_alone(store: RunStore, tmp_path: Path) -> None:
    run_id = leave_running(store, boot_id())
    lock = take_runner_lock(tmp_path)
    try:
        assert find_interrupted(store, tmp_path) == []
        assert store.run(run_id).status is RunStatus.RUNNING
    finally:
        lock.release()


def test_a_folder_that_was_moved_away_says_so_and_not_that_its_lock_is_missing(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir()
    with closing(RunStore(folder)) as store:
        begun(store, boot_id())
        folder.rename(tmp_path / "elsewhere")
        with pytest.raises(RecordingMoved):
            find_interrupted(store, folder)


def test_a_run_that_gets_its_verdict_while_somebody_looks_stays_finished(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The runner writes the verdict and goes between the look at the runs and the look at its lock."""
    run_id = leave_running(store, boot_id())

    def has_just_ended(_: Path) -> bool:
        store.finish(run_id, [])
        return False

    monkeypatch.setattr("core.burnin.run.recovery.runner_alive", has_just_ended)
    assert find_interrupted(store, tmp_path) == []
    assert store.run(run_id).status is RunStatus.FINISHED


def test_a_reset_is_a_finding_with_the_stage_in_which_it_happened(store: RunStore, tmp_path: Path) -> None:
    run_id = leave_running(store, "an earlier boot")
    find_interrupted(store, tmp_path)
    machine = close_run(store, run_id)[0]
    assert machine.outcome is Outcome.FAIL
    assert "The machine was reset during gemm" in machine.reasons[0].text


def test_a_card_beside_the_burned_ones_that_is_lost_fails_the_machine(store: RunStore, tmp_path: Path) -> None:
    run_id = leave_running(store, boot_id())
    store.add_event(run_id, 9.0, EventLevel.ERROR, "lost", "The device was lost.", device_id="GPU-2")
    store.add_event(run_id, 9.0, EventLevel.ERROR, "lost", "The device was lost.", device_id=CARD.id)
    assert [(reason.outcome, reason.text) for reason in machine_reasons(store, run_id)] == [
        (Outcome.FAIL, "The device was lost.")
    ]


def test_a_runner_that_died_alone_is_no_reset_even_after_a_later_restart(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = leave_running(store, boot_id())
    find_interrupted(store, tmp_path)
    monkeypatch.setattr("core.burnin.run.machine.boot_id", lambda: "a later boot")
    assert "ended unexpectedly" in find_interrupted(store, tmp_path)[0].sentence
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


@pytest.mark.parametrize(
    ("wrote_on_for_s", "outcome"), [(3600.0, Outcome.INCOMPLETE), (5.0, Outcome.FAIL), (None, Outcome.FAIL)]
)
def test_a_boot_whose_journal_goes_on_after_the_run_was_not_ended_in_it(
    store: RunStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrote_on_for_s: float | None, outcome: Outcome
) -> None:
    run_id = leave_running(store, "12345678-9abc-def0-1234-56789abcdef0")
    until = datetime.fromisoformat(store.last_at(run_id)) + timedelta(seconds=wrote_on_for_s or 0)
    entry = "" if wrote_on_for_s is None else f'{{"__REALTIME_TIMESTAMP": "{until.timestamp() * 1e6:.0f}"}}'
    journal = tmp_path / "bin" / "journalctl"
    journal.parent.mkdir()
    journal.write_text(f"#!/bin/sh\n[ $1 = --boot=123456789abcdef0123456789abcdef0 ] && echo '{entry}'\n")
    journal.chmod(0o755)
    monkeypatch.setenv("PATH", f"{journal.parent}:{os.environ['PATH']}")
    find_interrupted(store, tmp_path)
    assert close_run(store, run_id)[0].outcome is outcome


def test_a_reset_stays_a_finding_when_the_run_goes_on(store: RunStore, tmp_path: Path) -> None:
    run_id = leave_running(store, "an earlier boot")
    find_interrupted(store, tmp_path)
    store.set_runner(run_id, 1, boot_id())
    assert [(reason.outcome, reason.text.split()[0]) for reason in machine_reasons(store, run_id)] == [
        (Outcome.FAIL, "The"), (Outcome.PASS, "Resumed"),
    ]  # fmt: skip


def test_a_simulated_power_cut_is_another_boot_for_simulated_devices_alone(tmp_path: Path) -> None:
    before = boot_of(tmp_path, simulated=True), boot_of(tmp_path, simulated=False)
    cut = (
        "import sys, pathlib; from core.burnin.run import machine as m; m.simulate_power_cut(pathlib.Path(sys.argv[1]))"
    )
    ended = subprocess.run([sys.executable, "-c", cut, str(tmp_path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    assert boot_of(tmp_path, simulated=True) != before[0]
    assert boot_of(tmp_path, simulated=True).startswith("SIMULATED")
    assert boot_of(tmp_path, simulated=False) == before[1] == boot_id()


@pytest.mark.parametrize(("result", "outcome"), [(None, Outcome.INCOMPLETE), ("a flipped bit", Outcome.FAIL)])
def test_closing_judges_what_was_recorded_as_incomplete_and_keeps_a_failure(
    store: RunStore, tmp_path: Path, result: str | None, outcome: Outcome
) -> None:
    run_id = leave_running(store, boot_id())
    if result:
        store.add_result(run_id, StageResult(2, CARD.id, ResultStatus.FAILED, result))
    find_interrupted(store, tmp_path)
    assert close_run(store, run_id)[0].outcome is outcome
    assert store.run(run_id).status is RunStatus.FINISHED
    assert find_interrupted(store, tmp_path) == []


def test_only_an_interrupted_run_can_be_closed(store: RunStore, tmp_path: Path) -> None:
    run_id = leave_running(store, boot_id())
    with pytest.raises(BadInput, match="was not interrupted"):
        close_run(store, run_id)


def test_the_last_words_of_a_runner_are_reported_before_any_guess(store: RunStore, tmp_path: Path) -> None:
    run_id = leave_running(store, "an earlier boot")
    store.cut_short(run_id, 12.0, "The disk is full.")
    sentence = find_interrupted(store, tmp_path)[0].sentence
    assert "The disk is full." in sentence
    assert "reset" not in sentence
