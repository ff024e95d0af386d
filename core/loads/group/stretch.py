"""Training for a while in step with the other ranks: all take equally many steps, and end together."""

from __future__ import annotations

import time
from collections.abc import Iterator

from core.loads.group.circle import Circle
from core.loads.load import Fault, StepReport
from core.loads.meter import Meter
from core.loads.timing import mark, waited_for
from core.loads.training.curve import Curve
from core.loads.training.task import Task
from core.loads.training.trainer import Trainer

GROUP_S = 0.25
LARGEST_GROUP = 20
RESTART_STEPS = 500
"""A loss near zero makes Adam erratic."""


class Stretch:
    """Groups of steps. `meter` counts steps, `curve` judges the losses of this rank."""

    def __init__(self, circle: Circle, task: Task, peak_tflops: float | None = None) -> None:
        self.meter = Meter()
        self.curve = Curve()
        self.steps = 0
        self._circle = circle
        self._task = task
        self._peak_tflops = peak_tflops
        self._since_start = 0

    def run(self, trainer: Trainer, until: float, *, at_least: int, at_last: float) -> Iterator[StepReport]:
        """Until `until` (monotonic) by the clock of whoever is first; longer for so many steps, but until `at_last`."""
        group, groups = 1, 0
        self.curve.start()
        while self._circle.agree(time.monotonic() < (until if self.steps >= at_least else max(until, at_last))):
            if self._since_start >= RESTART_STEPS:
                self._start_over(trainer)
            started = mark(self._circle.device)
            for _ in range(group):
                loss = trainer.step()
            ended = mark(self._circle.device)
            yield from waited_for(ended)
            busy_s = ended.seconds_since(started)
            self.steps += group
            self._since_start += group
            groups += 1
            if groups > 1:  # the first one also makes what is made once
                self.meter.add(group, busy_s)
            yield self._read(trainer, float(loss), group, busy_s)
            group = self._fitting(busy_s) if groups == 2 else group

    def _start_over(self, trainer: Trainer) -> None:
        trainer.start_over()
        self._since_start = 0
        self.curve.start()

    def _read(self, trainer: Trainer, loss: float, group: int, busy_s: float) -> StepReport:
        fault = self.curve.add(self._since_start, loss)
        faults: tuple[Fault, ...] = () if fault is None else (fault,)
        amount = group * self._task.per_step
        return StepReport(
            flop=group * self._task.flop_per_step,
            busy_s=busy_s,
            checks=1,
            faults=faults,
            tokens=amount if self._task.unit == "tokens" else 0,
            images=amount if self._task.unit == "images" else 0,
            training_steps=group,
            loss=loss,
            accuracy_pct=trainer.accuracy_pct(),
            peak_tflops=self._peak_tflops,
        )

    def _fitting(self, one_step_s: float) -> int:
        """Steps of a group, as the first rank finds them to fit."""
        own = max(1, min(LARGEST_GROUP, int(GROUP_S / max(one_step_s, 1e-6))))
        return int(self._circle.gathered([own])[0][0])
