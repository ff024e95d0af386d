"""How fast models are trained: operations over the rate of products, and what each pass costs besides.

A token costs 2 FLOP a parameter forwards and 4 backwards; LoRA leaves out the gradients of the weights (4 together).
Attention adds its products over half of the sequence. Seconds of a pass = FLOP / (share x rate) + layers x pause; QLoRA
adds parameters x bytes / bandwidth, for it unpacks each weight in every pass. Shares and pauses: Qwen's README (Hugging
Face out of the box, 24 rows: how the time of a step grows with its tokens), llm-foundry and torchtune (tuned).
"""

from __future__ import annotations

from collections.abc import Sequence

from core.predict.band import Band
from core.predict.llm.decode import TOKENS
from core.predict.llm.gpus import ModelGpu, all_missing
from core.predict.llm.machine import ModelMachine
from core.predict.llm.workload import Method, Offload, Software, Split, Workload
from core.predict.speed.networks import Triple
from core.predict.speed.peaks import capability_of, gpu_spec

SHARE: dict[tuple[Software, Method], Triple] = {
    (Software.PLAIN, Method.FULL): (0.30, 0.50, 0.65),
    (Software.PLAIN, Method.LORA): (0.34, 0.46, 0.53),
    (Software.PLAIN, Method.QLORA): (0.34, 0.48, 0.62),
    (Software.TUNED, Method.FULL): (0.46, 0.66, 0.84),
    (Software.TUNED, Method.LORA): (0.50, 0.63, 0.78),
    (Software.TUNED, Method.QLORA): (0.50, 0.63, 0.78),
}
"""Of a large multiplication's rate. Recomputation is in it: it is no part of the FLOP."""
PAUSE_S: dict[Software, Triple] = {Software.PLAIN: (4e-3, 1.6e-3, 0.8e-3), Software.TUNED: (0.6e-3, 0.3e-3, 0.1e-3)}
"""Of each layer and pass: launching, in Python where nothing is compiled."""
UNPACKING_BYTES: dict[Software, Triple] = {Software.PLAIN: (110, 80, 45), Software.TUNED: (70, 46, 30)}
"""What unpacking a weight of 4 bits costs in a pass, as bytes at the stated bandwidth."""
NOT_RECOMPUTED: Triple = (1.0, 1.1, 1.3)
BEHIND: dict[tuple[int, int], float] = {(9, 0): 0.83}
"""Left of these shares on cards whose tensor cores outran their software: llm-foundry of 2024 reaches 0.47 to 0.60 of
what an H100 multiplies, 0.58 to 0.75 on an A100."""
FLOP_PER_PARAMETER = {Method.FULL: 6.0, Method.LORA: 4.0, Method.QLORA: 4.0}
OVERLAP: Triple = (0.30, 0.65, 0.90)
"""Of the communication that runs while the card computes, as of the reference transformer."""
ACCUMULATED: Triple = (1.0, 4.0, 16.0)
"""Passes between two sums of gradients."""
GRADIENT_BYTES: Triple = (4.0, 2.0, 2.0)
HOST_SHARE: Triple = (0.35, 0.6, 0.85)
"""Of the link's rate that copies from and to the host's memory reach while every card copies (general knowledge)."""


def train_rate(workload: Workload, gpus: Sequence[ModelGpu], machine: ModelMachine) -> Band | None:
    """Tokens per second of all cards; None where figures are missing or nothing is known of the links. Pure."""
    if workload.software is not Software.ANY:
        return _rate(workload, gpus, machine, workload.software)
    plain, tuned = (_rate(workload, gpus, machine, software) for software in (Software.PLAIN, Software.TUNED))
    if plain is None or tuned is None:
        return None
    return Band(plain.low, (plain.expected + tuned.expected) / 2, tuned.high, TOKENS, (), plain.missing)


def _rate(workload: Workload, gpus: Sequence[ModelGpu], machine: ModelMachine, software: Software) -> Band | None:
    together = 1 if workload.split is Split.LAYERS else len(gpus)
    if any(gpu.products is None or gpu.bandwidth is None for gpu in gpus) or (together > 1 and machine.ring is None):
        return None
    tokens = float(workload.context * workload.requests)
    values = []
    for side in range(3):
        alone = _pass_s(workload, gpus, software, side)
        exchange = _exchange_s(workload, together, machine.ring.gbps, side) if machine.ring else 0.0
        waiting = exchange + _host_s(workload, together, machine.host_gbps, side)
        values.append(together * tokens / (alone + waiting - min(OVERLAP[side] * waiting, 2 / 3 * alone)))
    return Band(values[0], values[1], values[2], TOKENS, (), all_missing(gpus))


def flop_per_token(workload: Workload) -> float:
    """Of one training step, without what is computed again."""
    model = workload.model
    return FLOP_PER_PARAMETER[workload.method] * model.active + 3 * model.attention_flop(workload.context / 2)


def _pass_s(workload: Workload, gpus: Sequence[ModelGpu], software: Software, side: int) -> float:
    """Forwards and backwards, on the slowest card, or on all in turn where they hold layers."""
    model = workload.model
    share = SHARE[software, workload.method][side] * (1.0 if workload.recompute else NOT_RECOMPUTED[side])
    flop = workload.context * workload.requests * flop_per_token(workload)
    rates = [gpu.products_at(side) * 1e12 * share * _behind(gpu) for gpu in gpus]
    unpacked = model.parameters * UNPACKING_BYTES[software][side] if workload.method is Method.QLORA else 0.0
    each = [flop / rate + unpacked / gpu.bandwidth_at(side) for gpu, rate in zip(gpus, rates, strict=True)]
    pause = model.layers * PAUSE_S[software][side]
    if workload.split is not Split.LAYERS:
        return max(each) + pause
    return sum(gpu.share * seconds for gpu, seconds in zip(gpus, each, strict=True)) + pause


def _behind(gpu: ModelGpu) -> float:
    return BEHIND.get(capability_of(gpu_spec(gpu.part)) or (0, 0), 1.0)


def _exchange_s(workload: Workload, count: int, ring: Triple, side: int) -> float:
    """Of one pass: gradients summed once in several passes, with FSDP the weights gathered twice in each."""
    part = (count - 1) / count
    trained = workload.model.parameters if workload.method is Method.FULL else workload.adapters
    summed = part * trained * GRADIENT_BYTES[side]
    if workload.split is Split.ZERO_3:
        moved = summed + 2 * part * workload.weight_bytes
    else:
        moved = 2 * summed / ACCUMULATED[side]
    return moved / (ring[side] * 1e9)


def _host_s(workload: Workload, count: int, host: Triple, side: int) -> float:
    """Of one pass: weights fetched twice, gradients handed over; with the optimiser in RAM both once in several."""
    if workload.offload is Offload.NONE:
        return 0.0
    part = 1 / count if workload.split.shards else 1.0
    per_s = host[side] * HOST_SHARE[side] * 1e9
    if workload.offload is Offload.OPTIMISER:
        return part * workload.model.parameters * (GRADIENT_BYTES[side] + 2.0) / ACCUMULATED[side] / per_s
    handed_over = workload.model.parameters * GRADIENT_BYTES[side] if workload.method is Method.FULL else 0.0
    return part * (2 * workload.weight_bytes + handed_over) / per_s
