"""What must happen within seconds: loads end when they are told to, or when those who supervise them are gone.

    make bench

The tests of `make test` wait for the same ends without a watch.
"""

import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.burnin.record.store import RunStore
from core.loads.dead_man import WITHIN_S
from core.machine.telemetry.detect import detect_devices
from core.platform.errors import EnvironmentProblem
from tests.benchmarks.stopwatch import Stopwatch
from tests.burnin.conftest import start, write_profile
from tests.burnin.processes import LONG, Start, WriteProfile, burning, child, family, finished, running
from tests.burnin.test_kill_ranks_and_viewers import RANK, busy
from tests.fake_nvml.stand_in import build
from tests.loads.conftest import WorkerProcess, start_worker
from tests.machine.telemetry.conftest import sampler
from tests.patience import wait_for

__all__ = ["sampler", "start", "start_worker", "write_profile"]
STOP_S, GONE_S, HEARTBEATS_S, SAMPLES_S = 1.0, 0.5, 1.5, 2.0
"""From a request to rest; from a closed line to the end of the process; between two heartbeats; between two samples."""
RUNNER_GONE_S = 2.0
"""From the death of the runner to the end of all loads."""
CPU = ("--device", "cpu", "--kind", "cpu")
LOADS: dict[str, dict[str, Any]] = {
    "gemm": {},
    "resnet": {},
    "lstm": {},
    "transformer": {},
    "inference": {},
    "known_answer": {"size": 256, "iterations": 1_000_000},
    "vram": {"host_mib": 64},
    "bandwidth": {"buffer_mib": 64},
    "functional_units": {},
    "transients": {},
    "machine": {"memory_share_pct": 1, "disk_mib": 64},
}


def took_s(condition: Callable[[], Any], what: str) -> float:
    watch = Stopwatch()
    wait_for(condition, what)
    return watch.seconds


@pytest.fixture(scope="module")
def worker() -> Iterator[WorkerProcess]:
    started = WorkerProcess(*CPU)
    started.next("ready")
    yield started
    started.end()


@pytest.mark.parametrize("load", LOADS)
def test_a_load_beats_in_time_and_stops_within_a_second(worker: WorkerProcess, tmp_path: Path, load: str) -> None:
    first = len(worker.lines)
    params = LOADS[load] | ({"folder": str(tmp_path)} if load == "machine" else {})
    worker.send("start", load=load, seconds=120, params=params)
    for _ in range(3):
        worker.next("progress")
    stopwatch = Stopwatch()
    worker.send("stop")
    worker.next("done")
    assert stopwatch.seconds < STOP_S
    beats = [at for at, line in worker.lines[first:] if json.loads(line)["type"] == "progress"]
    assert max(later - earlier for earlier, later in itertools.pairwise(beats)) < HEARTBEATS_S


@pytest.mark.parametrize("doing", ["nothing", "products", "what hangs"])
def test_a_closed_line_ends_a_worker_at_once(start_worker: Callable[..., WorkerProcess], doing: str) -> None:
    hangs = doing == "what hangs"
    worker = start_worker(*(("--device", "SIM-0", "--kind", "gpu", "--simulated", "rtx-3090") if hangs else CPU))
    worker.next("ready")
    if doing != "nothing":
        params = {"inject": "hang", "inject_at": 0} if hangs else {"size": 2048}
        worker.send("start", load="gemm", seconds=60, params=params)
        worker.next("progress")
    closed = Stopwatch()
    worker.close_stdin()
    worker.process.wait()
    assert closed.seconds < GONE_S


def test_a_closed_line_ends_the_sampler_at_once(sampler: Callable[..., Any]) -> None:
    process = sampler("--simulate", "3090", "--interval", "30")
    process.next("samples")
    closed = Stopwatch()
    process.hang_up()
    process.process.wait()
    assert closed.seconds < GONE_S


def test_samples_come_on_a_steady_beat(sampler: Callable[..., Any]) -> None:
    process = sampler("--simulate", "2x3090", "--interval", "0.2")
    process.next("samples")
    watch = Stopwatch()
    for _ in range(10):
        process.next("samples")
    assert 1.8 < watch.seconds < 2.4


