"""The figures that count for each kind of network, their order, and the score that ranks cards.

The score is the expected speed over that of an RTX 3090: it knows how often a card waits for its memory and its host,
which no list of peak rates does. Memory size counts beside it where the advice has it: a model must fit.

The order of the figures, for the reasons, is established advice: convolution nets ask for tensor cores, then FLOPS,
then memory bandwidth, then FP16; recurrent ones for memory bandwidth and size, then FP16, then tensor cores, then
FLOPS; transformers are between the two, memory size and bandwidth first. The weights are ours: each rank counts half of
the one before, and figures of one rank share; a transformer's later ranks count more, being between the two.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from core.language import tr
from core.parts.compute import GpuSpec
from core.parts.part import Part, Source
from core.predict.band import Band
from core.predict.speed.card_speed import card_rate
from core.predict.speed.networks import Network, Triple
from core.predict.speed.peaks import Peaks, RateFigure
from core.worded import Worded


class RankingCriterion(Worded):
    """A figure that ranks GPUs."""

    TENSOR = "tensor cores", tr("tensor cores")
    FLOPS = "FP32 rate", tr("FP32 rate")
    BANDWIDTH = "memory bandwidth", tr("memory bandwidth")
    MEMORY = "memory size", tr("memory size")
    FP16 = "FP16 rate", tr("FP16 rate")


WEIGHTS: dict[Network, dict[RankingCriterion, float]] = {
    Network.CNN: {
        RankingCriterion.TENSOR: 8 / 15,
        RankingCriterion.FLOPS: 4 / 15,
        RankingCriterion.BANDWIDTH: 2 / 15,
        RankingCriterion.FP16: 1 / 15,
    },
    Network.LSTM: {
        RankingCriterion.BANDWIDTH: 12 / 31,
        RankingCriterion.MEMORY: 12 / 31,
        RankingCriterion.FP16: 4 / 31,
        RankingCriterion.TENSOR: 2 / 31,
        RankingCriterion.FLOPS: 1 / 31,
    },
    Network.TRANSFORMER: {
        RankingCriterion.MEMORY: 0.30,
        RankingCriterion.BANDWIDTH: 0.30,
        RankingCriterion.TENSOR: 0.25,
        RankingCriterion.FP16: 0.10,
        RankingCriterion.FLOPS: 0.05,
    },
}
YARDSTICK: dict[RankingCriterion, float] = {
    RankingCriterion.TENSOR: 71.2,
    RankingCriterion.FLOPS: 35.6,
    RankingCriterion.BANDWIDTH: 936.0,
    RankingCriterion.MEMORY: 24.0,
    RankingCriterion.FP16: 35.6,
}
"""An RTX 3090: its score is 1."""
UNITS = {RankingCriterion.BANDWIDTH: "GB/s", RankingCriterion.MEMORY: "GB"}
UNKNOWN_MEMORY: Triple = (8.0, 16.0, 32.0)


def figures(peaks: Peaks) -> Mapping[RankingCriterion, RateFigure | None]:
    """What ranks a card. One without tensor cores multiplies matrices at its FP32 rate."""
    memory = peaks.memory_gb
    return {
        RankingCriterion.TENSOR: peaks.tensor if peaks.has_tensor_cores else peaks.products,
        RankingCriterion.FLOPS: peaks.fp32,
        RankingCriterion.BANDWIDTH: peaks.bandwidth,
        RankingCriterion.MEMORY: RateFigure((memory, memory, memory)) if memory else None,
        RankingCriterion.FP16: peaks.fp16,
    }


def score_of(rate: Band | None, memory: RateFigure, network: Network) -> Band | None:
    """The expected speed over the yardstick's, and the memory's size over its as far as that counts for the network.

    A weighted geometric mean; slow software is held against slow, fast against fast, for the software is the same on
    both cards. None without a speed.
    """
    if rate is None:
        return None
    of_size, own = WEIGHTS[network].get(RankingCriterion.MEMORY, 0.0), yardstick_rate(network)
    speeds = (rate.low / own.low, rate.expected / own.expected, rate.high / own.high)
    sizes = [value / YARDSTICK[RankingCriterion.MEMORY] for value in memory.values]
    low, expected, high = (speed ** (1 - of_size) * size**of_size for speed, size in zip(speeds, sizes, strict=True))
    missing = tuple(dict.fromkeys((*rate.missing, *(memory.missing if of_size else ()))))
    return Band(min(low, expected), expected, max(expected, high), "", (), missing)


@lru_cache(maxsize=len(Network))
def yardstick_rate(network: Network) -> Band:
    """Samples per second of the RTX 3090."""
    spec = GpuSpec(
        product="GeForce RTX 3090",
        compute_capability="8.6",
        fp16_tensor_tflops=YARDSTICK[RankingCriterion.TENSOR],
        fp32_tflops=YARDSTICK[RankingCriterion.FLOPS],
        fp16_tflops=YARDSTICK[RankingCriterion.FP16],
        memory_bandwidth_gbps=YARDSTICK[RankingCriterion.BANDWIDTH],
        memory_gb=YARDSTICK[RankingCriterion.MEMORY],
    )
    part = Part(id="yardstick", maker="NVIDIA", name="RTX 3090", spec=spec, sources=(Source(title="its figures"),))
    found = card_rate(part, network).rate
    assert found is not None
    return found
