"""Networks that predict the next token: a deep LSTM, small products in a long chain, which neither GEMM nor CNN
exercise; and a GPT, token and position embeddings, pre-norm blocks of attention and feed-forward, a tied output.

The LSTM is of the size of one side of GNMT (Wu et al. 2016, "Google's Neural Machine Translation System": layers of
1024 cells, a vocabulary of 32,000), without attention. The GPT is after Radford et al. 2019 ("Language Models are
Unsupervised Multitask Learners"): GELU, a feed-forward of four widths, residual projections initialised smaller with
depth. No dropout, for a burn-in must repeat.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.loads.training.task import ClassifierTask, Residual

GATES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class TextTask(ClassifierTask):
    """Layers of this width, and the number of different tokens."""

    layers: int
    width: int
    vocabulary: int

    unit: ClassVar[str] = "tokens"

    @property
    def sequence(self) -> int:
        """Tokens of a sequence."""
        raise NotImplementedError

    @property
    def per_step(self) -> int:
        """Tokens."""
        return self.batch * self.sequence

    def examples(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Random text (batch, sequence) and the token that follows each."""
        text = torch.randint(self.vocabulary, (self.batch, self.sequence + 1), generator=generator)
        return text[:, :-1].contiguous(), text[:, 1:].contiguous()


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


@dataclass(frozen=True, slots=True, kw_only=True)
class LstmTask(TextTask):
    """`width` is the number of cells of a layer and of an embedding, `length` the tokens of a sequence."""

    length: int
    learning_rate: float = 1e-3

    module: ClassVar[Callable[[Any], nn.Module]] = Lstm

    @property
    def sequence(self) -> int:
        """The `length` that is asked for."""
        return self.length

    @property
    def flop_per_step(self) -> float:
        """Two per multiply-add; backward costs twice the forward."""
        cells = 2 * GATES * 2 * self.width * self.width * self.layers
        scores = 2 * self.width * self.vocabulary
        return 3.0 * self.per_step * (cells + scores)


class Attention(nn.Module):
    """Causal self-attention over several heads."""

    def __init__(self, task: GptTask) -> None:
        super().__init__()
        self.heads = task.heads
        self.queries_keys_values = nn.Linear(task.width, 3 * task.width)
        self.project = Residual(task.width, task.width, branches=2 * task.layers)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, context, width) to the same shape."""
        batch, context, width = x.shape
        split = self.queries_keys_values(x).view(batch, context, 3, self.heads, width // self.heads)
        queries, keys, values = split.permute(2, 0, 3, 1, 4)
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=True)
        projected: Tensor = self.project(mixed.transpose(1, 2).reshape(batch, context, width))
        return projected


class Block(nn.Module):
    """Attention, then a feed-forward network, each added to what came in."""

    def __init__(self, task: GptTask) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(task.width)
        self.attention = Attention(task)
        self.before_feed_forward = nn.LayerNorm(task.width)
        self.widen = nn.Linear(task.width, 4 * task.width)
        self.narrow = Residual(4 * task.width, task.width, branches=2 * task.layers)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, context, width) to the same shape."""
        attended: Tensor = x + self.attention(self.before_attention(x))
        fed: Tensor = self.narrow(functional.gelu(self.widen(self.before_feed_forward(attended))))
        return attended + fed


class Gpt(nn.Module):
    """Scores every token of the vocabulary as the next one at every place."""

    def __init__(self, task: GptTask) -> None:
        super().__init__()
        self.tokens = nn.Embedding(task.vocabulary, task.width)
        self.places = nn.Embedding(task.context, task.width)
        self.blocks = nn.Sequential(*(Block(task) for _ in range(task.layers)))
        self.last_norm = nn.LayerNorm(task.width)

    def forward(self, text: Tensor) -> Tensor:
        """(batch, context) to (batch, context, vocabulary)."""
        places = torch.arange(text.shape[1], device=text.device)
        x: Tensor = self.blocks(self.tokens(text) + self.places(places))
        return functional.linear(self.last_norm(x), self.tokens.weight)


@dataclass(frozen=True, slots=True, kw_only=True)
class GptTask(TextTask):
    """`context` is the tokens of a sequence; the heads share the width evenly."""

    heads: int
    context: int
    learning_rate: float = 5e-4

    module: ClassVar[Callable[[Any], nn.Module]] = Gpt

    @property
    def sequence(self) -> int:
        """The `context` that is asked for."""
        return self.context

    @property
    def flop_per_step(self) -> float:
        """Two per multiply-add, backward twice the forward; attention as if it looked ahead too.

        As models are compared by (Chowdhery et al. 2022, "PaLM", appendix B).
        """
        weights = 12 * self.layers * self.width**2 + self.width * self.vocabulary
        attention = 2 * self.layers * self.width * self.context
        return 6.0 * self.per_step * (weights + attention)
