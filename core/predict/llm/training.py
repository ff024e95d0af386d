"""How fast prompts are read and models are trained: floating-point operations over the rate of products.

A token costs 2 FLOP a parameter forwards and 4 backwards; LoRA leaves out the gradients of the weights (4 together).
Attention adds its products over the tokens before. Published rates are held in tests: llm-foundry (full training,
tuned), Qwen's README (Hugging Face out of the box), torchtune.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.predict.band import Band
from core.predict.llm.decode import TOKENS
from core.predict.llm.gpus import ModelGpu
from core.predict.llm.workload import Method, Offload, Split, Workload
from core.predict.speed.networks import Triple

PREFILL_SHARE: Triple = (0.35, 0.65, 0.95)
"""Of a large multiplication's rate that prompts are read at: 24 rows of llama.cpp."""
SOFTWARE: dict[Method, Triple] = {
    Method.FULL: (0.30, 0.62, 0.85),
    Method.LORA: (0.25, 0.50, 0.90),
    Method.QLORA: (0.12, 0.36, 0.75),
}
"""Of a large multiplication's rate that a training step keeps, from Hugging Face out of the box to tuned code."""
FLOP_PER_PARAMETER = {Method.FULL: 6.0, Method.LORA: 4.0, Method.QLORA: 4.0}
OVERLAP: Triple = (0.30, 0.65, 0.90)
"""Of the communication that runs while the card computes, as of the reference transformer."""
ACCUMULATED: Triple = (1.0, 4.0, 16.0)
"""Passes between two sums of gradients."""
GRADIENT_BYTES: Triple = (4.0, 2.0, 2.0)
ADAPTER_SHARE: Triple = (0.03, 0.006, 0.002)
HOST_SHARE: Triple = (0.35, 0.6, 0.85)
"""Of the link's rate that copies from and to the host's memory reach while every card copies (general knowledge)."""


@dataclass(frozen=True, slots=True)
class TrainLinks:
    """What cards exchange with each other and with the host, each way, in GB/s, slow to fast; None: unknown."""

    ring: Triple | None
    host: Triple


def prefill_rate(workload: Workload, gpus: Sequence[ModelGpu]) -> Band | None:
    """Tokens of prompts per second; None where figures are missing. Cards that hold layers take turns at the low end
    and overlap at the high one."""
    if any(gpu.products is None for gpu in gpus):
        return None
    model = workload.model
    flop = 2 * (model.active - (0 if model.tied else model.table)) + model.attention_flop(workload.context / 2)
    count = len(gpus)
    values = []
    for side in range(3):
        rates = [gpu.products_at(side) * 1e12 * PREFILL_SHARE[side] for gpu in gpus]
        if workload.split is Split.LAYERS:
            one = 1 / sum(gpu.share / rate for gpu, rate in zip(gpus, rates, strict=True))
            together = one * (1.0, 1 + 0.15 * (count > 1), float(count))[side]
        else:
            together = min(rates) * count * (1.0 if count == 1 else (0.3, 0.6, 0.95)[side])
        values.append(together / flop)
    missing = tuple(dict.fromkeys(name for gpu in gpus for name in gpu.missing))
    return Band(values[0], values[1], values[2], TOKENS, (), missing)


def train_rate(workload: Workload, gpus: Sequence[ModelGpu], links: TrainLinks) -> Band | None:
    """Tokens per second of all cards; None where figures are missing or nothing is known of the links. Pure."""
    count = len(gpus)
    if any(gpu.products is None for gpu in gpus):
        return None
    exchanges = count > 1 and workload.split is not Split.LAYERS
    if exchanges and links.ring is None:
        return None
    tokens = float(workload.context * workload.requests)
    values = []
    for side in range(3):
        alone = tokens * flop_per_token(workload) / _pace(workload, gpus, side)
        exchange = _exchange_s(workload, count, links.ring, side) if exchanges and links.ring else 0.0
        host = _host_s(workload, count, links.host, side)
        waiting = exchange + host - min(OVERLAP[side] * (exchange + host), 2 / 3 * alone)
        values.append((1 if workload.split is Split.LAYERS else count) * tokens / (alone + waiting))
    missing = tuple(dict.fromkeys(name for gpu in gpus for name in gpu.missing))
    return Band(values[0], values[1], values[2], TOKENS, (), missing)


def flop_per_token(workload: Workload) -> float:
    """Of one training step, without what is computed again."""
    model = workload.model
    return FLOP_PER_PARAMETER[workload.method] * model.active + 3 * model.attention_flop(workload.context / 2)


def _pace(workload: Workload, gpus: Sequence[ModelGpu], side: int) -> float:
    """FLOP per second of the slowest card, or of all in turn where they hold layers."""
    rates = [gpu.products_at(side) * 1e12 * SOFTWARE[workload.method][side] for gpu in gpus]
    if workload.split is not Split.LAYERS:
        return min(rates)
    return 1 / sum(gpu.share / rate for gpu, rate in zip(gpus, rates, strict=True))


def _exchange_s(workload: Workload, count: int, ring: Triple, side: int) -> float:
    """Of one pass: gradients summed once in several passes, with FSDP the weights gathered twice in each."""
    part = (count - 1) / count
    trained = 1.0 if workload.method is Method.FULL else ADAPTER_SHARE[side]
    gradients = 2 * part * workload.model.parameters * trained * GRADIENT_BYTES[side] / ACCUMULATED[side]
    gathered = 0.0
    if workload.split is Split.ZERO_3:
        gathered = 2 * part * workload.weight_bytes
        gradients = part * workload.model.parameters * trained * GRADIENT_BYTES[side]
    return (gradients + gathered) / (ring[side] * 1e9)


def _host_s(workload: Workload, count: int, host: Triple, side: int) -> float:
    """Of one pass: weights fetched twice, gradients handed over; with the optimiser in RAM both once in several."""
    if workload.offload is Offload.NONE:
        return 0.0
    part = 1 / count if workload.split is Split.ZERO_3 or workload.split.shards else 1.0
    per_s = host[side] * HOST_SHARE[side] * 1e9
    if workload.offload is Offload.OPTIMISER:
        return part * workload.model.parameters * (GRADIENT_BYTES[side] + 2.0) / ACCUMULATED[side] / per_s
    trained = GRADIENT_BYTES[side] if workload.method is Method.FULL else 0.0
    return part * (2 * workload.weight_bytes + workload.model.parameters * trained) / per_s
