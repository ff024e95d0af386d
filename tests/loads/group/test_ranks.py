"""What the ranks of a group agree upon: who came and who left, whose fault an error is, which replica differs, how much
is sent on cards that are nearly full."""

import os
from pathlib import Path
from typing import Any

import psutil
import pytest
import torch

from core.loads.group.collectives import power_of_two
from core.loads.group.data_parallel import replica_problem
from core.loads.group.process_group import ProcessGroup
from core.loads.group.rank import CutOff, answer
from core.loads.group.rank_process import Roll
from core.loads.load import StepReport
from core.loads.training.contract import Precision
from core.loads.training.judging import combined, fingerprints
from core.loads.training.text import GptTask
from core.loads.training.trainer import Trainer, prepared
from core.loads.training.training_loop import TrainingLoop
from tests.loads.conftest import result_of

ORDER = {"work": "p2p", "params": {}, "until": 0.0, "rank": 0, "size": 2, "meeting": "/m", "device": "cuda"}


class Silent:
    def send(self, type_: str, **fields: Any) -> None:
        raise AssertionError("it never joined")


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("NCCL error in: x.cpp:1, unhandled system error\nncclSystemError: System call failed.", "not_run", "/dev/shm"),
        ("CUDA error: CUDA-capable device(s) is/are busy or unavailable", "not_run", "nvidia-smi -c 0"),
        ("CUDA error: out of memory", "not_run", "Not enough free memory"),
        ("mat1 and mat2 shapes cannot be multiplied", "not_run", "not blamed on any card"),
        ("ncclRemoteError: A call failed possibly due to a network error", "cut_off", "ncclRemoteError"),
        ("CUDA error: an illegal memory access was encountered", "failed", "illegal memory access"),
    ],
)
def test_only_the_devices_own_errors_fail_it(
    monkeypatch: pytest.MonkeyPatch, text: str, status: str, reason: str
) -> None:
    def raises(order: Any) -> ProcessGroup:
        raise RuntimeError(text)

    monkeypatch.setattr(ProcessGroup, "met", raises)
    ending = answer(ORDER, Silent())  # type: ignore[arg-type]
    assert ("cut_off" if isinstance(ending, CutOff) else ending.status) == status
    assert reason in ending.reason


def test_who_has_not_come_is_absent(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 3)
    assert roll.absent() == [0, 1, 2]
    roll.enter(1, os.getpid())
    assert roll.absent() == [0, 2]
    assert roll.gone() == {}


def test_who_left_says_why_and_who_is_done_is_not_missed(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 3)
    for rank in range(3):
        roll.enter(rank, os.getpid())
    roll.leave(0, "Stopped.", done=False)
    roll.leave(1, "All right.", done=True)
    assert Roll(tmp_path / "meeting", 3).gone() == {0: "Stopped."}
    assert roll.absent() == []


def test_a_process_that_vanished_is_gone(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 2)
    process = psutil.Popen(["sleep", "600"])
    roll.enter(1, process.pid)
    assert roll.gone() == {}
    process.kill()
    process.wait()
    assert roll.gone() == {1: f"its process {process.pid} is gone"}


def test_a_zombie_is_gone_as_well(tmp_path: Path) -> None:
    roll = Roll(tmp_path / "meeting", 1)
    process = psutil.Popen(["true"])
    roll.enter(0, process.pid)
    while process.status() != psutil.STATUS_ZOMBIE:
        pass
    assert list(roll.gone()) == [0]
    process.wait()


MIB = 2**20


@pytest.mark.parametrize(
    ("held", "taken"),
    [(-1, MIB), (0, MIB), (0.5, MIB), (MIB - 1, MIB), (MIB, MIB), (3 * MIB + 0.5, 2 * MIB), (2**30, 2**30)],
)
def test_a_transfer_is_the_largest_power_of_two_that_is_held_but_never_below_1_mib(held: float, taken: int) -> None:
    assert power_of_two(held) == taken


CPU = torch.device("cpu")
TINY = GptTask(layers=1, width=16, heads=2, context=8, batch=2, vocabulary=32)


def trained() -> Trainer:
    """After a step."""
    trainer, loop = result_of(prepared(TINY, CPU, seed=1, precision=Precision.FP32)), TrainingLoop()
    for _ in loop.run(trainer, lambda: loop.steps < 1, lambda _: StepReport()):
        pass
    return trainer


def problems(replicas: list[Trainer], monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What each rank is told when all of them say what they would say."""
    prints = [fingerprints(replica.trained().values()) for replica in replicas]

    def gathered(_: Any, values: list[int]) -> list[list[int]]:
        gathered = [[combined(own)] if len(values) == 2 else own for own in prints]
        return [[word for one in own for word in (one.plain, one.weighted)] for own in gathered]

    monkeypatch.setattr(ProcessGroup, "gathered_words", gathered)
    groups = [ProcessGroup(rank, len(replicas), CPU, None) for rank in range(len(replicas))]  # type: ignore[arg-type]
    return [replica_problem(group, replica) for group, replica in zip(groups, replicas, strict=True)]


def test_replicas_that_are_alike_have_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems([trained(), trained()], monkeypatch) == [None, None]


@pytest.mark.parametrize("where", ["tokens.weight", "exp_avg_sq of tokens.weight in the optimiser"])
def test_of_three_the_one_that_differs_is_reported_with_its_place(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Before it moved any weight: what the optimiser remembers is compared as well."""
    replicas = [trained() for _ in range(3)]
    replicas[1].trained()[where].view(torch.uint8).view(-1)[5] ^= 1
    wrong = f"The weights on rank 1 differ from those on 2 of 3 ranks: {where}"
    assert problems(replicas, monkeypatch) == [None, wrong, None]
