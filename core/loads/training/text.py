"""Networks that predict the next token: a deep LSTM, small products in a long chain, which neither GEMM nor CNN
exercise; and a GPT, token and position embeddings, pre-norm blocks of attention and feed-forward, a tied output.

The LSTM is of the size of one side of GNMT (Wu et al. 2016, "Google's Neural Machine Translation System": layers of
1024 cells, a vocabulary of 32,000), without attention. The GPT is after Radford et al. 2019 ("Language Models are
Unsupervised Multitask Learners"): GELU, a feed-forward of four widths, residual projections initialised smaller with
depth. No dropout, for a burn-in must repeat.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, ClassVar, Protocol

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


class GptShape(Protocol):
    """The size of a GPT."""

    @property
    def layers(self) -> int:
        """Blocks, one on the other."""
        ...

    @property
    def width(self) -> int:
        """Of the embedding of a token."""
        ...

    @property
    def heads(self) -> int:
        """Of each block, which share the width evenly."""
        ...

    @property
    def context(self) -> int:
        """Tokens of the longest text."""
        ...

    @property
    def vocabulary(self) -> int:
        """Different tokens."""
        ...


class KvCache:
    """Keys and values of one layer for the text so far: `memory` (2, batch, heads, context, width of a head)."""

    __slots__ = ("length", "memory")

    def __init__(self, memory: Tensor) -> None:
        self.memory = memory
        self.length = 0

    def extended(self, newer: Tensor) -> Tensor:
        """Keeps those of further tokens (2, batch, heads, tokens, width of a head); all that are kept now."""
        end = self.length + newer.shape[3]
        self.memory[:, :, :, self.length : end] = newer
        self.length = end
        return self.memory[:, :, :, :end]


class Attention(nn.Module):
    """Causal self-attention over several heads."""

    def __init__(self, shape: GptShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.queries_keys_values = nn.Linear(shape.width, 3 * shape.width)
        self.project = Residual(shape.width, shape.width, branches=2 * shape.layers)

    def forward(self, x: Tensor, cache: KvCache | None = None) -> Tensor:
        """(batch, context, width) to the same shape. With a cache that is not empty x is of the next token alone."""
        batch, context, width = x.shape
        split = self.queries_keys_values(x).view(batch, context, 3, self.heads, width // self.heads)
        by_head = split.permute(2, 0, 3, 1, 4)
        queries, (keys, values) = by_head[0], by_head[1:] if cache is None else cache.extended(by_head[1:])
        mixed = functional.scaled_dot_product_attention(queries, keys, values, is_causal=context > 1)
        projected: Tensor = self.project(mixed.transpose(1, 2).reshape(batch, context, width))
        return projected


class Block(nn.Module):
    """Attention, then a feed-forward network, each added to what came in."""

    def __init__(self, shape: GptShape) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(shape.width)
        self.attention = Attention(shape)
        self.before_feed_forward = nn.LayerNorm(shape.width)
        self.widen = nn.Linear(shape.width, 4 * shape.width)
        self.narrow = Residual(4 * shape.width, shape.width, branches=2 * shape.layers)

    def forward(self, x: Tensor, cache: KvCache | None = None) -> Tensor:
        """(batch, context, width) to the same shape; see `Attention` for the cache."""
        attended: Tensor = x + self.attention(self.before_attention(x), cache)
        fed: Tensor = self.narrow(functional.gelu(self.widen(self.before_feed_forward(attended))))
        return attended + fed


class Gpt(nn.Module):
    """Scores every token of the vocabulary as the next one at every place."""

    def __init__(self, shape: GptShape) -> None:
        super().__init__()
        self.tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.context, shape.width)
        self.blocks = nn.Sequential(*(Block(shape) for _ in range(shape.layers)))
        self.last_norm = nn.LayerNorm(shape.width)

    def forward(self, text: Tensor, caches: Sequence[KvCache] = (), last: int = 0) -> Tensor:
        """(batch, context) to (batch, context, vocabulary), or of the `last` places alone.

        With `caches`, one for each block, the text is a prompt, and later the one token that follows.
        """
        start = caches[0].length if caches else 0
        places = torch.arange(start, start + text.shape[1], device=text.device)
        x: Tensor = self.tokens(text) + self.places(places)
        for block, cache in zip_longest(self.blocks, caches):
            x = block(x, cache)
        return functional.linear(self.last_norm(x[:, -last:]), self.tokens.weight)


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
