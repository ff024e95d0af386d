"""Real processes that are killed and frozen: who notices, what is said and kept; and that none lives without need."""

from __future__ import annotations

import signal
from collections.abc import Callable
from pathlib import Path

import numpy as np
import psutil
import pytest

from core.burnin.record.rows import Outcome, ResultStatus, RunStatus, StageStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.burnin.run.recovery import close_run, find_interrupted
from tests.burnin.processes import (
    LONG,
    Start,
    View,
    WriteProfile,
    burned,
    burning,
    child,
    family,
    finished,
    log_text,
    outcome,
    running,
)
from tests.patience import wait_for

pytestmark = pytest.mark.process


def test_a_killed_worker_is_named_with_its_signal_and_the_others_go_on(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 3.0, {})), simulate="3x3090")
    wait_for(lambda: burning(store, run_id, 3), "throughput of all")
    victims = [row.device.id for row in store.devices(run_id) if row.burned]
    worker = child(store, run_id, "core.loads.worker", victims[1])
    worker.send_signal(signal.SIGKILL)
    wait_for(lambda: finished(store, run_id), "the verdict")
    results = {result.device_id: result for result in store.results(run_id) if result.number == 1}
    assert results[victims[1]].status is ResultStatus.DIED
    assert "SIGKILL" in results[victims[1]].reason
    assert [results[victims[n]].status for n in (0, 2)] == [ResultStatus.PASSED] * 2
    assert outcome(store, run_id, victims[1]) is Outcome.INCOMPLETE
    assert "SIGKILL" in log_text(store, run_id)


def test_a_killed_viewer_changes_nothing_and_a_killed_sampler_is_replaced(
    view: View, store: RunStore, write_profile: WriteProfile
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 6.0, {}))
    viewer = view("burn", "--profile", profile, "--simulate", "1x3090").process
    run_id = wait_for(lambda: store.runs() and store.runs()[0].id, "the run")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    viewer.kill()
    viewer.wait()
    sampler = child(store, run_id, "core.machine.telemetry.sampler")
    sampler.send_signal(signal.SIGKILL)
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert "sampler died" in log_text(store, run_id)
    follower = Follower(store, run_id)
    device_id = next(row.device.id for row in follower.devices if row.burned)
    times = follower.poll().samples[device_id][:, 0]
    samples = store.samples(run_id, device_id)
    assert times.tolist() == samples[:, 0].tolist(), "a new viewer sees the whole curve"
    assert samples[-2:, COLUMN["power_w"]].min() > 0, "measured by the new sampler"
    loaded = store.stages(run_id)[1]
    assert times[0] < loaded.started_s < times[-1]


# -- at every stage -----------------------------------------------------------------------------------------------


def starting_workers(store: RunStore, run_id: int, count: int) -> list[psutil.Process]:
    """The workers, none of which is ready yet."""
    started = [process for process in family(store, run_id)[1:] if "core.loads.worker" in process.cmdline()]
    return started if len(started) == count and "ready" not in [event.kind for event in store.events(run_id)] else []


def test_a_runner_killed_while_its_workers_start_leaves_nothing_behind(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), devices=("cpu",))
    wait_for(lambda: starting_workers(store, run_id, 1), "a worker that imports torch")
    runner, *children = family(store, run_id)
    runner.kill()
    wait_for(lambda: not any(map(running, children)), "the end of all children")
    assert "between two stages" in find_interrupted(store, tmp_path)[0].sentence
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


def test_a_worker_killed_while_it_starts_is_incomplete_and_the_others_go_on(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 2.0, {})), simulate="1x3090", devices=("0", "cpu"))
    worker = wait_for(lambda: child(store, run_id, "core.loads.worker", "cpu"), "the CPU's worker")
    worker.kill()
    wait_for(lambda: finished(store, run_id), "the verdict")
    graphics = burned(store, run_id)[0]
    assert outcome(store, run_id, graphics) is Outcome.PASS, store.verdicts(run_id)
    assert outcome(store, run_id, "cpu") is Outcome.INCOMPLETE, store.verdicts(run_id)
    assert "SIGKILL" in log_text(store, run_id)


