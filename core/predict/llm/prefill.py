"""How fast prompts are read: two operations per parameter and token, and attention, over the rate of products.

Shares: llama.cpp of 2024 at 1,024 tokens on six cards (XiongjieDai/GPU-Benchmarks-on-LLM-Inference, 15 rows of one card
and 6 of two). Its kernels reach little of what HBM cards multiply; engines with kernels of their own for these reach as
much as on others (general knowledge): the high end.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.predict.band import Band
from core.predict.llm.decode import TOKENS, one_engine
from core.predict.llm.gpus import ModelGpu, all_missing
from core.predict.llm.workload import Split, Workload
from core.predict.speed.networks import Triple
from core.predict.speed.peaks import capability_of, gpu_spec, is_geforce

SHARE: dict[tuple[tuple[int, int], bool], float] = {
    ((8, 0), False): 0.45,
    ((8, 6), False): 0.56,
    ((8, 6), True): 0.92,
    ((8, 9), False): 0.56,
    ((8, 9), True): 0.84,
    ((9, 0), False): 0.28,
}
"""Of a large multiplication in 16 bit, by capability and whether it is a GeForce."""
SHARE_ELSEWHERE: Triple = (0.25, 0.55, 0.90)
UNPACKED = 0.82
"""Left of it where weights of few bits are unpacked first."""
ONE_ENGINE: Triple = (0.80, 1.0, 1.22)
ANY_ENGINE: Triple = (0.70, 1.0, 1.35)
AT_BEST = 0.85
"""Of a large multiplication, by any engine."""
IN_TURN: tuple[float, float] = (0.85, 1.10)
"""Two and more cards that hold layers over one of them: how far they overlap on parts of the prompt, at the low end and
expected; 1.03 to 1.24 of two. At best all work at once."""
TOGETHER: Triple = (0.30, 0.60, 0.95)
"""Left of the rates of several cards that compute each layer together: their sums go over the links."""


def prefill_rate(workload: Workload, gpus: Sequence[ModelGpu]) -> Band | None:
    """Tokens of prompts per second; None where figures are missing. Pure."""
    if any(gpu.products is None for gpu in gpus):
        return None
    model, count = workload.model, len(gpus)
    flop = 2 * (model.active - (0 if model.tied else model.table)) + model.attention_flop(workload.context / 2)
    values = []
    for side in range(3):
        rates = [gpu.products_at(side) * _share(workload, gpu)[side] * 1e12 for gpu in gpus]
        if workload.split is Split.LAYERS:
            one = 1 / sum(gpu.share / rate for gpu, rate in zip(gpus, rates, strict=True))
            rate = one * ((*IN_TURN, float(count))[side] if count > 1 else 1.0)
        elif workload.split is Split.DATA:
            rate = sum(sorted(rates)[-workload.requests :])
        else:
            rate = min(rates) * count * (TOGETHER[side] if count > 1 else 1.0)
        values.append(rate / flop)
    return Band(values[0], values[1], values[2], TOKENS, (), all_missing(gpus))


def _share(workload: Workload, gpu: ModelGpu) -> Triple:
    spec = gpu_spec(gpu.part)
    capability = capability_of(spec)
    share = SHARE.get((capability, is_geforce(spec))) if capability else None
    unpacked = UNPACKED if workload.weights.bits < 16 else 1.0
    if share is None:
        low, expected, high = SHARE_ELSEWHERE
        return low * unpacked, expected * unpacked, high
    if one_engine(workload, [gpu]):
        low, expected, high = ONE_ENGINE
        return low * share * unpacked, expected * share * unpacked, high * share * unpacked
    low, expected, high = ANY_ENGINE
    return low * share * unpacked, expected * share * unpacked, max(AT_BEST, high * share)
