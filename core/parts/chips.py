"""A card of several chips as its driver lists it: each chip is a GPU with its share of memory, compute and power."""

from __future__ import annotations

from core.parts.compute import GpuSpec
from core.parts.part import Part

_SHARED_OUT = (
    *("memory_gb", "memory_bandwidth_gbps", "memory_bus_bits", "cores", "tensor_cores", "sm_count"),
    *("power_limit_w", "power_limit_min_w", "power_limit_max_w"),
    *("fp64_tflops", "fp32_tflops", "tf32_tflops", "fp16_tflops"),
    *("fp16_tensor_tflops", "bf16_tensor_tflops", "fp8_tensor_tflops"),
)
"""Figures that the catalogue states of the whole card."""


def one_chip(part: Part) -> Part:
    """One GPU of a card: the part itself where it has a single chip, else its equal share of what is on the card."""
    spec = part.spec
    if not isinstance(spec, GpuSpec) or spec.chips == 1:
        return part
    return part.model_copy(update={"spec": _shared_out(spec)})


def chip_memory_gb(spec: GpuSpec) -> float | None:
    """Memory of one GPU of a card."""
    return None if spec.memory_gb is None else spec.memory_gb / spec.chips


def _shared_out(spec: GpuSpec) -> GpuSpec:
    shares: dict[str, float | int] = {"chips": 1}
    for name in _SHARED_OUT:
        whole = getattr(spec, name)
        if whole is not None:
            shares[name] = whole // spec.chips if isinstance(whole, int) else whole / spec.chips
    return spec.model_copy(update=shares)
