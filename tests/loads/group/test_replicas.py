"""Replicas are compared by all that is trained: who differs is told by a vote, and where."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.loads.group.data_parallel import replica_problem
from core.loads.group.process_group import ProcessGroup
from core.loads.load import StepReport
from core.loads.training.contract import Precision
from core.loads.training.fingerprint import combined, fingerprints
from core.loads.training.gpt import GptTask
from core.loads.training.trainer import Trainer, prepared
from core.loads.training.training_loop import TrainingLoop

CPU = torch.device("cpu")
TINY = GptTask(layers=1, width=16, heads=2, context=8, batch=2, vocabulary=32)


def trained() -> Trainer:
    """After a step."""
    steps = prepared(TINY, CPU, seed=1, precision=Precision.FP32)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            trainer: Trainer = ended.value
            break
    loop = TrainingLoop()
    for _ in loop.run(trainer, lambda: loop.steps < 1, lambda _: StepReport()):
        pass
    return trainer


def problems(replicas: list[Trainer], monkeypatch: pytest.MonkeyPatch) -> list[str | None]:
    """What each rank is told when all of them say what they would say."""
    prints = [fingerprints(replica.trained().values()) for replica in replicas]

    def gathered(_: Any, values: list[int]) -> list[list[int]]:
        said = [[combined(own)] if len(values) == 2 else own for own in prints]
        return [[word for one in own for word in (one.plain, one.weighted)] for own in said]

    monkeypatch.setattr(ProcessGroup, "gathered_words", gathered)
    groups = [ProcessGroup(rank, len(replicas), CPU, None) for rank in range(len(replicas))]  # type: ignore[arg-type]
    return [replica_problem(group, replica) for group, replica in zip(groups, replicas, strict=True)]


def test_replicas_that_are_alike_have_no_problem(monkeypatch: pytest.MonkeyPatch) -> None:
    assert problems([trained(), trained()], monkeypatch) == [None, None]


@pytest.mark.parametrize("where", ["tokens.weight", "exp_avg_sq of tokens.weight in the optimiser"])
def test_of_three_the_one_that_differs_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch, where: str) -> None:
    """Before it moved any weight: what the optimiser remembers is compared as well."""
    replicas = [trained() for _ in range(3)]
    replicas[1].trained()[where].view(torch.uint8).view(-1)[5] ^= 1
    wrong = f"The weights on rank 1 differ from those on 2 of 3 ranks: {where}"
    assert problems(replicas, monkeypatch) == [None, wrong, None]
