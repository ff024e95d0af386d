"""Real processes that are killed and frozen: who notices, what is said, what is kept."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from core.burnin.record.rows import InterruptionKind, Outcome, ResultStatus, RunStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.follow import Follower
from core.burnin.run.outside import silent_s
from core.burnin.run.recovery import close_run, find_interrupted
from tests.burnin.processes import (
    LONG,
    Start,
    WaitFor,
    WriteProfile,
    burned,
    burning,
    child,
    family,
    finished,
    outcome,
    running,
    said,
)

pytestmark = pytest.mark.process


def test_a_killed_worker_is_named_with_its_signal_and_the_others_go_on(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 4.0, {})), simulate="3x3090")
    wait_for(lambda: burning(store, run_id, 3), "throughput of all")
    victims = [row.device.id for row in store.devices(run_id) if row.burned]
    worker = child(store, run_id, "core.loads.worker", victims[1])
    assert worker is not None
    worker.send_signal(signal.SIGKILL)
    wait_for(lambda: finished(store, run_id), "the verdict")
    results = {result.device_id: result for result in store.results(run_id) if result.number == 1}
    assert results[victims[1]].status is ResultStatus.DIED
    assert "SIGKILL" in results[victims[1]].reason
    assert [results[victims[n]].status for n in (0, 2)] == [ResultStatus.PASSED] * 2
    assert outcome(store, run_id, victims[1]) is Outcome.INCOMPLETE
    assert "SIGKILL" in said(store, run_id)


def test_a_worker_that_somebody_froze_is_replaced_and_its_load_runs_on_for_the_rest_of_its_time(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 7.0, {}), telemetry_timeout_s=60)
    run_id = start(profile, simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both")
    victim, other = burned(store, run_id)
    worker = child(store, run_id, "core.loads.worker", victim)
    assert worker is not None
    worker.send_signal(signal.SIGSTOP)
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id, victim) is Outcome.WARN, store.verdicts(run_id)
    assert outcome(store, run_id, other) is Outcome.PASS, "no card is blamed"
    assert outcome(store, run_id) is Outcome.WARN
    assert "was frozen from outside (SIGSTOP)" in said(store, run_id)
    assert "started again for the remaining" in said(store, run_id)
    assert InterruptionKind.FROZEN in [one.kind for one in store.interruptions(run_id)]
    assert not worker.is_running()


def test_a_killed_sampler_is_replaced_and_the_run_goes_on(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 6.0, {})), simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    sampler = child(store, run_id, "core.telemetry.sampler")
    assert sampler is not None
    sampler.send_signal(signal.SIGKILL)
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert "sampler died" in said(store, run_id)
    device_id = next(row.device.id for row in store.devices(run_id) if row.burned)
    assert store.samples(run_id, device_id)[-2:, COLUMN["power_w"]].min() > 0


def test_nothing_burns_blind(start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor) -> None:
    run_id = start(write_profile(*LONG, telemetry_timeout_s=2), simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    sampler = child(store, run_id, "core.telemetry.sampler")
    assert sampler is not None
    sampler.send_signal(signal.SIGSTOP)
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "No telemetry" in said(store, run_id)


def test_a_hot_device_is_stopped_by_its_guard_and_the_others_go_on(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 30.0, {}), temperature_c=31, temperature_for_s=1)
    run_id = start(profile, simulate="1x3090")
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id) is Outcome.FAIL
    assert "Too hot" in said(store, run_id)


def test_a_killed_runner_takes_all_loads_with_it_and_loses_no_sample_that_was_seen(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both")
    runner, *children = family(store, run_id)
    assert len(children) == 3
    before_s = store.last_time_s(run_id)
    device_id = next(row.device.id for row in store.devices(run_id) if row.burned)
    wait_for(lambda: store.samples(run_id, device_id, before_s).size, "the next sample")
    runner.send_signal(signal.SIGKILL)
    wait_for(lambda: not any(map(running, children)), "the end of all children")
    times = store.samples(run_id, device_id)[:, 0]
    assert times[-1] > before_s
    assert (times[1:] > times[:-1]).all()
    interruption = find_interrupted(store, tmp_path)[0]
    assert interruption.run_id == run_id
    assert "ended unexpectedly" in interruption.sentence
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


def test_a_killed_viewer_changes_nothing_and_a_new_one_sees_the_whole_curve(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 5.0, {}))
    viewer = subprocess.Popen(
        [sys.executable, "-m", "core.cli", "burn", "--profile", profile, "--simulate", "1x3090"],
        env=os.environ | {"RIGWRIGHT_DATA_DIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    run_id = wait_for(lambda: store.runs() and store.runs()[0].id, "the run")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    viewer.kill()
    viewer.wait()
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    follower = Follower(store, run_id)
    device_id = next(row.device.id for row in follower.devices if row.burned)
    times = follower.poll().samples[device_id][:, 0]
    assert times.tolist() == store.samples(run_id, device_id)[:, 0].tolist()
    loaded = store.stages(run_id)[1]
    assert times[0] < loaded.started_s < times[-1]


# -- at every stage -----------------------------------------------------------------------------------------------


def starting_workers(store: RunStore, run_id: int, count: int) -> list[psutil.Process]:
    """The workers, none of which is ready yet."""
    found = [process for process in family(store, run_id)[1:] if "core.loads.worker" in process.cmdline()]
    return found if len(found) == count and "ready" not in [event.kind for event in store.events(run_id)] else []


def test_a_runner_killed_while_its_workers_start_leaves_nothing_behind(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), devices=("cpu",))
    wait_for(lambda: starting_workers(store, run_id, 1), "a worker that imports torch")
    runner, *children = family(store, run_id)
    runner.kill()
    wait_for(lambda: not any(map(running, children)), "the end of all children")
    assert "between two stages" in find_interrupted(store, tmp_path)[0].sentence
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


def test_a_worker_killed_while_it_starts_is_incomplete_and_the_others_go_on(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 2.0, {})), simulate="1x3090", devices=("0", "cpu"))
    worker = wait_for(lambda: child(store, run_id, "core.loads.worker", "cpu"), "the CPU's worker")
    worker.kill()
    wait_for(lambda: finished(store, run_id), "the verdict")
    graphics = burned(store, run_id)[0]
    assert outcome(store, run_id, graphics) is Outcome.PASS, store.verdicts(run_id)
    assert outcome(store, run_id, "cpu") is Outcome.INCOMPLETE, store.verdicts(run_id)
    assert "SIGKILL" in said(store, run_id)


def test_a_terminated_runner_ends_with_a_verdict(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    runner = family(store, run_id)[0]
    runner.terminate()  # before its first stage
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "The system told the runner to end" in said(store, run_id)


def test_the_loads_of_a_runner_that_stood_still_are_started_again_and_it_says_so(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    profile = write_profile(("gemm", 6.0, {}), telemetry_timeout_s=3, heartbeat_timeout_s=3)
    run_id = start(profile, simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    runner = family(store, run_id)[0]
    runner.suspend()
    wait_for(lambda: silent_s(store, store.run(run_id)), "word of a silence longer than any guard waits")
    runner.resume()
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id, burned(store, run_id)[0]) is Outcome.WARN, store.verdicts(run_id)
    assert "The runner froze" in said(store, run_id)
    assert "started again for the remaining" in said(store, run_id)
    assert InterruptionKind.FROZEN in [one.kind for one in store.interruptions(run_id)]


def test_frozen_children_do_not_keep_a_run_from_its_end(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
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


def test_a_device_that_drops_out_of_the_samples_does_not_burn_on_unwatched(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, sabotage: Callable[[str], None]
) -> None:
    sabotage(SAMPLER_THAT_FORGETS_A_CARD)
    run_id = start(write_profile(("gemm", 7.0, {}), telemetry_timeout_s=3), simulate="2x3090")
    wait_for(lambda: finished(store, run_id), "the verdict")
    forgotten, watched = burned(store, run_id)
    assert "No telemetry from this device" in said(store, run_id)
    assert outcome(store, run_id, forgotten) is Outcome.INCOMPLETE, store.verdicts(run_id)
    assert outcome(store, run_id, watched) is Outcome.PASS


SAMPLER_THAT_FORGETS_A_CARD = """
import sys
if "core.telemetry.sampler" in sys.orig_argv:
    from core.telemetry.simulated.source import SimulatedSource
    read, ticks = SimulatedSource.read, []
    def forgetful(self):
        samples = read(self)
        ticks.append(1)
        if len(ticks) > 3:
            samples.pop(next(iter(samples)))
        return samples
    SimulatedSource.read = forgetful
"""


def test_an_error_of_the_program_ends_the_loads_and_is_on_record(
    start: Start,
    store: RunStore,
    write_profile: WriteProfile,
    wait_for: WaitFor,
    tmp_path: Path,
    sabotage: Callable[[str], None],
) -> None:
    sabotage(RUNNER_WITH_A_DEFECT)
    run_id = start(write_profile(("gemm", 2.0, {}), ("gemm", 60.0, {})), simulate="1x3090")
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
