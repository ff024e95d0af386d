"""Peak rates and bandwidth of a card: as its figures state them, else derived from others, wider and named.

Ratios of the rates: NVIDIA, CUDA C++ Programming Guide, table "Throughput of Native Arithmetic Instructions", and the
white papers of the architectures. GeForce cards with tensor cores sum in FP32 at half the rate of the same chip's
professional cards.
"""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.compute import GpuSpec, vector_tflops
from core.parts.part import Part
from core.predict.speed.networks import ComputePrecision, Triple

Capability = tuple[int, int]

FP16_OVER_FP32: dict[Capability, float] = {
    (6, 0): 2,
    (6, 1): 1 / 64,
    (7, 0): 2,
    (7, 5): 2,
    (8, 0): 4,
    (8, 6): 1,
    (8, 9): 1,
    (9, 0): 2,
    (10, 0): 2,
    (12, 0): 1,
}
"""Outside tensor cores. Older chips have no FP16 arithmetic: they convert and compute in FP32."""
TENSOR_OVER_FP32: dict[Capability, float] = {
    (7, 0): 8,
    (7, 5): 8,
    (8, 0): 16,
    (8, 6): 4,
    (8, 9): 4,
    (9, 0): 14.8,
    (10, 0): 28,
    (12, 0): 4,
}
"""Dense FP16 with FP32 sums, of professional and data-centre cards."""
HALVED_ON_GEFORCE = frozenset({(7, 5), (8, 6), (8, 9), (12, 0)})
TWO_AT_ONCE, AT_ONCE = ("RDNA 3", "RDNA 4", "CDNA 3", "CDNA 4"), (2.0, 2.0, 2.0)
"""Architectures that multiply FP32 matrices at twice the rate of vectors: by dual issue, or in matrix cores."""
CLOCK_MHZ: dict[Capability, Triple] = {
    (8, 0): (1200, 1410, 1410),
    (8, 6): (1500, 1740, 1900),
    (8, 9): (2100, 2520, 2750),
    (9, 0): (1600, 1785, 1980),
    (12, 0): (2100, 2500, 2700),
}
CLOCK_UNKNOWN: Triple = (1000, 1500, 2200)
DERIVED: Triple = (0.85, 1.0, 1.1)
"""How far a rate that follows from another one may be off: boost clocks and rounding of published figures."""
GBIT_PER_PIN: dict[str, Triple] = {
    "GDDR5": (6, 7, 8),
    "GDDR5X": (10, 11, 11.4),
    "GDDR6": (14, 16, 20),
    "GDDR6X": (19, 21, 23),
    "GDDR7": (25, 28, 30),
    "HBM2": (1.4, 1.75, 2.4),
    "HBM2E": (2.4, 3.0, 3.6),
    "HBM3": (4.8, 5.2, 6.4),
    "HBM3E": (6.2, 8.0, 9.2),
}


@dataclass(frozen=True, slots=True)
class RateFigure:
    """A figure of a card as low, expected and high; `missing` names those that it had to be derived without."""

    values: Triple
    missing: tuple[str, ...] = ()

    def times(self, factors: Triple, lacking: str = "") -> RateFigure:
        """Scaled, and resting on one more missing figure if `lacking` is given."""
        low, expected, high = (value * factor for value, factor in zip(self.values, factors, strict=True))
        return RateFigure((low, expected, high), (*self.missing, lacking) if lacking else self.missing)


@dataclass(frozen=True, slots=True)
class Peaks:
    """TFLOPS, GB/s and GB. None: neither stated nor to be derived."""

    fp32: RateFigure | None
    """Of vectors, as all makers' figures are compared."""
    products: RateFigure | None
    """What matrices are multiplied at in FP32."""
    fp16: RateFigure | None
    """Outside tensor cores."""
    tensor: RateFigure | None
    """FP16 or BF16 with FP32 sums; None also where the card has no tensor cores."""
    tf32: RateFigure | None
    bandwidth: RateFigure | None
    memory_gb: float | None
    has_tensor_cores: bool
    missing: tuple[str, ...]
    """Figures without which nothing could be derived."""

    def rate(self, precision: ComputePrecision) -> RateFigure | None:
        """What matrices are multiplied at: without tensor cores in FP32, whatever their precision."""
        match precision:
            case ComputePrecision.MIXED if self.has_tensor_cores:
                return self.tensor
            case ComputePrecision.TF32 if self.tf32 is not None:
                return self.tf32
        return self.products

    @property
    def usual_precision(self) -> ComputePrecision:
        """Mixed where tensor cores reward it."""
        return ComputePrecision.MIXED if self.has_tensor_cores else ComputePrecision.FP32


