"""What a training load trains: a network of some size, its fixed batch, and how its answers are judged."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Protocol

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.loads.load import StepReport

Examples = tuple[Any, Any]
"""What goes in, and the right answers."""


class TrainingTask(Protocol):
    """A network of a certain size with its batch. Values; the same seed gives the same numbers on every machine."""

    @property
    def unit(self) -> str:
        """What a batch is counted in: "images", "tokens" or "items"."""
        ...

    @property
    def per_step(self) -> int:
        """How many of them one training step takes in."""
        ...

    @property
    def flop_per_step(self) -> float:
        """Operations of the matrix products of one step, forward and backward; 0 if not known."""
        ...

    @property
    def learning_rate(self) -> float:
        """At which the loss falls from the first steps on."""
        ...

    def described(self) -> dict[str, Any]:
        """The size, for the record."""
        ...

    def network(self, seed: int) -> Generator[StepReport, None, nn.Module]:
        """The network with its first weights, on the host; drawn with signs of life."""
        ...

    def examples(self, generator: torch.Generator) -> Examples:
        """Inputs and the right answers, on the host."""
        ...

    def judged(self, network: nn.Module, examples: Examples) -> tuple[Tensor, Tensor | None]:
        """The loss, and the score of every answer (..., answers) where there are right and wrong ones."""
        ...

    def smaller(self) -> TrainingTask | None:
        """The same network with half the batch; None if that cannot be."""
        ...


def classified(scores: Tensor, answers: Tensor) -> tuple[Tensor, Tensor]:
    """Mean cross-entropy in nats of scores (..., classes) given the right answers (...), and the scores themselves."""
    return functional.cross_entropy(scores.flatten(end_dim=-2).float(), answers.flatten()), scores.detach()


def share_right(scores: Tensor, answers: Tensor) -> Tensor:
    """The share (0 to 1) of places where the right answer has the highest score; stays on the device."""
    return (scores.argmax(dim=-1) == answers).float().mean()