def test_a_terminated_runner_ends_with_a_verdict(start: Start, store: RunStore, write_profile: WriteProfile) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    runner = family(store, run_id)[0]
    runner.terminate()  # before its first stage
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "The system told the runner to end" in log_text(store, run_id)


def test_frozen_children_do_not_keep_a_run_from_its_end(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both")
    children = family(store, run_id)[1:]
    for process in children:
        process.suspend()
    store.request(run_id, "stop")
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert not any(map(running, children))
    assert outcome(store, run_id) is Outcome.INCOMPLETE


def test_an_error_of_the_program_ends_the_loads_and_is_on_record(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path, sabotage: Callable[[str], None]
) -> None:
    sabotage(RUNNER_WITH_A_DEFECT)
    run_id = start(write_profile(("gemm", 0.5, {}), ("gemm", 60.0, {})), simulate="1x3090")
    children = wait_for(lambda: family(store, run_id)[1:], "children")
    wait_for(lambda: store.run(run_id).status is RunStatus.INTERRUPTED, "the end")
    wait_for(lambda: not any(map(running, children)), "the end of all children")
    assert "ValueError" in find_interrupted(store, tmp_path)[0].sentence
    assert "ValueError" in store.events(run_id)[-1].message
    log = tmp_path / "logs" / "runner.log"
    wait_for(lambda: "Traceback" in log.read_text(encoding="utf-8"), "the traceback")
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


RUNNER_WITH_A_DEFECT = """
import sys
if "core.burnin.run.runner" in sys.orig_argv:
    from core.burnin.children.device_under_test import DeviceUnderTest
    def defective(self, message):
        raise ValueError("a defect")
    DeviceUnderTest._done = defective
"""


LOADS = (1, 3)
"""Numbers of the stages with a load."""


def workers(store: RunStore, run_id: int) -> int:
    count = 0
    for process in family(store, run_id)[1:]:
        try:
            count += "core.loads.worker" in process.cmdline()
        except psutil.NoSuchProcess:
            continue
    return count


def running_stage(store: RunStore, run_id: int) -> int | None:
    return next((stage.number for stage in store.stages(run_id) if stage.status is StageStatus.RUNNING), None)


def watched(store: RunStore, run_id: int) -> dict[int, set[int]]:
    """How many workers were seen in each stage, until the run has ended; a stage that changed meanwhile is left out."""
    seen: dict[int, set[int]] = {}

    def looked() -> bool:
        before, count, after = running_stage(store, run_id), workers(store, run_id), running_stage(store, run_id)
        if before is not None and before == after:
            seen.setdefault(before, set()).add(count)
        return finished(store, run_id)

    wait_for(looked, "the verdict")
    return seen


def test_no_worker_lives_while_nothing_is_to_be_loaded(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    load = ("gemm", 1.5, {"size": 128})
    stages = (("idle", 1.5, {}), load, ("cooldown", 1.5, {}), load, ("cooldown", 1.5, {}))
    run_id = start(write_profile(*stages), simulate="1x3090", devices=("0", "cpu"))
    seen = watched(store, run_id)
    assert set(seen) == {0, 1, 2, 3, 4}
    for number, counts in seen.items():
        assert max(counts) == (2 if number in LOADS else 0), seen
    not_passed = [result for result in store.results(run_id) if result.status is not ResultStatus.PASSED]
    # A machine that tells no temperature of its CPU cannot tell that it cooled down.
    assert all(result.device_id == "cpu" and "temperature" in result.reason for result in not_passed), not_passed
    rows, events = store.stages(run_id), store.events(run_id)
    for number in LOADS:  # torch was imported before the stage began, not within its time
        before_s, began_s = rows[number - 1].ended_s, rows[number].started_s
        ready = [event.time_s for event in events if event.kind == "ready"]
        assert before_s is not None
        assert began_s is not None
        assert sum(before_s <= time_s <= began_s for time_s in ready) == 2
    checks = store.samples(run_id, "cpu", names=("checks",))[:, 1]
    steps = np.diff(checks[~np.isnan(checks)])
    assert (steps >= 0).all(), "what a worker has counted goes on with the next one"
