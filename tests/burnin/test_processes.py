"""Real processes: runs of simulated devices and of this machine's CPU, killed, stopped, frozen and followed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.burnin.follow import COLUMN, Follower
from core.burnin.launch import BurnOrder, active_run, start_run
from core.burnin.record import MACHINE, Outcome, ResultStatus, RunStatus, StageStatus
from core.burnin.recovery import close_run, find_interrupted
from core.burnin.store import RunStore
from core.errors import RigwrightError

pytestmark = pytest.mark.process

WriteProfile = Callable[..., str]
WaitFor = Callable[..., Any]
TINY_GPT = {"layers": 2, "width": 64, "heads": 2, "context": 32, "batch": 4}
SHORT = (("preflight", 1.0, {}), ("gemm", 3.0, {"size": 128}), ("transformer", 3.0, TINY_GPT))
LONG = (("preflight", 1.0, {}), ("gemm", 60.0, {"size": 128}))


@pytest.fixture
def start(tmp_path: Path, store: RunStore) -> Iterator[Callable[..., int]]:
    """Starts a run and, when the test is over, makes sure that nothing of it is left."""
    started: list[int] = []

    def go(profile: str, **order: Any) -> int:
        run_id = start_run(tmp_path, BurnOrder(profile=profile, **order))
        started.append(run_id)
        return run_id

    yield go
    for run_id in started:
        for process in family(store, run_id):
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()


def family(store: RunStore, run_id: int) -> list[psutil.Process]:
    """The runner of a run, if it lives, and its children."""
    pid = store.run(run_id).runner_pid
    if pid is None or not psutil.pid_exists(pid):
        return []
    runner = psutil.Process(pid)
    return [runner, *runner.children(recursive=True)]


def child(store: RunStore, run_id: int, module: str, word: str = "") -> psutil.Process | None:
    """The child of a run that runs a module, with `word` among its arguments."""
    for process in family(store, run_id)[1:]:
        with contextlib.suppress(psutil.NoSuchProcess):
            if module in process.cmdline() and (not word or word in process.cmdline()):
                return process
    return None


def finished(store: RunStore, run_id: int) -> bool:
    return store.run(run_id).status is RunStatus.FINISHED


def burning(store: RunStore, run_id: int, devices: int) -> bool:
    """Whether all devices report throughput."""
    rows = [row.device.id for row in store.devices(run_id) if row.burned]
    rates = [store.samples(run_id, device_id)[:, COLUMN["throughput_tflops"]] for device_id in rows]
    return sum(bool((rate > 0).any()) for rate in rates) == devices


def outcome(store: RunStore, run_id: int, device_id: str = MACHINE) -> Outcome:
    return next(verdict.outcome for verdict in store.verdicts(run_id) if verdict.device_id == device_id)


def said(store: RunStore, run_id: int) -> str:
    return "\n".join(event.message for event in store.events(run_id))


# -- whole runs ---------------------------------------------------------------------------------------------------


def test_a_clean_simulated_run_passes_and_is_marked_simulated(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*SHORT), simulate="3x3090")
    wait_for(lambda: finished(store, run_id), "the verdict", 60)
    run = store.run(run_id)
    assert run.simulated
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert [row.device.simulated for row in store.devices(run_id) if row.burned] == [True] * 3
    assert {stage.status for stage in store.stages(run_id)} == {StageStatus.DONE}
    assert active_run(store.path.parent) is None


def test_a_clean_run_on_this_machines_cpu_finds_no_error(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*SHORT), devices=("cpu",))
    wait_for(lambda: finished(store, run_id), "the verdict", 90)
    results = {result.number: result for result in store.results(run_id) if result.device_id == "cpu"}
    assert results[1].status is ResultStatus.PASSED, results[1]
    assert results[2].status is ResultStatus.PASSED, results[2]
    assert outcome(store, run_id) in (Outcome.PASS, Outcome.WARN), store.verdicts(run_id)
    last = store.samples(run_id, "cpu")[-1]
    assert last[COLUMN["errors"]] == 0
    assert last[COLUMN["checks"]] > 0
    assert not store.run(run_id).simulated


@pytest.mark.parametrize("fault", ["bitflip", "nan", "repeatable"])
def test_an_injected_fault_is_found_and_fails_the_device(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, fault: str
) -> None:
    stages = (("preflight", 1.0, {}), ("gemm", 3.0, {"size": 128, "inject": fault}))
    run_id = start(write_profile(*stages), devices=("cpu",))
    wait_for(lambda: finished(store, run_id), "the verdict", 90)
    assert outcome(store, run_id, "cpu") is Outcome.FAIL, store.verdicts(run_id)
    assert outcome(store, run_id) is Outcome.FAIL


# -- requests -----------------------------------------------------------------------------------------------------


def test_a_stop_request_ends_loads_within_two_seconds_and_is_incomplete(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both devices", 60)
    workers = family(store, run_id)[1:]
    store.request(run_id, "stop")
    wait_for(lambda: finished(store, run_id), "the verdict", 5)
    wait_for(lambda: not any(process.is_running() for process in workers), "the workers' end", 5)
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "Stopped by the user" in said(store, run_id)


def test_a_skipped_stage_is_left_and_the_next_one_runs(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    stages = (*LONG, ("idle", 1.0, {}))
    run_id = start(write_profile(*stages), simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput", 60)
    store.request(run_id, "mark", "风扇很响")
    store.request(run_id, "skip")
    wait_for(lambda: finished(store, run_id), "the verdict", 15)
    assert [stage.status for stage in store.stages(run_id)] == [
        StageStatus.DONE, StageStatus.SKIPPED, StageStatus.DONE,
    ]  # fmt: skip
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "风扇很响" in said(store, run_id)


def test_a_second_run_in_the_same_folder_is_refused_in_a_sentence(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), simulate="1x3090")
    assert active_run(tmp_path) == run_id
    with pytest.raises(RigwrightError, match="already running"):
        start_run(tmp_path, BurnOrder(profile=write_profile(*LONG), simulate="1x3090"))
    assert len(store.runs()) == 1


@pytest.mark.parametrize(
    ("order", "says"),
    [({"simulate": "6xbanana"}, "banana"), ({"devices": ("GPU-none",)}, "GPU-none"), ({"resume": 77}, "no run 77")],
)
def test_a_wrong_order_is_refused_in_a_sentence_and_records_nothing(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path, order: dict[str, Any], says: str
) -> None:
    with pytest.raises(RigwrightError, match=says):
        start_run(tmp_path, BurnOrder(profile=write_profile(*SHORT), **order))
    assert store.runs() == []


# -- deaths -------------------------------------------------------------------------------------------------------


def test_a_killed_worker_is_named_with_its_signal_and_the_others_go_on(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 8.0, {})), simulate="3x3090")
    wait_for(lambda: burning(store, run_id, 3), "throughput of all", 60)
    victims = [row.device.id for row in store.devices(run_id) if row.burned]
    worker = child(store, run_id, "core.loads.worker", victims[1])
    assert worker is not None
    worker.send_signal(signal.SIGKILL)
    wait_for(lambda: finished(store, run_id), "the verdict", 40)
    results = {result.device_id: result for result in store.results(run_id) if result.number == 1}
    assert results[victims[1]].status is ResultStatus.DIED
    assert "SIGKILL" in results[victims[1]].reason
    assert [results[victims[n]].status for n in (0, 2)] == [ResultStatus.PASSED] * 2
    assert outcome(store, run_id, victims[1]) is Outcome.INCOMPLETE
    assert "SIGKILL" in said(store, run_id)


def test_a_frozen_worker_is_ended_by_the_heartbeat_guard_and_fails(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 12.0, {}), heartbeat_timeout_s=2.5)
    run_id = start(profile, simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both", 60)
    victim = next(row.device.id for row in store.devices(run_id) if row.burned)
    worker = child(store, run_id, "core.loads.worker", victim)
    assert worker is not None
    worker.send_signal(signal.SIGSTOP)
    wait_for(lambda: finished(store, run_id), "the verdict", 60)
    assert outcome(store, run_id, victim) is Outcome.FAIL
    assert "No heartbeat" in said(store, run_id)
    assert not worker.is_running()


def test_a_killed_sampler_is_replaced_and_the_run_goes_on(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 8.0, {})), simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput", 60)
    sampler = child(store, run_id, "core.telemetry.sampler")
    assert sampler is not None
    sampler.send_signal(signal.SIGKILL)
    wait_for(lambda: finished(store, run_id), "the verdict", 40)
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert "sampler died" in said(store, run_id)
    device_id = next(row.device.id for row in store.devices(run_id) if row.burned)
    assert store.samples(run_id, device_id)[-2:, COLUMN["power_w"]].min() > 0


def test_nothing_burns_blind(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*LONG, telemetry_timeout_s=3), simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput", 60)
    sampler = child(store, run_id, "core.telemetry.sampler")
    assert sampler is not None
    sampler.send_signal(signal.SIGSTOP)
    wait_for(lambda: finished(store, run_id), "the verdict", 30)
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "No telemetry" in said(store, run_id)


def test_a_hot_device_is_stopped_by_its_guard_and_the_others_go_on(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 30.0, {}), temperature_c=31, temperature_for_s=1)
    run_id = start(profile, simulate="1x3090")
    wait_for(lambda: finished(store, run_id), "the verdict", 40)
    assert outcome(store, run_id) is Outcome.FAIL
    assert "Too hot" in said(store, run_id)


def test_a_killed_runner_stops_all_loads_within_two_seconds_and_loses_at_most_a_second(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both", 60)
    runner, *children = family(store, run_id)
    assert len(children) == 3
    before_s = store.last_time_s(run_id)
    device_id = next(row.device.id for row in store.devices(run_id) if row.burned)
    wait_for(lambda: store.samples(run_id, device_id, before_s).size, "the next sample", 3)
    runner.send_signal(signal.SIGKILL)
    wait_for(lambda: not any(process.is_running() for process in children), "the end of all children", 2.0)
    times = store.samples(run_id, device_id)[:, 0]
    assert times[-1] > before_s
    assert max(times[1:] - times[:-1]) < 2.0
    interruption = find_interrupted(store, tmp_path)[0]
    assert interruption.run_id == run_id
    assert "ended unexpectedly" in interruption.sentence
    assert close_run(store, run_id)[0].outcome is Outcome.INCOMPLETE


def test_an_interrupted_run_can_go_on_at_its_stage(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 4.0, {}))
    run_id = start(profile, simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput", 60)
    family(store, run_id)[0].send_signal(signal.SIGKILL)
    wait_for(lambda: find_interrupted(store, tmp_path), "the interruption")
    preflight = store.stages(run_id)[0]
    assert start(profile, simulate="1x3090", resume=run_id) == run_id
    wait_for(lambda: finished(store, run_id), "the verdict", 40)
    assert store.stages(run_id)[0] == preflight
    assert store.stages(run_id)[1].status is StageStatus.DONE
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)


def test_a_killed_viewer_changes_nothing_and_a_new_one_sees_the_whole_curve(
    start: Callable[..., int], store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    profile = write_profile(("preflight", 1.0, {}), ("gemm", 8.0, {}))
    viewer = subprocess.Popen(
        [sys.executable, "-m", "core.cli", "burn", "--profile", profile, "--simulate", "1x3090"],
        env=os.environ | {"RIGWRIGHT_DATA_DIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    run_id = wait_for(lambda: store.runs() and store.runs()[0].id, "the run", 30)
    wait_for(lambda: burning(store, run_id, 1), "throughput", 60)
    viewer.kill()
    viewer.wait()
    wait_for(lambda: finished(store, run_id), "the verdict", 40)
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    follower = Follower(store, run_id)
    device_id = next(row.device.id for row in follower.devices if row.burned)
    times = follower.poll().samples[device_id][:, 0]
    assert times[0] < 1.5
    assert max(times[1:] - times[:-1]) < 2.0
