"""What a language model takes of each card's memory: weights, cache of K and V, activations, gradients, the framework.

GB are GiB, as cards are sold. The parts are counted; what software adds is set by published peaks (torchtune's README,
the table of Qwen's README, generation with Hugging Face Transformers).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from pydantic import model_serializer

from core.platform.json_value import JsonValue, Tenths
from core.predict.band import Band, total
from core.predict.llm.workload import Method, Offload, Optimiser, Split, Workload
from core.predict.speed.memory_fit import GIB, Fits
from core.predict.speed.networks import Triple

MOST_CARDS = 1024
CHECKPOINT = (2.0, 2.0, 2.2)
"""Bytes per token, width and layer that stay of a layer which is computed again: its input in 16 bit."""
LAYER: Triple = (20.0, 34.0, 50.0)
"""The same of a layer with everything kept, attention in blocks (Korthikanti et al. 2022); gated layers keep more."""
LOGITS: Triple = (1.0, 8.0, 14.0)
"""Bytes per token of a training sequence and entry of the vocabulary: computed in pieces, as tuned code does; in 16 and
in 32 bit with their gradient."""
LOGIT_TOKENS_OF_INFERENCE = 1.0
"""Only the last token of a request needs them."""
PREFILL_TOKENS = 2048.0
"""Tokens of a prompt that an engine computes at once."""
ADAPTERS = (0.002, 0.006, 0.03)
"""Weights of LoRA over those of the model: rank 8 on queries and values, up to rank 64 on every matrix."""
ADAPTER_BYTES = 16.0
"""Weight, gradient, two moments, master copy."""
STATES: dict[Optimiser, tuple[Triple, Triple]] = {
    Optimiser.ADAM: ((2.0, 3.0, 4.0), (12.0, 12.0, 12.0)),
    Optimiser.ADAM_8BIT: ((2.0, 2.0, 4.0), (2.0, 2.1, 4.0)),
    Optimiser.ADAM_8BIT_IN_BACKWARD: ((0.05, 0.1, 0.3), (0.0, 2.1, 2.5)),
}
"""Bytes per parameter of gradients and of the optimiser's state. Adam: gradients in 16 or 32 bit, master copy and two
moments in 32 (Rajbhandari et al. 2020, "ZeRO", section 3.1). Paged moments may leave the card altogether."""
FRAMEWORK_GB: dict[bool, Triple] = {False: (0.3, 0.7, 1.5), True: (0.3, 1.0, 2.5)}
"""Context of the driver, libraries, workspaces; by whether there is training."""
SLACK: Triple = (1.0, 1.03, 1.10)
"""What allocators lose to fragments."""


@dataclass(frozen=True, slots=True)
class ModelMemory(JsonValue):
    """Of one card, the fullest of those that share the model. All bands in GB (GiB)."""

    cards: int
    """That share it."""
    memory_gb: float | None
    weights: Band
    cache: Band
    """K and V, and states of linear layers. None of training."""
    activations: Band
    training_state: Band
    """Gradients, optimiser, adapters. None of inference."""
    framework: Band
    needed: Band
    fits: Fits
    short_gb: Tenths | None
    """By how much the expected need is more than the card has; None where it fits or nobody knows."""
    fewest_cards: int | None
    """Of this size over which it fits; None where no number of cards helps, or the size is unknown."""
    in_ram_gb: Tenths
    """Of the whole model, expected in the host's RAM."""

    @property
    def spare_gb(self) -> float | None:
        """What the expected need leaves free."""
        return None if self.memory_gb is None else self.memory_gb - self.needed.expected

    @model_serializer(mode="wrap")
    def _with_verdict(self, of_fields: Callable[[Any], dict[str, Any]]) -> dict[str, Any]:
        return of_fields(self) | {"fits": self.fits.value}


def model_memory(
    workload: Workload, memory_gb: float | None = None, cards: int = 1, *, share: float | None = None
) -> ModelMemory:
    """The workload over so many cards of one size, in GiB; `share` is this card's part of the layers where cards of
    several sizes split them. Pure. Raises ValueError for fewer than one card."""
    if cards < 1:
        raise ValueError("a model runs on one card or more")
    one = _on_each(workload, memory_gb, cards, share)
    if memory_gb is None:
        return one
    return replace(one, fewest_cards=_fewest(workload, memory_gb))


def _fewest(workload: Workload, memory_gb: float) -> int | None:
    low, high = 1, MOST_CARDS
    if _on_each(workload, memory_gb, high, None).fits is not Fits.YES:
        return None
    while low < high:
        middle = (low + high) // 2
        if _on_each(workload, memory_gb, middle, None).fits is Fits.YES:
            high = middle
        else:
            low = middle + 1
    return low


