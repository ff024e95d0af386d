"""Judging a training curve: did the loss fall, and does starting over give the same curve again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from torch import Tensor

from core.language import tr
from core.loads.load import Fault, FaultKind

ENOUGH_STEPS = 20
"""Fewer steps prove nothing about a fall."""
MUST_FALL_TO = 0.98
"""Of the first loss, within 20 steps; a healthy start does it in a few."""
RUNS_AWAY_AT = 2.0
"""Times the first loss."""


@dataclass(slots=True)
class Curve:
    """Losses (nats per token) at the steps where they were read, over one start after another."""

    first_loss: float | None = None
    last_loss: float | None = None
    """The latest loss that counts: after 20 steps or more of one start."""
    judged_steps: int = 0
    fell_always: bool = True
    starts: int = 0
    differing_replays: int = 0
    _golden: dict[int, float] = field(default_factory=dict)
    _differs: bool = False

    def start(self) -> None:
        """Training begins from its first weights."""
        self.starts += 1
        self._differs = False

    def take(self, first: int, losses: Tensor) -> Fault | None:
        """Takes in the losses of the steps from `first` on, which begins a start at 1; what is wrong, if anything.

        Every one must be a number, and is compared with those of earlier starts; the last one is judged.
        """
        if first == 1:
            self.start()
        told = losses.tolist()
        for step, loss in enumerate(told[:-1], start=first):
            if fault := self._noted(step, loss):
                return fault
        return self.add(first + len(told) - 1, told[-1])

    def add(self, step: int, loss: float) -> Fault | None:
        """Takes in the loss of step number `step` (from 1) of this start; what is wrong with it, if anything."""
        if fault := self._noted(step, loss):
            return fault
        assert self.first_loss is not None
        if loss > RUNS_AWAY_AT * self.first_loss:
            text = tr(
                "The loss diverged to {loss:.3f} after {step} training steps; it was {first_loss:.3f} at first",
                loss=loss,
                step=step,
                first_loss=self.first_loss,
            )
            return Fault(FaultKind.DIVERGED, text)
        if step >= ENOUGH_STEPS:
            self.last_loss = loss
            self.judged_steps = max(self.judged_steps, step)
            self.fell_always = self.fell_always and loss < MUST_FALL_TO * self.first_loss
        return None

    @property
    def replays_identical(self) -> bool | None:
        """Whether each later start gave the first one's losses to the last bit; None before there was one."""
        return None if self.starts < 2 else self.differing_replays == 0

    def __str__(self) -> str:
        return tr(
            "{first_loss:.3f} at first, {last_loss:.3f} after {judged_steps} steps",
            first_loss=self.first_loss,
            last_loss=self.last_loss,
            judged_steps=self.judged_steps,
        )

    def _noted(self, step: int, loss: float) -> Fault | None:
        if not math.isfinite(loss):
            return Fault(FaultKind.NAN, tr("The loss is {loss} after {step} training steps", loss=f"{loss}", step=step))
        if self.first_loss is None:
            self.first_loss = loss
        self._compare(step, loss)
        return None

    def _compare(self, step: int, loss: float) -> None:
        golden = self._golden.setdefault(step, loss)
        if golden != loss and not self._differs:
            self._differs = True
            self.differing_replays += 1