def gpu_spec(part: Part) -> GpuSpec:
    """The spec of a GPU. Raises ValueError for another part."""
    if not isinstance(part.spec, GpuSpec):
        raise ValueError(f"{part.id} is no GPU")
    return part.spec


def peaks_of(part: Part) -> Peaks:
    """All peaks of a GPU. Pure."""
    spec = gpu_spec(part)
    capability = capability_of(spec)
    fp32 = _fp32(part, spec, capability)
    fp16 = _stated(spec.fp16_tflops) or _ratio(fp32, FP16_OVER_FP32.get(capability or (0, 0), 1.0), part, "fp16_tflops")
    has = _has_tensor_cores(spec, capability)
    tensor = _tensor(part, spec, capability, fp32) if has else None
    bandwidth = _bandwidth(part, spec)
    needed = {"fp32_tflops": fp32, "fp16_tensor_tflops": tensor if has else fp32, "memory_bandwidth_gbps": bandwidth}
    two = (spec.architecture or "").startswith(TWO_AT_ONCE)
    return Peaks(
        fp32=fp32,
        products=fp32.times(AT_ONCE) if fp32 and two else fp32,
        fp16=fp16,
        tensor=tensor,
        tf32=_tf32(part, spec, capability, tensor),
        bandwidth=bandwidth,
        memory_gb=spec.memory_gb,
        has_tensor_cores=has,
        missing=tuple(f"{part.id}.{name}" for name, figure in needed.items() if figure is None),
    )


def capability_of(spec: GpuSpec) -> Capability | None:
    """NVIDIA's compute capability as numbers; None for other makers and where it is unknown."""
    major, dot, minor = (spec.compute_capability or "").partition(".")
    return (int(major), int(minor)) if dot and major.isdigit() and minor.isdigit() else None


def is_geforce(spec: GpuSpec) -> bool:
    """Whether tensor cores run at the halved rate of consumer cards. The TITAN RTX does not."""
    return "geforce" in spec.product.lower()


def _has_tensor_cores(spec: GpuSpec, capability: Capability | None) -> bool:
    if spec.tensor_cores is not None:
        return spec.tensor_cores > 0
    if spec.fp16_tensor_tflops or spec.bf16_tensor_tflops:
        return True
    return capability is not None and capability >= (7, 0)


def _fp32(part: Part, spec: GpuSpec, capability: Capability | None) -> RateFigure | None:
    if spec.fp32_tflops:
        return _stated(spec.fp32_tflops)
    if not spec.cores:
        return None
    clock = spec.boost_clock_mhz
    mhz = (clock, clock, clock) if clock else CLOCK_MHZ.get(capability or (0, 0), CLOCK_UNKNOWN)
    low, expected, high = (vector_tflops(spec.cores, value) for value in mhz)
    lacking = () if clock else (f"{part.id}.boost_clock_mhz",)
    return RateFigure((low, expected, high), (f"{part.id}.fp32_tflops", *lacking))


def _tensor(part: Part, spec: GpuSpec, capability: Capability | None, fp32: RateFigure | None) -> RateFigure | None:
    stated = _stated(spec.fp16_tensor_tflops or spec.bf16_tensor_tflops)
    if stated or fp32 is None:
        return stated
    if capability not in TENSOR_OVER_FP32:
        return None
    ratio = TENSOR_OVER_FP32[capability]
    halved = capability in HALVED_ON_GEFORCE and is_geforce(spec)
    return _ratio(fp32, ratio / 2 if halved else ratio, part, "fp16_tensor_tflops")


def _tf32(part: Part, spec: GpuSpec, capability: Capability | None, tensor: RateFigure | None) -> RateFigure | None:
    """Half the FP16 rate on every architecture that has it (8.0 and later)."""
    if spec.tf32_tflops:
        return _stated(spec.tf32_tflops)
    return _ratio(tensor, 0.5, part, "tf32_tflops") if tensor and capability and capability >= (8, 0) else None


def _bandwidth(part: Part, spec: GpuSpec) -> RateFigure | None:
    if spec.memory_bandwidth_gbps:
        return _stated(spec.memory_bandwidth_gbps)
    pins = GBIT_PER_PIN.get((spec.memory_type or "").upper())
    if not spec.memory_bus_bits or pins is None:
        return None
    low, expected, high = (spec.memory_bus_bits / 8 * rate for rate in pins)
    return RateFigure((low, expected, high), (f"{part.id}.memory_bandwidth_gbps",))


def _stated(value: float | None) -> RateFigure | None:
    return RateFigure((value, value, value)) if value else None


def _ratio(figure: RateFigure | None, ratio: float, part: Part, name: str) -> RateFigure | None:
    if figure is None:
        return None
    low, expected, high = DERIVED
    return figure.times((low * ratio, expected * ratio, high * ratio), f"{part.id}.{name}")
