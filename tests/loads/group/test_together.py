"""One device's part in a group: it passes on what its rank tells, and neither hangs nor blames the wrong one."""

import itertools
import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from core.loads.backend import make_load
from core.loads.group import rank_process, together
from core.loads.group.rank_process import rank_environment
from core.loads.load import Ending, FaultKind, Load, LoadStatus, RankGroup, StepReport
from core.platform.errors import EnvironmentProblem
from tests.patience import gone, wait_for

pytestmark = pytest.mark.process
CPU, GPU = torch.device("cpu"), torch.device("cuda", 0)
NAMES = ("GPU-a", "GPU-b")

STUB = """
import os, signal, sys, time
from core.platform.protocol import open_channel
channel = open_channel()
order = channel.receive(None)
behaviour = os.environ["BEHAVIOUR"].split()
for what in behaviour:
    match what:
        case "join": channel.send("joined")
        case "doing": channel.send("doing", what="The all-reduce of 256 MiB")
        case "step": channel.send("step", busy_s=0.5, moved_bytes=10**9, checks=3, faults=[])
        case "wrong": channel.send("step", checks=1, faults=[["mismatch", "1 sum is wrong.", 1]])
        case "pass": channel.send("done", status="passed", reason="All right.", evidence={"rates": {"all_reduce": 7}})
        case "fail": channel.send("done", status="failed", reason="1 sum is wrong.", evidence={"rank": order["rank"]})
        case "lost": channel.send("cut_off", reason="Connection closed by peer")
        case "crash": os.kill(os.getpid(), signal.SIGSEGV)
        case "exit": os._exit(3)
        case "raise": raise ValueError("negative shift count")
        case "killed": os.kill(os.getpid(), signal.SIGKILL)
time.sleep(600)
"""
"""Stands in for a rank: says what `BEHAVIOUR` lists, then nothing more. It needs no torch."""


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[..., Load]:
    """Makes a load whose ranks are stand-ins; `behaviour` is theirs from then on."""
    monkeypatch.setattr(rank_process, "PROGRAM", ("-c", STUB))

    def make(
        behaviour: str, *, device: torch.device = CPU, rank: int = 0, name: str = "collectives", **params: Any
    ) -> Load:
        monkeypatch.setenv("BEHAVIOUR", behaviour)
        devices = ("cpu",) if device is CPU else NAMES
        group = RankGroup(rank, len(devices), str(tmp_path / "meeting"), devices)
        return make_load(name, params, group, device=device)

    return make


def run(load: Load) -> tuple[Ending, list[StepReport]]:
    reports = list(load.steps(1.0))
    return load.finish(), reports


def faults(reports: list[StepReport]) -> list[tuple[FaultKind, str]]:
    return [(fault.kind, fault.message) for report in reports for fault in report.faults]


def test_a_cpu_alone_makes_two_ranks_and_counts_for_both(load: Callable[..., Load]) -> None:
    ending, reports = run(load("join doing step pass"))
    assert (ending.status, ending.reason) == (LoadStatus.PASSED, "All right.")
    assert ending.evidence.as_dict()["ranks"] == 2
    assert ending.evidence.as_dict()["checks"] == 6
    assert ending.evidence.as_dict()["rates"] == {"all_reduce": 7}
    assert sum(report.moved_bytes for report in reports) == 2 * 10**9


def test_a_fault_of_any_rank_fails_the_device(load: Callable[..., Load]) -> None:
    ending, reports = run(load("join wrong fail"))
    assert ending.status is LoadStatus.FAILED
    assert ending.evidence.as_dict()["errors"] == 2
    assert faults(reports) == [(FaultKind.MISMATCH, "1 sum is wrong.")] * 2


def test_signs_of_life_come_while_a_rank_waits_and_a_stop_ends_it(load: Callable[..., Load]) -> None:
    before = set(psutil.Process().children())
    steps = load("join doing").steps(3600)
    assert len(list(itertools.islice(steps, 12))) == 12
    ranks = set(psutil.Process().children()) - before
    assert len(ranks) == 2
    steps.close()  # type: ignore[attr-defined]
    wait_for(lambda: all(map(gone, ranks)), "the end of the ranks")


def test_what_hangs_is_named(load: Callable[..., Load]) -> None:
    ending, reports = run(load("join doing", timeout_s=2))
    assert ending.status is LoadStatus.FAILED
    assert ending.reason == "The all-reduce of 256 MiB did not return within 2 s."
    assert faults(reports) == [(FaultKind.ERROR, ending.reason)], "nothing was computed wrongly"
    assert "retry_with" not in ending.evidence.as_dict()


@pytest.mark.parametrize(
    ("p2p", "reason"),
    [(True, "run the stage again with p2p = false"), (False, "Direct access between the GPUs was off")],
)
def test_a_hang_of_gpus_tells_what_to_try(load: Callable[..., Load], p2p: bool, reason: str) -> None:
    ending, _ = run(load("join doing", device=GPU, timeout_s=2, p2p=p2p))
    assert ending.status is LoadStatus.FAILED
    assert reason in ending.reason
    assert ending.evidence.as_dict().get("retry_with") == ({"p2p": False} if p2p else None)