def _on_each(workload: Workload, memory_gb: float | None, cards: int, share: float | None) -> ModelMemory:
    own = share or 1 / cards
    weights, in_ram = _weights(workload, cards, own)
    state, state_in_ram = _training_state(workload, cards, own)
    cache = _cache(workload, cards, own)
    activations = _activations(workload, cards, own)
    framework = _gb(FRAMEWORK_GB[workload.method.trains], GIB)
    slack = total((weights, cache, activations, state), "GB").times(*(factor - 1 for factor in SLACK))
    framework = framework + slack
    needed = total((weights, cache, activations, state, framework), "GB")
    if workload.offload is Offload.WEIGHTS and not workload.method.trains and memory_gb is not None:
        over = max(0.0, needed.expected - memory_gb)
        moved = min(over, weights.expected)
        in_ram += moved * cards
        needed = Band(max(0.0, needed.low - moved), needed.expected - moved, needed.high - moved, "GB")
        weights = Band(max(0.0, weights.low - moved), weights.expected - moved, weights.high - moved, "GB")
    fits = _judged(needed, memory_gb)
    short = None if memory_gb is None else needed.expected - memory_gb
    return ModelMemory(
        cards=cards,
        memory_gb=memory_gb,
        weights=weights,
        cache=cache,
        activations=activations,
        training_state=state,
        framework=framework,
        needed=needed,
        fits=fits,
        short_gb=short if short is not None and short > 0 else None,
        fewest_cards=None,
        in_ram_gb=in_ram + state_in_ram,
    )


def _judged(needed: Band, memory_gb: float | None) -> Fits:
    if memory_gb is None:
        return Fits.UNKNOWN
    if needed.expected <= memory_gb:
        return Fits.YES
    return Fits.TIGHT if needed.low <= memory_gb else Fits.NO


def _spread(workload: Workload, cards: int, own: float) -> float:
    """This card's part of the weights."""
    match workload.split:
        case Split.LAYERS:
            return own
        case Split.TENSOR | Split.ZERO_3:
            return 1 / cards
    return 1.0


def _weights(workload: Workload, cards: int, own: float) -> tuple[Band, float]:
    """On the card, and of all cards in RAM."""
    size = workload.weight_bytes
    layer = size / workload.model.layers
    if workload.offload is Offload.WEIGHTS and workload.method.trains:
        return _gb((2 * layer, 3 * layer, 4 * layer), 1.0), size / GIB
    held = size * _spread(workload, cards, own)
    gathered = 2 * layer if workload.split is Split.ZERO_3 and cards > 1 else 0.0
    return _gb((held + gathered / 2, held + gathered, held + 1.5 * gathered), 1.0), 0.0


def _training_state(workload: Workload, cards: int, own: float) -> tuple[Band, float]:
    parameters = workload.model.parameters
    match workload.method:
        case Method.INFERENCE:
            return _gb((0.0, 0.0, 0.0), 1.0), 0.0
        case Method.LORA | Method.QLORA:
            spread = _spread(workload, cards, own)
            return _gb(ADAPTERS, parameters * ADAPTER_BYTES * spread), 0.0
    gradients, optimiser = STATES[workload.optimiser]
    of_gradients = of_optimiser = _spread(workload, cards, own)
    if workload.split.shards:
        of_optimiser = 1 / cards
        of_gradients = 1 / cards if workload.split is not Split.ZERO_1 else 1.0
    if workload.offload is Offload.WEIGHTS:
        whole = parameters * (gradients[1] + optimiser[1]) / GIB
        return _gb(gradients, parameters / workload.model.layers), whole
    on_card = _gb(gradients, parameters * of_gradients)
    if workload.offload is Offload.OPTIMISER:
        return on_card, parameters * optimiser[1] / GIB
    return on_card + _gb(optimiser, parameters * of_optimiser), 0.0


def _cache(workload: Workload, cards: int, own: float) -> Band:
    if workload.method.trains:
        return _gb((0.0, 0.0, 0.0), 1.0)
    model, context = workload.model, float(workload.context)
    each = workload.cache_bits / 8 * _requests_of_a_card(workload, cards)
    match workload.split:
        case Split.TENSOR:
            values = model.split_cache_values(context, cards)
        case Split.LAYERS:
            values = model.cache_values(context) * own
        case _:
            values = model.cache_values(context)
    size = values * each
    return _gb((size, size, size), 1.0)


def _requests_of_a_card(workload: Workload, cards: int) -> int:
    return -(-workload.requests // cards) if workload.split is Split.DATA else workload.requests


def _activations(workload: Workload, cards: int, own: float) -> Band:
    model = workload.model
    if not workload.method.trains:
        requests = _requests_of_a_card(workload, cards)
        tokens = min(PREFILL_TOKENS, float(workload.context) * requests)
        working = tokens * (4 * model.width + 3 * model.inner) * 2
        logits = requests * LOGIT_TOKENS_OF_INFERENCE * model.vocabulary
        spread = 1 / cards if workload.split is Split.TENSOR else 1.0
        return _gb((0.2 * working * spread, working * spread, 2 * working * spread + 4 * logits), 1.0)
    tokens = float(workload.context * workload.requests)
    layers = model.layers * (own if workload.split is Split.LAYERS else 1.0)
    per_layer = tuple(tokens * (size * model.width * 0.6 + 6 * model.inner * size / 34) for size in LAYER)
    held = tuple(tokens * model.width * layers * size for size in CHECKPOINT)
    whole = tuple(one * (1 if workload.recompute else layers) for one in per_layer)
    logits_each = tuple(tokens * model.vocabulary * size for size in LOGITS)
    low, expected, high = (
        (point if workload.recompute else 0.0) + layer + logit
        for point, layer, logit in zip(held, whole, logits_each, strict=True)
    )
    return _gb((low, expected, high), 1.0)


def _gb(triple: Triple, times: float) -> Band:
    """Bytes, scaled, in GiB."""
    low, expected, high = (value * times / GIB for value in triple)
    return Band(low, expected, high, "GB")
