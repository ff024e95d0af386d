"""A training curve is judged: fallen, not a number, run away, repeated; and the loop of all trainings: every loss is
read, starts are alike, and what memory spoils beyond training is told."""

import math
from typing import Any

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, FaultKind, LoadStatus, StepReport
from core.loads.training import sizes
from core.loads.training.contract import Precision
from core.loads.training.judging import ENOUGH_STEPS, Curve, Unchanging
from core.loads.training.text import GptTask
from core.loads.training.trainer import Trainer, prepared
from core.loads.training.training_loop import StepBatch, TrainingLoop
from tests.loads.conftest import result_of


def curve_of(*starts: list[float]) -> Curve:
    """Losses after steps 1, 2, ... of each start."""
    curve = Curve()
    for losses in starts:
        curve.start()
        for step, loss in enumerate(losses, start=1):
            assert curve.add(step, loss) is None
    return curve


def falling(steps: int) -> list[float]:
    return [6.0 * 0.95**step for step in range(steps)]


@pytest.mark.parametrize(
    ("losses", "fell"), [(falling(40), True), ([6.0] * 40, False), ([6.0 - 0.0001 * step for step in range(40)], False)]
)
def test_the_loss_must_have_fallen_after_enough_steps(losses: list[float], fell: bool) -> None:
    assert curve_of(losses).fell_always is fell


def test_too_few_steps_say_nothing() -> None:
    curve = curve_of(falling(ENOUGH_STEPS - 1))
    assert curve.last_loss is None
    assert curve.judged_steps == 0


def test_an_unfinished_last_start_does_not_hide_the_loss_that_counts() -> None:
    curve = curve_of(falling(50), falling(3))
    assert curve.last_loss == falling(50)[-1]
    assert curve.judged_steps == 50


@pytest.mark.parametrize("loss", [math.nan, math.inf, -math.inf])
def test_a_loss_that_is_no_number_is_a_fault(loss: float) -> None:
    fault = Curve().add(1, loss)
    assert fault.kind is FaultKind.NAN


def test_a_loss_that_doubles_has_run_away() -> None:
    curve = curve_of([6.0])
    fault = curve.add(2, 12.1)
    assert fault.kind is FaultKind.DIVERGED


def test_replays_are_compared_to_the_last_bit() -> None:
    assert curve_of(falling(30)).replays_identical is None
    assert curve_of(falling(30), falling(30)).replays_identical is True
    other = falling(30)
    other[7] = math.nextafter(other[7], 1.0)
    curve = curve_of(falling(30), other, falling(30))
    assert curve.replays_identical is False
    assert curve.differing_replays == 1


@pytest.mark.parametrize(("place", "loss"), [(0, math.nan), (3, math.inf), (-1, math.nan)])
def test_every_loss_of_a_lap_must_be_a_number(place: int, loss: float) -> None:
    losses = torch.tensor(falling(10))
    assert Curve().take(1, losses) is None
    losses[place] = loss
    fault = Curve().take(1, losses)
    assert f"after {place % 10 + 1} training steps" in fault.message


def test_a_lap_that_begins_at_the_first_step_is_a_start() -> None:
    curve, losses = Curve(), torch.tensor(falling(30))
    for first, part in [(1, losses[:7]), (8, losses[7:]), (1, losses[:7]), (8, losses[7:])]:
        assert curve.take(first, part) is None
    assert curve.starts == 2
    assert curve.replays_identical is True
    assert str(curve) == f"6.000 at first, {float(losses[-1]):.3f} after 30 steps"


CPU = torch.device("cpu")
TINY = GptTask(layers=1, width=16, heads=2, context=8, batch=2, vocabulary=32)


def made() -> Trainer:
    return result_of(prepared(TINY, CPU, seed=1, precision=Precision.FP32))


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
    proposals: list[int] = []
    loop = TrainingLoop(at_most=7, agreed=lambda own: proposals.append(own) or 3)  # type: ignore[func-returns-value]
    assert [len(batch.losses) for batch in batches(loop, made(), 4)] == [1, 1, 3, 3]
    assert len(proposals) == 1
    assert 1 <= proposals[0] <= 7


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
