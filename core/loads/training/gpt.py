"""A GPT on random text: token and position embeddings, pre-norm blocks of attention and feed-forward, a tied output.

After Radford et al. 2019 ("Language Models are Unsupervised Multitask Learners"): GELU, a feed-forward of four widths,
residual projections initialised smaller with depth. No dropout, for a burn-in must repeat.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import torch
from torch import Tensor, nn
from torch.nn import functional

from core.loads.load import StepReport
from core.loads.training.task import Examples, classified
from core.loads.training.weights import Residual, drawn


@dataclass(frozen=True, slots=True)
class GptTask:
    """`context` is the tokens of a sequence; the heads share the width evenly."""

    layers: int
    width: int
    heads: int
    context: int
    batch: int
    vocabulary: int
    learning_rate: float = 5e-4

    unit: ClassVar[str] = "tokens"

    @property
    def per_step(self) -> int:
        """Tokens."""
        return self.batch * self.context

    @property
    def flop_per_step(self) -> float:
        """Two per multiply-add, backward twice the forward; attention as if it looked ahead too.

        As models are compared by (Chowdhery et al. 2022, "PaLM", appendix B).
        """
        weights = 12 * self.layers * self.width**2 + self.width * self.vocabulary
        attention = 2 * self.layers * self.width * self.context
        return 6.0 * self.per_step * (weights + attention)

    def described(self) -> dict[str, Any]:
        """The size, for the record."""
        return asdict(self)

    def network(self, seed: int) -> Generator[StepReport, None, nn.Module]:
        """The network of this size with its first weights, on the host."""
        return drawn(lambda: Gpt(self), seed)

    def examples(self, generator: torch.Generator) -> tuple[Tensor, Tensor]:
        """Random text (batch, context) and the token that follows each."""
        text = torch.randint(self.vocabulary, (self.batch, self.context + 1), generator=generator)
        return text[:, :-1].contiguous(), text[:, 1:].contiguous()

    def judged(self, network: nn.Module, examples: Examples) -> tuple[Tensor, Tensor | None]:
        """Cross-entropy, and the scores."""
        text, following = examples
        return classified(network(text), following)

    def smaller(self) -> GptTask | None:
        """Half the batch."""
        return replace(self, batch=self.batch // 2) if self.batch >= 2 else None


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
