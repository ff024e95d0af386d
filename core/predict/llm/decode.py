"""How fast a model generates: each token reads the active weights and the cache once, and passes every layer in turn.

Seconds per step = bytes / (reach x bandwidth) + layers x pause + (cards - 1) x hop, one token of each request a step.
Constants: llama.cpp at one request on 11 kinds of cards with GDDR6 and GDDR6X and 4 with HBM2e and HBM3
(XiongjieDai/GPU-Benchmarks-on-LLM-Inference, 89 rows), each held by a test against cards that it was not fitted to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.predict.band import Band
from core.predict.llm.gpus import ModelGpu
from core.predict.llm.workload import Split, Workload
from core.predict.speed.networks import Triple
from core.words import tr

TOKENS = tr("tokens/s")


@dataclass(frozen=True, slots=True)
class MemoryLaw:
    """Of one kind of memory."""

    reach: float
    """Of the stated bandwidth, while weights are read."""
    layer_s: float
    """Pause of each layer: launching kernels, sums that wait, attention on little work."""
    hop_s: float
    """From one card to the next, where cards hold layers."""


GDDR = MemoryLaw(0.90, 85e-6, 0.3e-3)
HBM = MemoryLaw(0.60, 100e-6, 0.6e-3)
ONE_ENGINE: dict[bool, Triple] = {False: (0.86, 1.0, 1.14), True: (0.78, 1.0, 1.25)}
"""How far llama.cpp at one request is from the law, by whether the memory is HBM."""
ANY_ENGINE: Triple = (0.75, 1.0, 1.35)
"""MLC a quarter faster, exllama and Transformers a quarter slower than llama.cpp on the same card."""
SUM_S: dict[bool, Triple] = {False: (40e-6, 22e-6, 10e-6), True: (90e-6, 30e-6, 15e-6)}
"""One all-reduce of a token's width, by whether it goes through the host's memory: 22 fits 77 to 81 tokens/s of four
RTX 3090 on PCIe (vLLM, tensor parallel 4, 31B in 4 bit)."""
SUMS_PER_LAYER = 2
HALF_FULL = 0.5
"""The cache holds half of the context on average while a request is answered."""
SATURATED: Triple = (0.30, 0.55, 0.80)
"""Of a large multiplication's rate that engines reach when many requests make a step one."""


def read_share(workload: Workload, requests: float) -> float:
    """Of the weights, what one step reads: requests at once touch different experts of a mixture."""
    model = workload.model
    active = model.active / model.parameters
    return 1 - (1 - active) ** max(1.0, requests) if model.is_mixture else 1.0


def bytes_per_step(workload: Workload, requests: float) -> tuple[float, float]:
    """Weights and cache that one step reads. Of untied embeddings a token reads one row only."""
    model = workload.model
    unread = 0.0 if model.tied else model.table * workload.weights.embedding_bits / 8
    weights = (workload.weight_bytes - unread) * read_share(workload, requests)
    tokens = HALF_FULL * workload.context
    return weights, model.cache_values(tokens) * workload.cache_bits / 8 * requests


def decode_rate(workload: Workload, gpus: Sequence[ModelGpu], *, link: Triple, staged: bool) -> Band | None:
    """Tokens per second of all requests together; None where figures are missing. Pure.

    `link` is what cards exchange in GB/s, `staged` whether by way of the host's memory. With copies (`Split.DATA`) each
    card has its share of the requests.
    """
    if any(gpu.bandwidth is None for gpu in gpus):
        return None
    if workload.split is Split.DATA:
        spread = workload.requests / len(gpus)
        each = [_step(workload, [gpu], max(1.0, spread), link, staged) for gpu in gpus]
        busy = min(len(gpus), workload.requests)
        triples = sorted(each, key=lambda one: -one[1])[:busy]
        low, expected, high = (sum(max(1.0, spread) / one[side] for one in triples) for side in range(3))
    else:
        step = _step(workload, gpus, float(workload.requests), link, staged)
        low, expected, high = (workload.requests / seconds for seconds in step)
        if workload.split is Split.LAYERS:
            high *= min(len(gpus), workload.requests)
    missing = tuple(dict.fromkeys(name for gpu in gpus for name in gpu.missing))
    return Band(low, expected, high, TOKENS, (), missing)


def one_engine(workload: Workload) -> bool:
    """Whether this is what llama.cpp does: its formats, one request, cards that hold layers."""
    return workload.weights.is_gguf and workload.requests == 1 and workload.split is Split.LAYERS


def _step(workload: Workload, gpus: Sequence[ModelGpu], requests: float, link: Triple, staged: bool) -> Triple:
    """Seconds, slow to fast."""
    weights, cache = bytes_per_step(workload, requests)
    count, model = len(gpus), workload.model
    law = HBM if any(gpu.hbm for gpu in gpus) else GDDR
    errors = ONE_ENGINE[law is HBM] if one_engine(workload) else ANY_ENGINE
    flop = requests * (2 * model.active + model.attention_flop(HALF_FULL * workload.context))
    pause = model.layers * law.layer_s
    steps = []
    for side in range(3):
        bandwidths = [gpu.bandwidth_at(side) * law.reach for gpu in gpus]
        if workload.split is Split.TENSOR:
            moving = (weights + cache) / (count * min(bandwidths))
            payload = 2 * (count - 1) / count * requests * model.width * 2 / (link[side] * 1e9)
            between = model.layers * SUMS_PER_LAYER * ((SUM_S[staged][side] + payload) if count > 1 else 0.0)
            computing = [count * min(rates)] if (rates := _computing(gpus, side, requests)) else []
        else:
            moving = sum((weights + cache) * gpu.share / pace for gpu, pace in zip(gpus, bandwidths, strict=True))
            between = (count - 1) * law.hop_s
            rates = _computing(gpus, side, requests)
            computing = [1 / sum(gpu.share / rate for gpu, rate in zip(gpus, rates, strict=True))] if rates else []
        multiplying = flop / (computing[0] * 1e12) if computing else 0.0
        steps.append((max(moving, multiplying) + pause + between) / errors[side])
    return steps[0], steps[1], steps[2]


def _computing(gpus: Sequence[ModelGpu], side: int, requests: float) -> list[float]:
    """TFLOPS of each; nothing where one is unknown or a single request hardly computes."""
    if requests < 2 or any(gpu.products is None for gpu in gpus):
        return []
    return [gpu.products_at(side) * SATURATED[side] for gpu in gpus]
