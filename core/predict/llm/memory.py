"""What a language model takes of each card's memory: weights, cache of K and V, activations, gradients, the framework.

GB are GiB, as cards are sold. The parts are counted; what software adds is set by published peaks (torchtune's README,
the table of Qwen's README, generation with Hugging Face Transformers).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import inf

from core.platform.json_value import JsonValue, Tenths
from core.predict.band import Band, total
from core.predict.llm.workload import Method, Offload, Optimiser, Software, Split, Workload
from core.predict.speed.memory_fit import GIB, Fits
from core.predict.speed.networks import Triple

MOST_CARDS = 1024
INPUTS: Triple = (0.6, 1.0, 1.1)
"""Of 2 bytes per token, width and layer: what stays of a layer that is computed again. Torchtune's LoRA on an RTX 4090
leaves less than all of it."""
LAYER_SHARE: dict[Software, Triple] = {Software.TUNED: (0.50, 0.85, 1.05), Software.PLAIN: (0.90, 1.20, 1.70)}
"""Of 16 bytes per token and width and 6 per token and inner width, that a layer keeps with attention in blocks: inputs
of norms and matrices in 16 bit (after Korthikanti et al. 2022), three of a gated feed-forward layer."""
LOGITS: dict[tuple[Software, Method], Triple] = {
    (Software.TUNED, Method.FULL): (0.1, 0.8, 4.0),
    (Software.TUNED, Method.LORA): (0.1, 0.8, 4.0),
    (Software.TUNED, Method.QLORA): (0.1, 0.8, 4.0),
    (Software.PLAIN, Method.FULL): (8.0, 11.5, 16.0),
    (Software.PLAIN, Method.LORA): (11.0, 14.5, 18.0),
    (Software.PLAIN, Method.QLORA): (7.0, 9.0, 14.0),
}
"""Bytes per token of a training sequence and entry of the vocabulary: logits, in 32 bit as well, and their gradients,
by how peaks grow with the sequence; tuned code computes the loss in pieces."""
PREFILL_TOKENS = 2048.0
"""Tokens of a prompt that an engine computes at once."""
ADAPTER_BYTES: Triple = (10.0, 16.0, 16.0)
"""Weight, gradient, two moments, in 16 or 32 bit."""
STATES: dict[Optimiser, tuple[Triple, Triple]] = {
    Optimiser.ADAM: ((2.0, 3.0, 4.0), (12.0, 12.0, 12.0)),
    Optimiser.ADAM_8BIT: ((2.0, 2.0, 4.0), (2.0, 2.1, 4.0)),
    Optimiser.ADAM_8BIT_IN_BACKWARD: ((0.05, 0.15, 0.4), (2.0, 2.1, 2.5)),
}
"""Bytes per parameter of gradients and of the optimiser's state. Adam: gradients in 16 or 32 bit, master copy and two
moments in 32 (Rajbhandari et al. 2020, "ZeRO", section 3.1)."""
FRAMEWORK_GB: Triple = (0.05, 0.5, 1.5)
"""Context of the driver, libraries, workspaces; what the allocator counts alone is the low end."""
GATHERED_LAYERS: Triple = (1.0, 2.0, 3.0)
"""Whole at once on each card where weights are sharded: the one that is computed and the next."""
BUCKETS_GB: dict[Software, Triple] = {Software.TUNED: (0.0, 0.3, 1.0), Software.PLAIN: (0.0, 2.5, 6.0)}
"""What sharding keeps for gathering and summing ahead (DeepSpeed, on one card as well)."""
SLACK: Triple = (1.0, 1.01, 1.08)
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
    """What this GPU leaves in the host's RAM, expected."""


def model_memory(
    workload: Workload, memory_gb: float | None = None, cards: int = 1, *, share: float | None = None
) -> ModelMemory:
    """The workload over so many cards of one size, in GiB; `share` is this card's part of the layers where cards of
    several sizes split them. Pure. Raises ValueError for fewer than one card."""
    if cards < 1:
        raise ValueError("a model runs on one card or more")
    one = card_memory(workload, memory_gb, cards, share=share)
    if memory_gb is None:
        return one
    return replace(one, fewest_cards=_fewest(workload, memory_gb))


def _fewest(workload: Workload, memory_gb: float) -> int | None:
    low, high = 1, MOST_CARDS
    if card_memory(workload, memory_gb, high).fits is not Fits.YES:
        return None
    while low < high:
        middle = (low + high) // 2
        if card_memory(workload, memory_gb, middle).fits is Fits.YES:
            high = middle
        else:
            low = middle + 1
    return low


