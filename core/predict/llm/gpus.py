"""GPUs as a language model sees them: bandwidth, rate of products, memory, and which formats have kernels there."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from core.parts.part import Part
from core.predict.llm.workload import WeightFormat, Workload
from core.predict.speed.card_speed import gemm_share, kept_rate
from core.predict.speed.networks import ComputePrecision
from core.predict.speed.peaks import Peaks, RateFigure, capability_of, gpu_spec, peaks_of
from core.words import tr

LEAST_CAPABILITY: dict[WeightFormat, tuple[int, int]] = {
    WeightFormat.FP8: (7, 5),
    WeightFormat.INT4: (7, 0),
    WeightFormat.NVFP4: (8, 0),
    WeightFormat.MXFP4: (8, 0),
    WeightFormat.NF4: (6, 0),
}
"""Compute capability from which engines have kernels: vLLM, "Supported Hardware" and "FP8 W8A8"; bitsandbytes,
"Installation Guide"; the two 4-bit floats by general knowledge. Older than the format's own, they store its bits and
compute in 16. llama.cpp runs its formats anywhere."""
TRAINS_FROM = (7, 0)
"""Compute capability from which PyTorch's kernels of 4 bit, attention in blocks and mixed precision are made."""


@dataclass(frozen=True)
class ModelGpu:
    """One chip, at a share of its own power limit, with its part of the layers."""

    part: Part
    power_share: float = 1.0
    share: float = 1.0
    """Of the layers, where cards hold some each."""

    @cached_property
    def peaks(self) -> Peaks:
        """As its figures state them or let them be derived."""
        return peaks_of(self.part)

    @property
    def bandwidth(self) -> RateFigure | None:
        """GB/s; the memory keeps its clock under a power limit."""
        return self.peaks.bandwidth

    def bandwidth_at(self, side: int) -> float:
        """Bytes per second, low, expected or high; only where it is known."""
        assert self.bandwidth is not None
        return self.bandwidth.values[side] * 1e9

    @property
    def hbm(self) -> bool:
        """Whether its memory is HBM."""
        return (gpu_spec(self.part).memory_type or "").upper().startswith("HBM")

    @property
    def memory_gb(self) -> float | None:
        """GiB."""
        return self.peaks.memory_gb

    @cached_property
    def products(self) -> RateFigure | None:
        """TFLOPS of large multiplications in 16 bit, with what power leaves of them."""
        rate = self.peaks.rate(ComputePrecision.MIXED)
        if rate is None:
            return None
        multiplied_in = ComputePrecision.MIXED if self.peaks.has_tensor_cores else ComputePrecision.FP32
        reached = rate.times(gemm_share(gpu_spec(self.part), multiplied_in))
        left = kept_rate(self.part, self.power_share)
        return replace(reached.times(left.triple), missing=(*reached.missing, *left.missing))

    def products_at(self, side: int) -> float:
        """TFLOPS, low, expected or high; only where they are known."""
        assert self.products is not None
        return self.products.values[side]

    @property
    def missing(self) -> tuple[str, ...]:
        """Figures that bandwidth and products had to do without."""
        stated = (self.bandwidth, self.products)
        return (*self.peaks.missing, *(name for figure in stated if figure for name in figure.missing))


def shared_out(gpus: Sequence[ModelGpu]) -> tuple[ModelGpu, ...]:
    """Each with its part of the layers: by memory, as llama.cpp spreads them, in equal parts where one is unknown."""
    sizes = [gpu.memory_gb for gpu in gpus]
    stated = [size for size in sizes if size is not None]
    whole = sum(stated)
    if len(stated) < len(gpus):
        return tuple(replace(gpu, share=1 / len(gpus)) for gpu in gpus)
    return tuple(replace(gpu, share=size / whole) for gpu, size in zip(gpus, stated, strict=True))


def all_missing(gpus: Iterable[ModelGpu]) -> tuple[str, ...]:
    """Figures that the rates of these cards had to do without, each once."""
    return tuple(dict.fromkeys(name for gpu in gpus for name in gpu.missing))


def unfit_words(part: Part, workload: Workload) -> str | None:
    """Why the card cannot do it at all, in a sentence; None where it can, or nobody knows."""
    spec = gpu_spec(part)
    capability, stored = capability_of(spec), workload.weights
    if capability is None:
        return None
    fields = {"card": part.title, "capability": spec.compute_capability, "format": stored.label}
    if workload.method.trains and capability < TRAINS_FROM:
        return tr(
            "{card} has compute capability {capability}: PyTorch's kernels for {method} begin at 7.0.",
            method=workload.method.label,
            **fields,
        )
    least = LEAST_CAPABILITY.get(stored)
    if least and capability < least:
        return tr(
            "{card} has compute capability {capability}: kernels for {format} begin at {least}.",
            least=f"{least[0]}.{least[1]}",
            **fields,
        )
    return None