@pytest.mark.parametrize("function", ["nvmlInitWithFlags", "nvmlDeviceGetName"])
def test_a_driver_that_hangs_is_given_up_in_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    for name, value in build(tmp_path).environment(hang=function).items():
        monkeypatch.setenv(name, value)
    watch = Stopwatch()
    with pytest.raises(EnvironmentProblem, match="did not answer within 1 s"):
        detect_devices(timeout_s=1.0)
    assert watch.seconds < 4


@pytest.mark.parametrize("busy_machine", [False, True])
def test_a_killed_runner_stops_real_loads_within_two_seconds(
    start: Start, store: RunStore, write_profile: WriteProfile, busy_machine: bool
) -> None:
    run_id = start(write_profile(("gemm", 60.0, {"size": 512})), devices=("cpu",))
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    others = 2 * (os.cpu_count() or 1) if busy_machine else 0
    computing = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(others)]
    try:
        seen_s = store.last_time_s(run_id)
        wait_for(lambda: store.last_time_s(run_id) >= seen_s + 2, "samples")
        runner, *children = family(store, run_id)
        runner.kill()
        assert took_s(lambda: not any(map(running, children)), "the end of all") < RUNNER_GONE_S
    finally:
        for process in computing:
            process.kill()
            process.wait()
    times = store.samples(run_id, "cpu")[:, 0]
    assert max(times[1:] - times[:-1]) < SAMPLES_S, "no more than a second is lost"


def test_a_killed_runner_takes_starting_workers_with_it(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    run_id = start(write_profile(*LONG), devices=("cpu",))
    wait_for(lambda: child(store, run_id, "core.loads.worker"), "a worker that imports torch")
    runner, *children = family(store, run_id)
    runner.kill()
    assert took_s(lambda: not any(map(running, children)), "the end of all") < RUNNER_GONE_S


def test_ranks_end_with_the_runner_and_with_the_dead_mans_switch(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    run_id = start(write_profile(*[("collectives", 120.0, {})] * 2, stagger_s=0.0), devices=("cpu",))
    ranks = wait_for(lambda: busy(store, run_id, RANK, 2), "two ranks")
    runner = family(store, run_id)[0]
    runner.suspend()
    assert took_s(lambda: not any(map(running, ranks)), "the end of the ranks") < WITHIN_S + 2
    runner.resume()
    wait_for(lambda: busy(store, run_id, RANK, 2), "two ranks of the next stage")
    runner, *everybody = family(store, run_id)
    runner.kill()
    assert took_s(lambda: not any(map(running, everybody)), "the end of all") < RUNNER_GONE_S


def test_a_stop_and_a_limit_of_the_user_are_heeded_in_time(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    profile = write_profile(("gemm", 60.0, {}), temperature_c=31, temperature_for_s=1)
    run_id = start(profile, simulate="1x3090")
    worker = wait_for(lambda: child(store, run_id, "core.loads.worker"), "the worker")
    wait_for(lambda: any(event.kind == "guard" for event in store.events(run_id)), "the breach")
    assert took_s(lambda: not running(worker), "the end of the load") < RUNNER_GONE_S
    wait_for(lambda: finished(store, run_id), "the verdict")

    run_id = start(write_profile(*LONG), simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both devices")
    workers = [process for process in family(store, run_id)[1:] if "core.loads.worker" in process.cmdline()]
    store.request(run_id, "stop")
    assert took_s(lambda: not any(map(running, workers)), "the end of the loads") < 2 * RUNNER_GONE_S


ORPHANED = """
import subprocess, sys
child = subprocess.Popen([sys.executable, "-m", *sys.argv[1:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
child.wait()
"""


@pytest.mark.parametrize(
    "words",
    [("core.loads.worker", *CPU), ("core.machine.telemetry.sampler", "--simulate", "3090", "--interval", "30")],
    ids=["worker", "sampler"],
)
def test_nobody_outlives_a_killed_parent(words: tuple[str, ...]) -> None:
    with subprocess.Popen([sys.executable, "-c", ORPHANED, *words], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        orphan = psutil.Process(int(parent.stdout.readline()))
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        assert took_s(lambda: not running(orphan), "its end") < GONE_S
