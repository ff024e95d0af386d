"""Does a model fit a card's memory: the old rule of thumb, and a count of weights, optimiser and activations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Annotated, Any

from pydantic import Field, model_serializer

from core.platform.json_value import JsonValue
from core.predict.band import Band
from core.predict.speed.networks import Triple
from core.words import Worded, tr, trc

GB = 1e9
GIB = 2.0**30
"""A card's memory is a power of two: 24 GB are 24 x 2^30 bytes."""
RESERVED_GB = 0.4
"""What the old rule leaves to driver and libraries."""
STATE_BYTES: Triple = (16, 17, 18)
"""Per parameter with Adam in mixed precision: weight and gradient in 16 bit, weight, momentum and variance in 32 bit;
2 more with gradients in 32 bit (Rajbhandari et al. 2020, "ZeRO", section 3.1)."""
FRAMEWORK_GB: Triple = (0.6, 1.0, 2.0)
"""Driver, libraries, buffers of the collectives and fragments (general knowledge)."""
LOGIT_BYTES: Triple = (4, 8, 12)
"""Per vocabulary entry and token: logits in 16 bit, in 32 bit, and their gradient."""
HEAD_WIDTH = 64
"""GPT-2's and the smaller GPT-3's."""
MOST_CARDS = 1024


class Fits(Worded):
    """Whether a model fits."""

    YES = "yes", trc("memory", "fits")
    TIGHT = "tight", trc("memory", "tight")
    """With activations recomputed, or with luck."""
    NO = "no", tr("does not fit")
    UNKNOWN = "unknown", tr("unknown")

    @property
    def order(self) -> int:
        """0 for what fits, 3 for what does not; what nobody knows is between them."""
        return _FROM_BEST.index(self)


_FROM_BEST = (Fits.YES, Fits.TIGHT, Fits.UNKNOWN, Fits.NO)


@dataclass(frozen=True, slots=True)
class Shape:
    """A transformer's size; fractions where it stands for all of about that size."""

    layers: float
    width: float
    heads: float
    vocabulary: int = 50257


@dataclass(frozen=True, slots=True)
class MemoryFit(JsonValue):
    """One model on cards of one size. `needed_gb` is on each card, in GiB as cards are sold."""

    parameters: float
    memory_gb: float | None
    cards: int
    needed_gb: Band
    fits: Fits
    rule_of_thumb: Annotated[float | None, Field(serialization_alias="rule_of_thumb_parameters")]
    """Parameters that fit by (memory - 400 MB) / 2 / 4 bytes: FP32 with momentum, one card, no activations."""
    fewest_cards: int | None
    """Of this size over which the expected need fits when weights, gradients and optimiser are sharded."""

    @property
    def fits_rule_of_thumb(self) -> bool | None:
        """By the old rule."""
        return None if self.rule_of_thumb is None else self.parameters <= self.rule_of_thumb

    @model_serializer(mode="wrap")
    def _with_rules(self, of_fields: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        by_16_bit = None if self.memory_gb is None else rule_of_thumb(self.memory_gb, 2)
        rules = {"fits_rule_of_thumb": self.fits_rule_of_thumb, "rule_of_thumb_16_bit_parameters": by_16_bit}
        figures = of_fields(self)
        fewest = {"fewest_cards": figures.pop("fewest_cards")}
        return figures | rules | fewest


def rule_of_thumb(memory_gb: float, bytes_each: float = 4) -> float:
    """Parameters that fit: (memory - 400 MB) / 2 / bytes, the 2 for momentum. 16 bit fit twice as many as 32 bit."""
    return max(0.0, memory_gb - RESERVED_GB) * GB / 2 / bytes_each


def memory_fit(
    parameters: float,
    memory_gb: float | None,
    *,
    cards: int = 1,
    activations: Triple | None = None,
    batch: int = 1,
    sequence: int = 1024,
) -> MemoryFit:
    """Training with Adam in mixed precision, states sharded over the cards (ZeRO stage 3, FSDP). Pure.

    `activations` are bytes on each card (low, expected, high); without them those of a transformer of so many
    parameters for `batch` sequences. Raises ValueError for a size or a count below one.
    """
    if parameters < 1 or cards < 1 or batch < 1 or sequence < 1:
        raise ValueError("a model has parameters, cards, a batch and a sequence of at least one")
    shape = shape_of(parameters)
    activation_bytes = activations or transformer_activations(shape, batch, sequence)
    layer_bytes = 4 * parameters / shape.layers
    gathered = 0.0 if cards == 1 else layer_bytes
    needed = _needed(parameters, cards, activation_bytes, gathered)
    rule = None if memory_gb is None else rule_of_thumb(memory_gb)
    fewest = None if memory_gb is None else _fewest(parameters, memory_gb, activation_bytes, layer_bytes)
    return MemoryFit(parameters, memory_gb, cards, needed, _judged(needed, memory_gb), rule, fewest)


def transformer_activations(shape: Shape, batch: int, sequence: int) -> Triple:
    """Bytes kept for the backward pass in 16 bit (Korthikanti et al. 2022, "Reducing Activation Recomputation").

    Low: all recomputed, 2 s b h a layer and one layer in full. Expected: attention in blocks (flash), 34 s b h a layer.
    High: attention matrices kept as well, 5 a s^2 b more.
    """
    tokens = float(batch * sequence)
    layer = 34 * tokens * shape.width
    matrices = 5 * shape.heads * float(sequence) ** 2 * batch
    low, expected, high = (tokens * shape.vocabulary * one for one in LOGIT_BYTES)
    return (
        2 * tokens * shape.width * shape.layers + layer + low,
        layer * shape.layers + expected,
        (layer + matrices) * shape.layers + high,
    )


def shape_of(parameters: float) -> Shape:
    """A transformer of about so many parameters: 12 layers x width^2 of them, in proportions between GPT-2 and GPT-3.

    Width over layers grows from 43 (GPT-2 medium) to 128 (GPT-3 6.7B).
    """
    ratio = min(128.0, max(43.0, 43.0 * (parameters / 0.35e9) ** 0.36))
    layers = max(2.0, (parameters / (12 * ratio**2)) ** (1 / 3))
    width = (parameters / (12 * layers)) ** 0.5
    return Shape(layers, width, width / HEAD_WIDTH)


def _needed(parameters: float, cards: int, activation_bytes: Triple, gathered: float) -> Band:
    low, expected, high = (
        (parameters * state / cards + gathered + more) / GIB + own
        for state, more, own in zip(STATE_BYTES, activation_bytes, FRAMEWORK_GB, strict=True)
    )
    return Band(low, expected, high, "GB")


def _judged(needed: Band, memory_gb: float | None) -> Fits:
    if memory_gb is None:
        return Fits.UNKNOWN
    if needed.expected <= memory_gb:
        return Fits.YES
    return Fits.TIGHT if needed.low <= memory_gb else Fits.NO


def _fewest(parameters: float, memory_gb: float, activation_bytes: Triple, gathered: float) -> int | None:
    """Cards over which the expected need fits: one if all of it does."""
    if _needed(parameters, 1, activation_bytes, 0.0).expected <= memory_gb:
        return 1
    room = (memory_gb - FRAMEWORK_GB[1]) * GIB - activation_bytes[1] - gathered
    if room <= 0:
        return None
    count = max(2, ceil(parameters * STATE_BYTES[1] / room))
    return count if count <= MOST_CARDS else None
