"""A small GPT: token and position embeddings, pre-norm blocks of attention and feed-forward, a tied output layer.

After Radford et al. 2019 ("Language Models are Unsupervised Multitask Learners"): GELU, a feed-forward of four widths,
residual projections initialised smaller with depth. No dropout, for a burn-in must repeat.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

INITIAL_SPREAD = 0.02


@dataclass(frozen=True, slots=True)
class Shape:
    """Size of the network and its batch."""

    layers: int
    width: int
    heads: int
    context: int
    batch: int
    vocabulary: int

    @property
    def tokens(self) -> int:
        """Tokens per training step."""
        return self.batch * self.context


class Attention(nn.Module):
    """Causal self-attention over several heads."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.queries_keys_values = nn.Linear(shape.width, 3 * shape.width)
        self.project = nn.Linear(shape.width, shape.width)

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

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.before_attention = nn.LayerNorm(shape.width)
        self.attention = Attention(shape)
        self.before_feed_forward = nn.LayerNorm(shape.width)
        self.widen = nn.Linear(shape.width, 4 * shape.width)
        self.narrow = nn.Linear(4 * shape.width, shape.width)

    def forward(self, x: Tensor) -> Tensor:
        """(batch, context, width) to the same shape."""
        attended: Tensor = x + self.attention(self.before_attention(x))
        fed: Tensor = self.narrow(functional.gelu(self.widen(self.before_feed_forward(attended))))
        return attended + fed


class Gpt(nn.Module):
    """Predicts the next token at every place."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.vocabulary = shape.vocabulary
        self.tokens = nn.Embedding(shape.vocabulary, shape.width)
        self.places = nn.Embedding(shape.context, shape.width)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.last_norm = nn.LayerNorm(shape.width)
        self.apply(_initialise)
        for block in self.blocks:
            assert isinstance(block, Block)
            for residual in (block.attention.project, block.narrow):
                nn.init.normal_(residual.weight, std=INITIAL_SPREAD / (2 * shape.layers) ** 0.5)

    def forward(self, text: Tensor, following: Tensor) -> Tensor:
        """Mean cross-entropy in nats of `following` given `text`, both (batch, context)."""
        places = torch.arange(text.shape[1], device=text.device)
        x: Tensor = self.tokens(text) + self.places(places)
        for block in self.blocks:
            x = block(x)
        scores = functional.linear(self.last_norm(x), self.tokens.weight)
        return functional.cross_entropy(scores.view(-1, self.vocabulary).float(), following.reshape(-1))


def parameter_count(model: nn.Module) -> int:
    """Numbers that training changes; tied ones once."""
    return sum(parameter.numel() for parameter in model.parameters())


def _initialise(module: nn.Module) -> None:
    if isinstance(module, nn.Linear | nn.Embedding):
        nn.init.normal_(module.weight, std=INITIAL_SPREAD)
    if isinstance(module, nn.Linear):
        nn.init.zeros_(module.bias)
