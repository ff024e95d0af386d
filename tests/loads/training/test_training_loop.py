"""The loop of all trainings: every loss is read, starts are alike, and what memory spoils beyond training is told."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, FaultKind, LoadStatus, StepReport
from core.loads.training import sizes
from core.loads.training.contract import Precision
from core.loads.training.fingerprint import Unchanging
from core.loads.training.gpt import GptTask
from core.loads.training.trainer import Trainer, prepared
from core.loads.training.training_loop import StepBatch, TrainingLoop

CPU = torch.device("cpu")
TINY = GptTask(layers=1, width=16, heads=2, context=8, batch=2, vocabulary=32)


def made() -> Trainer:
    steps = prepared(TINY, CPU, seed=1, precision=Precision.FP32)
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            trainer: Trainer = ended.value
            return trainer


def batches(loop: TrainingLoop, trainer: Trainer, count: int) -> list[StepBatch]:
    read: list[StepBatch] = []

    def reading(batch: StepBatch) -> StepReport:
        read.append(batch)
        return StepReport(checks=1)

    for _ in loop.run(trainer, lambda: len(read) < count, reading):
        pass
    return read


def test_each_start_begins_with_a_single_step_and_all_losses_are_read() -> None:
    loop = TrainingLoop(restart_after=12, batch_steps=5)
    read = batches(loop, made(), 8)
    assert [(batch.first, batch.last) for batch in read] == 2 * [(1, 1), (2, 6), (7, 11), (12, 12)]
    assert loop.steps == 24
    first, second = (torch.cat([batch.losses for batch in read[start : start + 4]]) for start in (0, 4))
    assert torch.equal(first, second), "starts from the same weights give the same losses"
    assert len(set(first.tolist())) == 12


def test_steps_fit_into_their_time_as_all_ranks_agree() -> None:
    asked: list[int] = []
    loop = TrainingLoop(at_most=7, agreed=lambda own: asked.append(own) or 3)  # type: ignore[func-returns-value]
    assert [len(batch.losses) for batch in batches(loop, made(), 4)] == [1, 1, 3, 3]
    assert len(asked) == 1
    assert 1 <= asked[0] <= 7


@pytest.mark.parametrize("place", ["inputs", "answers", "optimiser"])
def test_what_memory_spoils_beyond_training_is_a_finding(monkeypatch: pytest.MonkeyPatch, place: str) -> None:
    """A token that is in no vocabulary, or a count of steps that no power can be raised to."""
    monkeypatch.setattr(sizes, "CPU_GPT", TINY)
    step = Trainer.step
    done = 0

    def spoiling(trainer: Trainer) -> Any:
        nonlocal done
        done += 1
        if done == 4:
            if place == "optimiser":
                next(iter(trainer._optimiser.state.values()))["step"].fill_(-1)
            else:
                trainer._examples[place == "answers"].view(-1)[3] ^= 1 << 40
        return step(trainer)

    monkeypatch.setattr(Trainer, "step", spoiling)
    ending, reports = replayed()
    assert ending.status is LoadStatus.FAILED
    assert "Training step 4 failed to run" in ending.reason
    assert ("changed in memory: the " in ending.reason) is (place != "optimiser")
    assert reports[-1].faults[0].kind is FaultKind.MISMATCH


def replayed() -> tuple[Ending, list[StepReport]]:
    load = make_load("replay", {"steps": 6}, device=CPU)
    reports = list(load.steps(60))
    return load.finish(), reports


@pytest.mark.parametrize("what", ["the inputs", "the targets", "initial tokens.weight"])
def test_what_must_not_change_is_named_when_it_does(what: str) -> None:
    trainer = made()
    unchanging = trainer.unchanging()
    batches(TrainingLoop(), trainer, 3)
    assert unchanging.problem() is None
    unchanging._tensors[what].view(torch.uint8).view(-1)[-1] ^= 1
    assert unchanging.problem() == f"Data that must stay constant changed in memory: {what}"


def test_several_that_changed_are_counted() -> None:
    tensors = {name: torch.zeros(3) for name in "abc"}
    unchanging = Unchanging(tensors)
    for name in "bc":
        tensors[name][1] = 1
    assert unchanging.problem() == "Data that must stay constant changed in memory: b and 1 more"


def test_what_is_trained_is_told_by_name() -> None:
    trainer = made()
    batches(TrainingLoop(), trainer, 1)
    named = trainer.trained()
    assert "exp_avg of tokens.weight in the optimiser" in named
    weights = dict(trainer.network.named_parameters())
    assert len(named) == 4 * len(weights)
