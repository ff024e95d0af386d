"""A deep LSTM that predicts the next token: small products in a long chain, which neither GEMM nor CNN exercise.

Of the size of one side of GNMT (Wu et al. 2016, "Google's Neural Machine Translation System": layers of 1024 cells, a
vocabulary of 32,000), without attention.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from core.loads.load import StepReport
from core.loads.training.task import Examples, classified
from core.loads.training.weights import drawn

GATES = 4


@dataclass(frozen=True, slots=True)
class LstmTask:
    """`width` is the number of cells of a layer and of an embedding, `length` the tokens of a sequence."""

    layers: int
    width: int
    length: int
    vocabulary: int
    batch: int
    learning_rate: float = 1e-3

    unit: ClassVar[str] = "tokens"

    @property
    def per_step(self) -> int:
        """Tokens."""
        return self.batch * self.length

    @property
    def flop_per_step(self) -> float:
        """Two per multiply-add; backward costs twice the forward."""
        cells = 2 * GATES * 2 * self.width * self.width * self.layers
        scores = 2 * self.width * self.vocabulary
        return 3.0 * self.per_step * (cells + scores)

    def described(self) -> dict[str, Any]:
        """The size, for the record."""
        return asdict(self)

    def network(self, seed: int) -> Generator[StepReport, None, nn.Module]:
        """The network of this size with its first weights, on the host."""
        return drawn(lambda: Lstm(self), seed)

    def examples(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Random text (batch, length) and the token that follows each."""
        text = torch.randint(self.vocabulary, (self.batch, self.length + 1), generator=generator)
        return text[:, :-1].contiguous(), text[:, 1:].contiguous()

    def judged(self, network: nn.Module, examples: Examples) -> tuple[Tensor, Tensor | None]:
        """Cross-entropy, and the scores."""
        text, following = examples
        return classified(network(text), following)

    def smaller(self) -> LstmTask | None:
        """Half the batch."""
        return replace(self, batch=self.batch // 2) if self.batch >= 2 else None


class Lstm(nn.Module):
    """Embedding, LSTM layers, a score for every token of the vocabulary."""

    def __init__(self, task: LstmTask) -> None:
        super().__init__()
        self.tokens = nn.Embedding(task.vocabulary, task.width)
        self.cells = nn.LSTM(task.width, task.width, task.layers, batch_first=True)
        self.scores = nn.Linear(task.width, task.vocabulary)

    def forward(self, text: Tensor) -> Tensor:
        """(batch, length) to (batch, length, vocabulary)."""
        hidden, _ = self.cells(self.tokens(text))
        scores: Tensor = self.scores(hidden)
        return scores
