"""How fast a model generates: each token reads the active weights and the cache once, and passes every layer in turn.

Seconds per step = bytes / (reach x bandwidth) + layers x pause + (cards - 1) x hop, one token of each request a step.
Constants: llama.cpp at one request on 11 kinds of cards with GDDR6 and GDDR6X and 4 with HBM2e and HBM3
(XiongjieDai/GPU-Benchmarks-on-LLM-Inference, 89 rows), each held by a test against cards that it was not fitted to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.predict.band import Band
from core.predict.llm.gpus import ModelGpu, all_missing
from core.predict.llm.workload import Software, Split, Workload
from core.predict.speed.networks import Triple
from core.predict.speed.peaks import capability_of, gpu_spec
from core.predict.speed.scaling import Ring
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


GDDR = MemoryLaw(0.885, 95e-6, 0.15e-3)
HBM = MemoryLaw(0.58, 100e-6, 0.6e-3)


@dataclass(frozen=True, slots=True)
class Engine:
    """What generates, slow to fast, beside the law."""

    reach: Triple = (1.0, 1.0, 1.0)
    """Times the law's."""
    pause: Triple = (1.0, 1.0, 1.0)
    """Times the law's."""
    error: Triple = (1.0, 1.0, 1.0)
    """Times the speed."""
    host_s: Triple = (0.0, 0.0, 0.0)
    """What the host needs to prepare a layer, while the card works; the longer of both counts."""


LLAMA_CPP: dict[bool, Engine] = {False: Engine(error=(0.84, 1.0, 1.18)), True: Engine(error=(0.76, 1.0, 1.27))}
"""What the law was fitted to, by whether the memory is HBM: nine rows of ten within 9 and 23 %, the worst 17 and 30."""
ANY_ENGINE: dict[bool, Engine] = {
    False: Engine(reach=(0.72, 1.0, 1.08), pause=(1.4, 1.0, 0.3)),
    True: Engine(reach=(0.72, 1.0, 1.50), pause=(1.4, 1.0, 0.3)),
}
"""From exllama and vLLM a quarter below llama.cpp on the same card to MLC a quarter above it: layers that were recorded
as a graph hardly pause. Engines with kernels for HBM reach 85 % of its bandwidth (general knowledge)."""
TRANSFORMERS = Engine(reach=(0.8, 1.0, 1.1), host_s=(0.95e-3, 0.72e-3, 0.50e-3))
"""Hugging Face's own generation: 0.59 to 0.77 ms a layer on an A100, 1.8B as 14B, in 16 bit as in 4 (Qwen's README)."""
SUM_S: dict[bool, Triple] = {False: (40e-6, 22e-6, 10e-6), True: (90e-6, 30e-6, 15e-6)}
"""One all-reduce of a token's width, by whether it goes through the host's memory: 22 fits 77 to 81 tokens/s of four
RTX 3090 on PCIe (vLLM, tensor parallel 4, 31B in 4 bit)."""
SUMS_PER_LAYER = 2
ACTIVATION_BYTES = 2
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


def decode_rate(workload: Workload, gpus: Sequence[ModelGpu], ring: Ring | None) -> Band | None:
    """Tokens per second of all requests together; None where figures are missing, or how tensor-parallel GPUs are
    joined. Pure. With copies (`Split.DATA`) each GPU has its share of the requests.
    """
    if workload.split is Split.TENSOR and len(gpus) > 1 and ring is None:
        return None
    if any(gpu.bandwidth is None for gpu in gpus):
        return None
    if workload.split is Split.DATA:
        spread = workload.requests / len(gpus)
        each = [_step(workload, [gpu], max(1.0, spread), ring) for gpu in gpus]
        busy = min(len(gpus), workload.requests)
        triples = sorted(each, key=lambda one: -one[1])[:busy]
        low, expected, high = (sum(max(1.0, spread) / one[side] for one in triples) for side in range(3))
    else:
        step = _step(workload, gpus, float(workload.requests), ring)
        low, expected, high = (workload.requests / seconds for seconds in step)
        if workload.split is Split.LAYERS:
            high *= min(len(gpus), workload.requests)
    return Band(low, expected, high, TOKENS, (), all_missing(gpus))


def one_engine(workload: Workload, gpus: Sequence[ModelGpu]) -> bool:
    """Whether this is what the law was measured with: llama.cpp's formats, one request, NVIDIA's cards with layers."""
    usual = workload.weights.is_gguf and workload.requests == 1 and workload.split is Split.LAYERS
    return usual and workload.software is not Software.PLAIN and all(capability_of(gpu_spec(gpu.part)) for gpu in gpus)


def engine_of(workload: Workload, gpus: Sequence[ModelGpu]) -> Engine:
    """Transformers where plain software is asked for, llama.cpp where it is as good as certain, else any."""
    if workload.software is Software.PLAIN:
        return TRANSFORMERS
    engines = LLAMA_CPP if one_engine(workload, gpus) else ANY_ENGINE
    return engines[any(gpu.hbm for gpu in gpus)]


def _step(workload: Workload, gpus: Sequence[ModelGpu], requests: float, ring: Ring | None) -> Triple:
    """Seconds, slow to fast."""
    model, engine = workload.model, engine_of(workload, gpus)
    law = HBM if any(gpu.hbm for gpu in gpus) else GDDR
    read = sum(bytes_per_step(workload, requests))
    flop = requests * (2 * model.active + model.attention_flop(HALF_FULL * workload.context))
    steps = []
    for side in range(3):
        reach = law.reach * engine.reach[side]
        moving = _seconds(workload, gpus, read, [gpu.bandwidth_at(side) * reach for gpu in gpus])
        rates = _computing(gpus, side, requests)
        multiplying = _seconds(workload, gpus, flop, rates) if rates else 0.0
        pause = model.layers * law.layer_s * engine.pause[side]
        working = max(max(moving, multiplying) + pause, model.layers * engine.host_s[side])
        steps.append((working + _between_s(workload, len(gpus), law, requests, ring, side)) / engine.error[side])
    return steps[0], steps[1], steps[2]


def _seconds(workload: Workload, gpus: Sequence[ModelGpu], amount: float, rates: Sequence[float]) -> float:
    """All together, the slowest last, where each has a part of every layer; else one after the other."""
    if workload.split is Split.TENSOR:
        return amount / (len(gpus) * min(rates))
    return amount * sum(gpu.share / rate for gpu, rate in zip(gpus, rates, strict=True))


def _computing(gpus: Sequence[ModelGpu], side: int, requests: float) -> list[float]:
    """FLOP per second of each; nothing where one is unknown or a single request hardly computes."""
    if requests < 2 or any(gpu.products is None for gpu in gpus):
        return []
    return [gpu.products_at(side) * SATURATED[side] * 1e12 for gpu in gpus]


def _between_s(workload: Workload, count: int, law: MemoryLaw, requests: float, ring: Ring | None, side: int) -> float:
    """From card to card, or sums over all of them."""
    if count == 1:
        return 0.0
    if workload.split is not Split.TENSOR or ring is None:
        return (count - 1) * law.hop_s
    model = workload.model
    payload = 2 * (count - 1) / count * requests * model.width * ACTIVATION_BYTES
    latency = SUM_S[ring.perhaps_staged > 0][side]
    return model.layers * SUMS_PER_LAYER * (latency + payload / (ring.gbps[side] * 1e9))
