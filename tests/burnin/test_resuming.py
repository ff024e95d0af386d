"""Starts that meet each other or lose their viewer, and runs that go on after an interruption: real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, RunStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder
from core.burnin.run.recovery import close_run, find_interrupted
from core.burnin.sealing import SealState, check_run
from core.errors import ExitCode, RigwrightError
from tests.burnin.processes import (
    LONG,
    Start,
    WaitFor,
    WriteProfile,
    burned,
    burning,
    family,
    finished,
    outcome,
    running,
)
from tests.patience import PATIENCE_S

pytestmark = pytest.mark.process


def test_an_interrupted_run_can_go_on_at_its_stage(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 4.0, {}))
    run_id = start(profile, simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    family(store, run_id)[0].send_signal(signal.SIGKILL)
    wait_for(lambda: find_interrupted(store, tmp_path), "the interruption")
    preflight = store.stages(run_id)[0]
    assert start(profile, simulate="1x3090", resume=run_id) == run_id
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert store.stages(run_id)[0] == preflight
    assert store.stages(run_id)[1].status is StageStatus.DONE
    assert outcome(store, run_id, burned(store, run_id)[0]) is Outcome.PASS, store.verdicts(run_id)
    assert outcome(store, run_id) is Outcome.WARN, "an interruption stays, whatever came after it"
    assert [one.kind for one in store.interruptions(run_id)] == [InterruptionKind.KILLED, InterruptionKind.RESUMED]


def test_of_two_runs_ordered_at_the_same_moment_one_starts(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path, wait_for: WaitFor
) -> None:
    profile = write_profile(*LONG)
    viewers = []
    for number in range(2):
        with (tmp_path / f"{number}").open("w") as words:
            viewers.append(
                subprocess.Popen(
                    [sys.executable, "-m", "core.cli", "burn", "--profile", profile, "--simulate", "1x3090"],
                    env=os.environ | {"RIGWRIGHT_DATA_DIR": str(tmp_path)},
                    stdout=subprocess.DEVNULL,
                    stderr=words,
                )
            )
    try:
        refused = wait_for(lambda: next((v for v in viewers if v.poll() is not None), None), "the refusal")
        assert refused.returncode == ExitCode.ENVIRONMENT
        assert "already running" in " ".join((tmp_path / f"{viewers.index(refused)}").read_text().split())
        assert len(store.runs()) == 1
        store.request(store.runs()[0].id, "stop")
        winner = next(viewer for viewer in viewers if viewer is not refused)
        winner.wait(timeout=PATIENCE_S)
        assert winner.returncode == ExitCode.INCOMPLETE
    finally:
        for viewer in viewers:
            viewer.kill()
            viewer.wait()


@pytest.mark.parametrize("order_sent", [True, False])
def test_a_viewer_that_dies_during_the_start_leaves_a_whole_run_or_none(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path, wait_for: WaitFor, order_sent: bool
) -> None:
    order = BurnOrder(profile=write_profile(("gemm", 1.0, {})), simulate="1x3090").model_dump_json()
    runner = subprocess.Popen(
        [sys.executable, "-m", "core.burnin.run.runner", "--data-dir", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert runner.stdout is not None
    runner.stdout.close()  # nobody will read its answer
    runner.communicate(order if order_sent else order[:20], timeout=PATIENCE_S)
    assert runner.returncode == (ExitCode.PASS if order_sent else ExitCode.USAGE)
    assert [run.status for run in store.runs()] == ([RunStatus.FINISHED] if order_sent else [])


def test_a_run_is_resumed_as_often_as_it_is_interrupted_and_an_old_wish_to_stop_is_not_heeded(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    profile = write_profile(("gemm", 2.0, {}))
    run_id = start(profile, simulate="1x3090")
    for _ in range(2):
        wait_for(lambda: store.stages(run_id)[0].status is StageStatus.RUNNING, "the stage")
        runner = family(store, run_id)[0]
        runner.kill()
        wait_for(lambda process=runner: not running(process), "the end of the runner")
        store.request(run_id, "stop")  # nobody is there to heed it
        assert start(profile, simulate="1x3090", resume=run_id) == run_id
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id, burned(store, run_id)[0]) is Outcome.PASS, store.verdicts(run_id)
    assert outcome(store, run_id) is Outcome.WARN
    assert len(store.interruptions(run_id)) == 4
    with pytest.raises(RigwrightError, match="was neither interrupted"):
        start(profile, simulate="1x3090", resume=run_id)


def test_a_run_whose_device_is_gone_is_not_resumed_and_can_be_closed(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    runner = family(store, run_id)[0]
    runner.kill()
    wait_for(lambda: find_interrupted(store, tmp_path), "the interruption")
    with pytest.raises(RigwrightError, match=r"RTX 3090 .* is no longer present"):
        start(write_profile(*LONG), simulate="1x3090", resume=run_id)
    assert store.run(run_id).status is RunStatus.INTERRUPTED
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


def test_a_measured_run_does_not_go_on_with_simulated_devices(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    profile = write_profile(("idle", 60.0, {}))
    run_id = start(profile, devices=("cpu",))
    family(store, run_id)[0].kill()
    wait_for(lambda: find_interrupted(store, tmp_path), "the interruption")
    with pytest.raises(RigwrightError, match="was measured on real devices"):
        start(profile, simulate="1x3090", resume=run_id)
    assert store.run(run_id).status is RunStatus.INTERRUPTED


def test_a_simulated_run_goes_on_with_the_devices_that_it_began_with(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    run_id = start(write_profile(("gemm", 3.0, {})), simulate="2x3090")
    family(store, run_id)[0].kill()
    wait_for(lambda: find_interrupted(store, tmp_path), "the interruption")
    assert start(write_profile(("gemm", 3.0, {})), resume=run_id) == run_id
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert store.run(run_id).simulated


def test_a_stopped_run_goes_on_where_it_was_stopped_and_is_sealed_as_resumed(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 4.0, {}), ("idle", 1.0, {}))
    run_id = start(profile, simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    store.request(run_id, "stop")
    wait_for(lambda: finished(store, run_id), "the first verdict")
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    preflight, stopped_at = store.stages(run_id)[0], store.last_time_s(run_id)
    assert start(profile, simulate="1x3090", resume=run_id) == run_id
    assert store.verdicts(run_id) == [], "the first verdict is no longer the run's"
    wait_for(lambda: finished(store, run_id), "the second verdict")
    assert [stage.status for stage in store.stages(run_id)] == [StageStatus.DONE] * 3
    assert store.stages(run_id)[0] == preflight
    assert store.stages(run_id)[1].started_s > stopped_at
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert [one.kind for one in store.interruptions(run_id)] == [InterruptionKind.RESUMED]
    assert "after it was stopped" in store.interruptions(run_id)[0].message
    found = check_run(store, run_id)
    assert (found.state, found.changes) == (SealState.INTACT, ())
    assert found.seal.statement["interruptions"] == ["resumed"]