def card_memory(workload: Workload, memory_gb: float | None, cards: int, *, share: float | None = None) -> ModelMemory:
    """`model_memory` without the fewest cards, which take ten times as long."""
    own = share or 1 / cards
    weights, in_ram = _weights(workload, cards, own)
    state, state_in_ram = _training_state(workload, cards, own)
    cache = _cache(workload, cards, own)
    activations = _activations(workload, cards, own)
    slack = total((weights, cache, activations, state), "GB").times(*(factor - 1 for factor in SLACK))
    framework = total((_gb(FRAMEWORK_GB, GIB), _buckets(workload, cards), slack), "GB")
    needed = total((weights, cache, activations, state, framework), "GB")
    if workload.offload is Offload.WEIGHTS and not workload.method.trains and memory_gb is not None:
        over = max(0.0, needed.expected - memory_gb)
        moved = min(over, weights.expected)
        in_ram += moved
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
    """On the card, with those that it gathers; and in RAM, in GiB."""
    size = workload.weight_bytes
    layer = size / workload.model.layers
    held = size * _spread(workload, cards, own)
    if workload.offload is Offload.WEIGHTS and workload.method.trains:
        return _gb((2 * layer, 3 * layer, 4 * layer), 1.0), held / GIB
    if workload.split is not Split.ZERO_3 or cards == 1:
        return _gb((held, held, held), 1.0), 0.0
    low, expected, high = (min(size, held + layers * layer) for layers in GATHERED_LAYERS)
    return _gb((low, expected, high), 1.0), 0.0


def _training_state(workload: Workload, cards: int, own: float) -> tuple[Band, float]:
    parameters = workload.model.parameters
    match workload.method:
        case Method.INFERENCE:
            return _gb((0.0, 0.0, 0.0), 1.0), 0.0
        case Method.LORA | Method.QLORA:
            spread = _spread(workload, cards, own)
            return _gb(ADAPTER_BYTES, workload.adapters * spread), 0.0
    gradients, optimiser = STATES[workload.optimiser]
    of_gradients = of_optimiser = _spread(workload, cards, own)
    if workload.split.shards:
        of_optimiser = 1 / cards
        of_gradients = 1 / cards if workload.split is not Split.ZERO_1 else 1.0
    if workload.offload is Offload.WEIGHTS:
        in_ram = parameters * (of_gradients * gradients[1] + of_optimiser * optimiser[1]) / GIB
        return _gb(gradients, parameters / workload.model.layers), in_ram
    on_card = _gb(gradients, parameters * of_gradients)
    if workload.offload is Offload.OPTIMISER:
        return on_card, parameters * of_optimiser * optimiser[1] / GIB
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
        logits = float(requests * model.vocabulary)
        spread = 1 / cards if workload.split is Split.TENSOR else 1.0
        return _gb((0.0, working * spread, 2 * working * spread + 4 * logits), 1.0)
    return _of_software(workload, lambda software: _training_activations(workload, own, software))


def _training_activations(workload: Workload, own: float, software: Software) -> Band:
    """The inputs of all layers and one layer in full where layers are computed again, else all in full."""
    model = workload.model
    tokens = float(workload.context * workload.requests)
    layers = model.layers * (own if workload.split is Split.LAYERS else 1.0)
    inputs = 2 * tokens * model.width * layers if workload.recompute else 0.0
    layer = tokens * (16 * model.width + 6 * model.inner) * (1 if workload.recompute else layers)
    logits = tokens * model.vocabulary
    low, expected, high = (
        inputs * of_inputs + layer * of_layer + logits * of_logits
        for of_inputs, of_layer, of_logits in zip(
            INPUTS, LAYER_SHARE[software], LOGITS[software, workload.method], strict=True
        )
    )
    return _gb((low, expected, high), 1.0)


def _buckets(workload: Workload, cards: int) -> Band:
    """Never more than sharding saves of weights that are not trained."""
    if not workload.split.shards or (cards == 1 and workload.method is not Method.FULL):
        return _gb((0.0, 0.0, 0.0), 1.0)
    most = inf
    if workload.method is not Method.FULL:
        most = max(0.0, workload.weight_bytes * (1 - 1 / cards - GATHERED_LAYERS[2] / workload.model.layers) / GIB)
    return _of_software(workload, lambda software: _gb(BUCKETS_GB[software], GIB)).within(0.0, most)


def _of_software(workload: Workload, band_of: Callable[[Software], Band]) -> Band:
    """Of any software: from the low end of tuned code to the high end of what is out of the box."""
    if workload.software is not Software.ANY:
        return band_of(workload.software)
    tuned, plain = band_of(Software.TUNED), band_of(Software.PLAIN)
    return Band(tuned.low, (tuned.expected + plain.expected) / 2, plain.high, "GB")


def _gb(triple: Triple, times: float) -> Band:
    """Bytes, scaled, in GiB."""
    low, expected, high = (value * times / GIB for value in triple)
    return Band(low, expected, high, "GB")
