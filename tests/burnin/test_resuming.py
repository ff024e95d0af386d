"""Starts that meet each other or lose their viewer, and runs that go on after an interruption: real processes."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, RunDevice, RunStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.machine import boot_of
from core.burnin.run.order import BurnOrder
from core.burnin.run.recovery import close_run, find_interrupted
from core.burnin.run.run_setup import open_run, settled
from core.burnin.sealing import SealState, check_run
from core.platform.errors import EnvironmentProblem, ExitCode, RigwrightError
from tests.burnin.begun_run import CARD, begun
from tests.burnin.processes import LONG, Start, View, WriteProfile, burned, burning, family, finished, outcome
from tests.patience import PATIENCE_S, wait_for


@pytest.mark.process
def test_an_interrupted_run_goes_on_at_its_stage_with_its_own_devices_as_often_as_it_is_interrupted(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 4.0, {}))
    run_id = start(profile, simulate="2x3090")

    def kill() -> None:
        wait_for(lambda: burning(store, run_id, 2), "throughput of both")
        runner = family(store, run_id)[0]
        runner.kill()
        wait_for(lambda: find_interrupted(store, tmp_path), "the interruption")
        store.request(run_id, "stop")  # nobody is there to heed it

    kill()
    preflight = store.stages(run_id)[0]
    with pytest.raises(RigwrightError, match=r"RTX 3090 .* is no longer present"):
        start(profile, simulate="1x3090", resume=run_id)
    assert store.run(run_id).status is RunStatus.INTERRUPTED
    assert start(profile, simulate="2x3090", resume=run_id) == run_id
    kill()
    assert start(profile, resume=run_id) == run_id, "simulated as it began"
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert store.run(run_id).simulated
    assert store.stages(run_id)[0] == preflight
    assert store.stages(run_id)[1].status is StageStatus.DONE
    assert outcome(store, run_id, burned(store, run_id)[0]) is Outcome.PASS, store.verdicts(run_id)
    assert outcome(store, run_id) is Outcome.WARN, "an interruption stays, whatever came after it"
    kinds = [one.kind for one in store.interruptions(run_id)]
    assert kinds == [InterruptionKind.KILLED, InterruptionKind.RESUMED] * 2
    with pytest.raises(RigwrightError, match="was neither interrupted"):
        start(profile, simulate="2x3090", resume=run_id)


@pytest.mark.process
def test_of_two_runs_ordered_at_the_same_moment_one_starts(
    view: View, store: RunStore, write_profile: WriteProfile
) -> None:
    profile = write_profile(*LONG)
    viewers = [view("burn", "--profile", profile, "--simulate", "1x3090") for _ in range(2)]
    refused = wait_for(lambda: next((one for one in viewers if one.process.poll() is not None), None), "the refusal")
    assert refused.ended() == ExitCode.ENVIRONMENT
    assert "already running" in refused.words
    assert len(store.runs()) == 1
    store.request(store.runs()[0].id, "stop")
    assert next(one for one in viewers if one is not refused).ended() == ExitCode.INCOMPLETE


@pytest.mark.process
@pytest.mark.parametrize("order_sent", [True, False])
def test_a_viewer_that_dies_during_the_start_leaves_a_whole_run_or_none(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path, order_sent: bool
) -> None:
    order = BurnOrder(profile=write_profile(("gemm", 1.0, {})), simulate="1x3090").model_dump_json()
    runner = subprocess.Popen(
        [sys.executable, "-m", "core.burnin.run.runner", "--data-dir", str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    runner.stdout.close()  # nobody will read its answer
    runner.communicate(order if order_sent else order[:20], timeout=PATIENCE_S)
    assert runner.returncode == (ExitCode.PASS if order_sent else ExitCode.USAGE)
    assert [run.status for run in store.runs()] == ([RunStatus.FINISHED] if order_sent else [])


@pytest.mark.parametrize(
    ("simulated", "resumed_simulated", "says"),
    [(False, True, "was measured on real devices"), (True, False, "was simulated"), (False, None, "no longer present")],
)
def test_a_run_goes_on_with_devices_of_its_own_kind_alone(
    store: RunStore, simulated: bool, resumed_simulated: bool | None, says: str
) -> None:
    card = RunDevice(replace(CARD, simulated=simulated), 0, burned=True)
    run_id = begun(store, boot_of(store.path.parent, simulated=simulated), [card])
    order, profile = settled(store, BurnOrder(resume=run_id))
    present = [] if resumed_simulated is None else [replace(CARD, simulated=resumed_simulated)]
    with pytest.raises(EnvironmentProblem, match=says):
        open_run(store, order, profile, present)
    assert store.run(run_id).status is RunStatus.INTERRUPTED
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


@pytest.mark.process
def test_a_stopped_run_goes_on_where_it_was_stopped_and_is_sealed_as_resumed(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 3.0, {}), ("idle", 1.0, {}))
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
    checked = check_run(store, run_id)
    assert (checked.state, checked.changes) == (SealState.INTACT, ())
    assert checked.seal.statement["interruptions"] == ["resumed"]
