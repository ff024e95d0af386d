"""The figures that count for each kind of network, their order, and the score that comes of them.

The order is established advice: convolution nets want tensor cores, then FLOPS, then memory bandwidth, then FP16;
recurrent ones memory bandwidth and size, then FP16, then tensor cores, then FLOPS; transformers are between the two,
memory size and bandwidth first. The weights are ours: each rank counts half of the one before, and figures of one rank
share; a transformer's later ranks count more, being between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from math import exp, fsum, log

from core.predict.band import Band
from core.predict.speed.networks import Network, Triple
from core.predict.speed.peaks import Figure, Peaks


class Criterion(StrEnum):
    """A figure that ranks GPUs."""

    TENSOR = "tensor cores"
    FLOPS = "FP32 rate"
    BANDWIDTH = "memory bandwidth"
    MEMORY = "memory size"
    FP16 = "FP16 rate"


WEIGHTS: dict[Network, dict[Criterion, float]] = {
    Network.CNN: {
        Criterion.TENSOR: 8 / 15,
        Criterion.FLOPS: 4 / 15,
        Criterion.BANDWIDTH: 2 / 15,
        Criterion.FP16: 1 / 15,
    },
    Network.LSTM: {
        Criterion.BANDWIDTH: 12 / 31,
        Criterion.MEMORY: 12 / 31,
        Criterion.FP16: 4 / 31,
        Criterion.TENSOR: 2 / 31,
        Criterion.FLOPS: 1 / 31,
    },
    Network.TRANSFORMER: {
        Criterion.MEMORY: 0.30,
        Criterion.BANDWIDTH: 0.30,
        Criterion.TENSOR: 0.25,
        Criterion.FP16: 0.10,
        Criterion.FLOPS: 0.05,
    },
}
YARDSTICK: dict[Criterion, float] = {
    Criterion.TENSOR: 71.2,
    Criterion.FLOPS: 35.6,
    Criterion.BANDWIDTH: 936.0,
    Criterion.MEMORY: 24.0,
    Criterion.FP16: 35.6,
}
"""An RTX 3090: its score is 1."""
UNITS = {Criterion.BANDWIDTH: "GB/s", Criterion.MEMORY: "GB"}
UNKNOWN_MEMORY: Triple = (8.0, 16.0, 32.0)


def figures(peaks: Peaks) -> Mapping[Criterion, Figure | None]:
    """What ranks a card. One without tensor cores multiplies matrices at its FP32 rate."""
    memory = peaks.memory_gb
    return {
        Criterion.TENSOR: peaks.tensor if peaks.has_tensor_cores else peaks.fp32,
        Criterion.FLOPS: peaks.fp32,
        Criterion.BANDWIDTH: peaks.bandwidth,
        Criterion.MEMORY: Figure((memory, memory, memory)) if memory else None,
        Criterion.FP16: peaks.fp16,
    }


def score_of(known: Mapping[Criterion, Figure | None], weights: Mapping[Criterion, float]) -> Band | None:
    """Weighted geometric mean of the figures over the yardstick's; None if one can be told in no way."""
    logs: list[Triple] = []
    missing: list[str] = []
    for criterion, weight in weights.items():
        figure = known[criterion]
        if figure is None:
            return None
        low, expected, high = (weight * log(value / YARDSTICK[criterion]) for value in figure.values)
        logs.append((low, expected, high))
        missing += figure.missing
    low, expected, high = (exp(fsum(row[place] for row in logs)) for place in range(3))
    return Band(low, expected, high, "", (), tuple(dict.fromkeys(missing)))
