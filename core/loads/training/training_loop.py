"""The one loop of every training load: steps in groups, read together, and over again from the first weights.

Reading a loss stops the device for a moment, so several steps are queued before their losses are read; every one of
them is.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from core.loads.device import mark, waited_for
from core.loads.findings import Drill
from core.loads.load import StepReport
from core.loads.meter import Meter
from core.loads.training.contract import trained
from core.loads.training.trainer import Trainer
from core.words import tr

GROUP_S = 0.2
LARGEST_GROUP = 50
RESTART_STEPS = 500
"""A loss near zero makes Adam erratic."""


@dataclass(frozen=True, slots=True)
class StepBatch:
    """Steps that were queued together: the number of the first one since the start (from 1), and their losses.

    The losses lie on the host. `problem`: why the steps could not be done, where earlier ones could.
    """

    first: int
    losses: Tensor
    problem: str | None = None

    @property
    def last(self) -> int:
        """The number of the last step since the start."""
        return self.first + len(self.losses) - 1


class TrainingLoop:
    """Trains in batches of about 0.2 s, `at_most` so many steps, or of `batch_steps`; each start begins with one step.

    `agreed` makes of what fits on this rank the choice of all ranks.
    """

    def __init__(
        self,
        *,
        drill: Drill | None = None,
        restart_after: int | None = None,
        batch_steps: int | None = None,
        at_most: int = LARGEST_GROUP,
        agreed: Callable[[int], int] = int,
        peak_tflops: float | None = None,
    ) -> None:
        self.drill = drill or Drill()
        self.meter = Meter()
        self.steps = 0
        self.since_start = 0
        self.loss: float | None = None
        self.accuracy_pct: float | None = None
        self.broken = False
        """Whether a step could not be done: nothing comes after it."""
        self._restart_after = restart_after or RESTART_STEPS
        self._batch_steps = batch_steps
        self._at_most = at_most
        self._agreed = agreed
        self._peak_tflops = peak_tflops
        self._batches = 0
        self._training_s = self._waiting_s = 0.0

    @property
    def verification_pct(self) -> float | None:
        """What reading and judging losses added to the device's time; None before there was any."""
        return None if self._training_s <= 0 else round(100 * self._waiting_s / self._training_s, 2)

    @property
    def at_its_end(self) -> bool:
        """Whether the next step is the first one of another start."""
        return self.since_start >= self._restart_after

    def run(
        self, trainer: Trainer, go_on: Callable[[], bool], read: Callable[[StepBatch], StepReport]
    ) -> Iterator[StepReport]:
        """Batch after batch while `go_on`; `read` tells what it checked and found, and may start over."""
        while not self.broken and go_on():
            if self.at_its_end:
                self.start_over(trainer)
            began, first = time.perf_counter(), self.since_start + 1
            fitting = self._batch_steps if self._batch_steps and self.since_start else 1
            steps = min(fitting, self._restart_after - self.since_start)
            started = mark(trainer.device)
            try:
                losses = torch.stack([self._step(trainer) for _ in range(steps)])
            except (IndexError, ArithmeticError) as error:
                if not self._batches:
                    raise
                self.broken = True
                problem = tr("Training step {step} failed to run: {error}", step=self.steps + 1, error=error)
                yield read(StepBatch(first, torch.empty(0), problem))
                return
            ended = mark(trainer.device)
            yield from waited_for(ended)
            busy_s = ended.seconds_since(started)
            self._count(steps, busy_s)
            self.accuracy_pct = trainer.accuracy_pct()
            batch = StepBatch(first, losses.cpu())
            self.loss = float(batch.losses[-1])
            checked = read(batch)
            self._waiting_s += max(time.perf_counter() - began - busy_s, 0.0)
            report = trained(trainer.task, steps, busy_s=busy_s, peak_tflops=self._peak_tflops)
            faults = checked.faults
            yield replace(report, checks=checked.checks, faults=faults, loss=self.loss, accuracy_pct=self.accuracy_pct)

    def start_over(self, trainer: Trainer) -> None:
        """The next step is the first one again."""
        trainer.start_over()
        self.since_start = 0

    def _step(self, trainer: Trainer) -> Tensor:
        loss = trainer.step()
        self.steps += 1
        self.since_start += 1
        if self.drill.due(self.steps - 1):
            trainer.inject(self.drill.kind)
            self.drill.strike(tr("the weights after training step {step}", step=self.steps))
        return loss

    def _count(self, steps: int, busy_s: float) -> None:
        self._batches += 1
        self._training_s += busy_s
        if self._batches > 1:  # the first one also makes what is made once
            self.meter.add(steps, busy_s)
        if self._batches == 2 and self._batch_steps is None:
            self._batch_steps = self._agreed(max(1, min(self._at_most, int(GROUP_S / max(busy_s, 1e-6)))))