def test_who_never_came_is_named_and_nobody_blamed(load: Callable[..., Load], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(together, "JOIN_WITHIN_S", 0.4)
    ending, reports = run(load("", device=GPU))
    assert (ending.status, ending.reason) == (LoadStatus.NOT_RUN, "GPU-b did not join within 0 s.")
    assert faults(reports) == []


@pytest.mark.parametrize(
    ("behaviour", "status", "reason"),
    [
        ("join doing crash", LoadStatus.FAILED, "signal 11 (SIGSEGV)"),
        ("join doing exit", LoadStatus.FAILED, "ended with exit code 3"),
        ("join doing raise", LoadStatus.NOT_RUN, "bug in Rigwright"),
        ("join doing killed", LoadStatus.NOT_RUN, "signal 9 (SIGKILL)"),
        ("join doing lost", LoadStatus.NOT_RUN, "The all-reduce of 256 MiB was cut short: Connection closed by peer."),
    ],
)
def test_how_a_rank_ended_is_reported(
    load: Callable[..., Load], behaviour: str, status: LoadStatus, reason: str
) -> None:
    ending, reports = run(load(behaviour, device=GPU))
    assert ending.status is status
    assert reason in ending.reason
    assert ending.reason.startswith("The all-reduce of 256 MiB")
    assert [kind for kind, _ in faults(reports)] == ([FaultKind.ERROR] if status is LoadStatus.FAILED else [])


def test_who_left_the_group_is_named_by_the_others(load: Callable[..., Load], monkeypatch: pytest.MonkeyPatch) -> None:
    """Two devices of one group, each as in its own worker; the rank of the second is killed."""
    monkeypatch.setattr(together, "GONE_GRACE_S", 0.3)
    first, second = (load("join doing", device=GPU, rank=rank) for rank in (0, 1))
    endings: list[Ending] = []
    waiting = threading.Thread(target=lambda: endings.append(run(first)[0]))
    steps = second.steps(60)
    before = set(psutil.Process().children())
    next(steps)
    (killed,) = set(psutil.Process().children()) - before
    waiting.start()
    killed.send_signal(signal.SIGKILL)
    for _ in steps:
        pass
    waiting.join()
    assert second.finish().status is LoadStatus.NOT_RUN
    assert "signal 9" in second.finish().reason
    assert endings[0].status is LoadStatus.NOT_RUN
    assert endings[0].reason.startswith("GPU-b left the group: ")
    assert "signal 9" in endings[0].reason


def test_who_was_killed_with_its_worker_is_missed_too(
    load: Callable[..., Load], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(together, "GONE_GRACE_S", 0.2)
    gone = psutil.Popen(["true"])
    gone.wait()
    (tmp_path / "meeting.rank1").write_text(f'{{"pid": {gone.pid}, "left": "", "done": false}}')
    ending, _ = run(load("join doing", device=GPU))
    assert ending.reason == f"GPU-b left the group: its process {gone.pid} is gone."


def test_who_is_done_is_not_missed(load: Callable[..., Load], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(together, "GONE_GRACE_S", 0.0)
    (tmp_path / "meeting.rank1").write_text('{"pid": 1, "left": "All right.", "done": true}')
    ending, _ = run(load("join doing step", device=GPU, timeout_s=1.2))
    assert "did not return" in ending.reason


@pytest.mark.parametrize(("name", "refused"), [("collectives", True), ("p2p", True), ("data_parallel", False)])
def test_one_gpu_alone_can_only_train(name: str, refused: bool, tmp_path: Path) -> None:
    group = RankGroup(0, 1, str(tmp_path / "meeting"), ("GPU-a",))
    if refused:
        with pytest.raises(EnvironmentProblem, match="takes 2 GPUs or more"):
            make_load(name, {}, group, device=GPU)
    else:
        assert make_load(name, {}, group, device=GPU).finish().status is LoadStatus.NOT_RUN


def test_direct_access_can_be_turned_off() -> None:
    assert rank_environment(Path("/m"), 1, p2p=False, threads=None)["NCCL_P2P_DISABLE"] == "1"
    allowed = rank_environment(Path("/m"), 1, p2p=True, threads=3)
    assert (allowed["NCCL_SOCKET_IFNAME"], allowed["GLOO_SOCKET_IFNAME"]) == ("lo", "lo")
    assert "NCCL_P2P_DISABLE" not in allowed
    assert allowed["OMP_NUM_THREADS"] == "3"
    assert allowed["NCCL_DEBUG_FILE"] == "/m.nccl-1.log"


PARENT = """
import sys, time
from pathlib import Path
from core.loads.group.rank_process import RankProcess, rank_environment
meeting = Path(sys.argv[1])
rank = RankProcess(0, rank_environment(meeting, 0, p2p=True, threads=1))
place = {"rank": 0, "size": 2, "meeting": str(meeting), "device": "cpu", "dead_man": 5.0}
rank.order(work="p2p", params={}, until=time.monotonic() + 3600, timeout_s=3600, **place)
print(rank.pid, flush=True)
while True:
    rank.beat()
    time.sleep(0.2)
"""


@pytest.fixture
def parent(tmp_path: Path) -> Iterator[psutil.Popen]:
    import subprocess
    import sys

    command = [sys.executable, "-c", PARENT, str(tmp_path / "meeting")]
    process = psutil.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ})
    yield process
    if process.is_running():
        process.kill()
    process.wait()
    process.stdout.close()


def test_a_rank_that_waits_for_others_dies_with_its_worker(parent: psutil.Popen, tmp_path: Path) -> None:
    """A real one, deep inside the framework."""
    rank = psutil.Process(int(parent.stdout.readline()))
    wait_for((tmp_path / "meeting").exists, "the rank at the meeting")
    parent.send_signal(signal.SIGKILL)
    wait_for(lambda: gone(rank), "the end of the rank")
