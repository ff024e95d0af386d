"""The rest of the matrix: real ranks and real loads on the processor, and viewers, killed, frozen, frozen and woken.

One run with a stage for each blow, because the processor carries one run at a time. On simulated cards
(test_kill_matrix) nothing is computed that could be seen to end. How soon it ends: tests/benchmarks.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from pathlib import Path

import psutil
import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, ResultStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.follow import NO_ANSWER_S, silent_s
from core.burnin.run.recovery import close_run, find_interrupted
from core.platform.errors import ExitCode
from core.platform.processes import own_python
from tests.burnin.processes import Start, View, WriteProfile, family, finished, log_text, running
from tests.patience import gone, wait_for

pytestmark = pytest.mark.process
RANK, WORKER = "core.loads.group.rank", "core.loads.worker"
KILL, STOP, WAKE = signal.SIGKILL, signal.SIGSTOP, signal.SIGCONT
BLOWS = (KILL, STOP, WAKE)
"""Killed, frozen for good, or frozen for a while and woken."""
FROZEN = "frozen from outside"
LOOKS = 100
"""A process that computes is seen at it, or waiting for a processor, in most of them."""


def of_module(processes: list[psutil.Process], module: str) -> list[psutil.Process]:
    matching = []
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            if module in process.cmdline():
                matching.append(process)
    return matching


def used_s(processes: list[psutil.Process]) -> float:
    """Processor time so far, of those that still run."""
    total = 0.0
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            total += sum(process.cpu_times()[:2])
    return total


def idle(processes: list[psutil.Process]) -> bool:
    """Whether none of them computes any more: each is gone, or sleeps whenever it is looked at."""
    for _ in range(LOOKS):
        if not all(gone(process) or process.status() == psutil.STATUS_SLEEPING for process in processes):
            return False
        time.sleep(0.02)
    return True


def busy(store: RunStore, run_id: int, module: str, count: int) -> list[psutil.Process]:
    """The processes of a module once they compute; empty before."""
    processes = of_module(family(store, run_id), module)
    before = used_s(processes)
    time.sleep(0.3)
    return processes if len(processes) == count and used_s(processes) - before > 0.03 else []


@pytest.mark.parametrize(
    "kind", ["collectives", *(pytest.param(kind, marks=pytest.mark.soak) for kind in ("data-parallel", "p2p"))]
)
def test_ranks_and_real_loads_end_and_the_verdict_is_true(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path, kind: str
) -> None:
    stages = ("gemm", *[kind] * len(BLOWS), kind, kind)
    profile = write_profile(*((one, 3600.0, {"size": 512} if one == "gemm" else {}) for one in stages), stagger_s=0.0)
    run_id = start(profile, devices=("cpu",))
    tested = iter(range(len(stages)))

    def stage_begins() -> int:
        number = next(tested)
        wait_for(lambda: store.stages(run_id)[number].status is StageStatus.RUNNING, f"stage {number}")
        return number

    def result_of(number: int) -> tuple[ResultStatus, str]:
        wait_for(lambda: store.stages(run_id)[number].status is not StageStatus.RUNNING, "the end of the stage")
        return next((one.status, one.reason) for one in store.results(run_id) if one.number == number)

    number = stage_begins()
    loads = wait_for(lambda: busy(store, run_id, WORKER, 1), "the load")
    check_frozen_runner(store, run_id, loads, tmp_path)
    check_started_again(store, run_id)
    store.request(run_id, "skip")
    assert result_of(number)[0] is ResultStatus.STOPPED

    for blow in BLOWS:
        number = stage_begins()
        ranks = wait_for(lambda: busy(store, run_id, RANK, 2), f"two ranks of {kind}")
        freezes = log_text(store, run_id).count(FROZEN)
        ranks[1].send_signal(KILL if blow == KILL else STOP)
        if blow == WAKE:
            wait_for(lambda freezes=freezes: log_text(store, run_id).count(FROZEN) > freezes, "word of the freeze")
            with contextlib.suppress(psutil.NoSuchProcess):
                ranks[1].send_signal(WAKE)
        status, reason = result_of(number)
        assert status is ResultStatus.NOT_RUN, "nobody's fault"
        assert ("SIGKILL" if blow == KILL else FROZEN) in reason
        assert not any(map(running, ranks))

    stage_begins()
    ranks = wait_for(lambda: busy(store, run_id, RANK, 2), "two ranks")
    check_frozen_runner(store, run_id, ranks, tmp_path)
    wait_for(lambda: not any(map(running, ranks)), "the end of the ranks")
    check_started_again(store, run_id)
    store.request(run_id, "skip")

    stage_begins()
    everybody = wait_for(lambda: busy(store, run_id, RANK, 2) and family(store, run_id), "two ranks")
    assert len(everybody) == 5, "runner, sampler, worker, two ranks"
    everybody[0].kill()
    wait_for(lambda: not any(map(running, everybody)), "the end of all")
    assert [one.run_id for one in find_interrupted(store, tmp_path)] == [run_id]
    assert {verdict.outcome for verdict in close_run(store, run_id)} == {Outcome.INCOMPLETE}
    kinds = [one.kind for one in store.interruptions(run_id)]
    assert kinds == [InterruptionKind.FROZEN, InterruptionKind.FROZEN, InterruptionKind.KILLED]


def check_frozen_runner(store: RunStore, run_id: int, loads: list[psutil.Process], folder: Path) -> None:
    """Its loads end by themselves, everybody is told, and it goes on when it wakes."""
    runner = family(store, run_id)[0]
    before = len(store.interruptions(run_id))
    runner.send_signal(STOP)
    wait_for(lambda: idle(loads), "loads that have ended by themselves")
    run = store.run(run_id)
    assert wait_for(lambda: silent_s(store, run), "word of the silence") >= NO_ANSWER_S
    env = os.environ | {"RIGWRIGHT_DATA_DIR": str(folder)}
    status = subprocess.run(own_python("-m", "core.cli", "status"), env=env, capture_output=True, text=True, check=True)
    words = " ".join(status.stdout.split())
    assert f"(process {runner.pid}) has not answered for" in words
    assert "If it is frozen, its loads have ended by themselves." in words
    runner.send_signal(WAKE)
    wait_for(lambda: len(store.interruptions(run_id)) > before, "the record of the freeze")


def check_started_again(store: RunStore, run_id: int) -> None:
    """For the rest of the stage: it has not ended by that."""
    before = sum(event.kind == "again" for event in store.events(run_id))
    wait_for(lambda: sum(event.kind == "again" for event in store.events(run_id)) >= max(before, 1), "the second start")
    assert any(stage.status is StageStatus.RUNNING for stage in store.stages(run_id))


def test_viewers_that_are_killed_frozen_and_woken_change_nothing(
    start: Start, view: View, store: RunStore, write_profile: WriteProfile
) -> None:
    stages = (("idle", 600.0, {}), ("gemm", 2.0, {}), ("collectives", 2.0, {}))
    run_id = start(write_profile(*stages, stagger_s=0.0), simulate="2x3090")
    viewers = [view("watch") for _ in BLOWS]
    for viewer in viewers:
        wait_for(lambda viewer=viewer: "started" in viewer.words, "what the viewer sees")
    for viewer, blow in zip(viewers, BLOWS, strict=True):
        viewer.process.send_signal(STOP if blow == WAKE else blow)
    store.request(run_id, "skip")
    wait_for(lambda: store.stages(run_id)[1].status is StageStatus.RUNNING, "the load")
    viewers[-1].process.send_signal(WAKE)
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert [stage.status for stage in store.stages(run_id)][1:] == [StageStatus.DONE] * 2
    assert {result.status for result in store.results(run_id) if result.number > 0} == {ResultStatus.PASSED}
    assert store.interruptions(run_id) == []
    assert "frozen" not in log_text(store, run_id)
    assert viewers[-1].ended() == ExitCode.INCOMPLETE, "the one that woke has seen the verdict"
