"""A run seen from outside: its start, its silence, its processes that are ended and never mistaken, its locks."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import psutil
import pytest

from core.burnin.record.rows import InterruptionKind, RunDevice, RunStatus
from core.burnin.record.store import RUNNER, RunStore
from core.burnin.run import lock as locks
from core.burnin.run import order
from core.burnin.run.follow import NO_ANSWER_S, end_from_outside, runner_lives, silent_s
from core.burnin.run.lock import take_device_locks
from core.burnin.run.machine import boot_of, is_of_run
from core.burnin.run.order import BurnOrder, active_run, start_run
from core.burnin.run.recovery import find_interrupted
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.errors import EnvironmentProblem, RigwrightError
from core.platform.processes import ProcessMark, mark_of, own_environment, own_python
from tests.burnin.begun_run import begun
from tests.burnin.processes import LONG, Start, WriteProfile, burning, family, running
from tests.patience import wait_for

CPU = Device("cpu", DeviceKind.CPU, "A processor")


@pytest.fixture
def run_id(store: RunStore, tmp_path: Path) -> int:
    return begun(store, boot_of(tmp_path, simulated=False), [RunDevice(CPU, 0, True)], runner_pid=1)


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen(own_python("-c", "import time; time.sleep(60)"))
    yield process
    process.kill()
    process.wait()


def test_a_runner_is_silent_only_after_a_while_and_only_on_the_same_boot(
    store: RunStore, run_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    run, now_s = store.run(run_id), time.monotonic()
    assert silent_s(store, run) is None
    monkeypatch.setattr(time, "monotonic", lambda: now_s + NO_ANSWER_S + 7)
    assert silent_s(store, run) == pytest.approx(NO_ANSWER_S + 7, abs=1)
    monkeypatch.setattr("core.burnin.run.follow.boot_of", lambda *_, **__: "another boot")
    assert silent_s(store, run) is None


def test_the_silence_does_not_depend_on_the_wall_clock(
    store: RunStore, run_id: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for jump_s in (-86_400.0, 86_400.0):
        monkeypatch.setattr(time, "time", lambda jump=jump_s: jump)
        assert silent_s(store, store.run(run_id)) is None


def test_only_the_recorded_processes_are_ended_and_no_other_with_their_number(
    store: RunStore, run_id: int, sleeper: subprocess.Popen[bytes]
) -> None:
    mark = mark_of(sleeper.pid)
    assert mark is not None
    store.add_process(run_id, ProcessMark(sleeper.pid, "an earlier life"), RUNNER)
    assert not runner_lives(store, run_id)
    assert end_from_outside(store, run_id) == []
    assert sleeper.poll() is None, "another process that has the number by now"
    store.add_process(run_id, mark, RUNNER)
    assert runner_lives(store, run_id)
    assert end_from_outside(store, run_id) == []
    assert sleeper.poll() is not None
    assert store.run(run_id).status is RunStatus.INTERRUPTED
    assert [one.kind for one in store.interruptions(run_id)] == [InterruptionKind.ENDED_FROM_OUTSIDE]


def test_a_device_is_burned_in_by_one_run_at_a_time_whatever_the_data_folder() -> None:
    held = take_device_locks([CPU])
    code = (
        "from core.burnin.run.lock import take_device_locks\n"
        "from core.machine.telemetry.device import Device, DeviceKind\n"
        "take_device_locks([Device('cpu', DeviceKind.CPU, 'A processor')])\n"
    )
    second = subprocess.run(own_python("-c", code), capture_output=True, text=True, check=False)
    assert "A processor is being burned in by another run" in second.stderr
    for one in held:
        one.release()
    assert subprocess.run(own_python("-c", code), capture_output=True, check=False).returncode == 0


def test_a_worker_of_another_user_on_the_same_device_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(locks, "_others_workers", lambda _id: iter(["process 4711 of bob"]))
    with pytest.raises(EnvironmentProblem, match="process 4711 of bob"):
        take_device_locks([CPU])


@pytest.mark.process
def test_who_removes_the_lock_of_a_run_blinds_nobody(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    (tmp_path / "runner.lock").unlink()
    assert find_interrupted(store, tmp_path) == []
    assert active_run(tmp_path) == run_id
    with pytest.raises(RigwrightError, match="already running"):
        start_run(tmp_path, BurnOrder(profile=write_profile(*LONG), simulate="1x3090"))
    processes = family(store, run_id)
    assert end_from_outside(store, run_id) == []
    assert not any(map(running, processes))


@pytest.mark.process
def test_nothing_is_imported_from_the_folder_that_a_run_is_started_in(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    for name in ("psutil.py", "torch.py", "pynvml.py"):
        (tmp_path / name).write_text(f"open({str(tmp_path / 'executed')!r}, 'w').close()\n", "utf-8")
    (tmp_path / "core").mkdir()
    (tmp_path / "core" / "__init__.py").write_text("raise SystemExit('another core')\n", "utf-8")
    monkeypatch.chdir(tmp_path)
    run_id = start(write_profile(("preflight", 1.0, {}), ("gemm", 1.0, {"size": 64})), devices=("cpu",))
    wait_for(lambda: store.run(run_id).status is RunStatus.FINISHED, "the verdict")
    assert not (tmp_path / "executed").exists()


KERNELS, CONTAINERS = "pid:[4026531836]", "pid:[4026532999]"
GONE = 2**31 - 1


@pytest.fixture
def root(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    (tmp_path / "ns").mkdir()
    (tmp_path / "ns" / "pid").symlink_to(request.param)
    return tmp_path


@pytest.mark.parametrize("root", [KERNELS, CONTAINERS], indirect=True)
def test_the_runner_and_its_workers_are_ours_whatever_they_are_called(root: Path) -> None:
    assert is_of_run(os.getpid(), "any", [], root)
    assert is_of_run(42, "any", [42], root)


@pytest.mark.parametrize("root", [KERNELS], indirect=True)
def test_a_living_process_is_ours_by_its_parents_alone(root: Path) -> None:
    parent = psutil.Process().parent()
    assert not is_of_run(parent.pid, "python3", [], root), "what started us is none of ours"
    above = [process.pid for process in psutil.Process(parent.pid).parents()]
    assert is_of_run(parent.pid, "plasmashell", above[:1], root) is bool(above)


@pytest.mark.parametrize(
    ("root", "pid"), [(KERNELS, GONE), (CONTAINERS, GONE), (CONTAINERS, os.getppid())], indirect=["root"]
)
@pytest.mark.parametrize(
    ("program", "ours"), [("python3", True), ("pt_main_thread", True), ("plasmashell", False), ("", True)]
)
def test_the_name_decides_where_the_number_says_nothing(root: Path, pid: int, program: str, ours: bool) -> None:
    assert is_of_run(pid, program, [], root) is ours


@pytest.mark.process
def test_an_interrupt_at_the_moment_of_the_start_does_not_reach_the_runner(
    monkeypatch: pytest.MonkeyPatch, store: RunStore, write_profile: Callable[..., str], tmp_path: Path
) -> None:
    spawn = order._spawn

    def spawn_and_interrupt(command: list[str], log: IO[bytes], environment: dict[str, str]) -> subprocess.Popen[bytes]:
        process = spawn(command, log, environment)
        process.send_signal(signal.SIGINT)
        return process

    monkeypatch.setattr(order, "_spawn", spawn_and_interrupt)
    profile = write_profile(("preflight", 30.0, {}))
    run_id = start_run(tmp_path, BurnOrder(profile=profile, simulate="1x3090"))
    try:
        assert store.run(run_id).status is RunStatus.RUNNING
        assert "The system told" not in " ".join(event.message for event in store.events(run_id))
    finally:
        with contextlib.suppress(psutil.NoSuchProcess):
            psutil.Process(store.run(run_id).runner_pid).kill()


@pytest.mark.process
def test_interrupts_are_held_back_for_the_start_alone(tmp_path: Path) -> None:
    before: Any = signal.pthread_sigmask(signal.SIG_BLOCK, [])
    with (tmp_path / "log").open("wb") as log:
        process = order._spawn(["true"], log, own_environment())
    process.communicate()
    assert signal.pthread_sigmask(signal.SIG_BLOCK, []) == before
