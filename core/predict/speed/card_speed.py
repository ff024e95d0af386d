"""How fast one card trains a reference network by itself: a term of computing and a term of its memory."""

from __future__ import annotations

from dataclasses import dataclass, replace

from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.predict.band import Band
from core.predict.power_limit import speed_at_limit
from core.predict.speed.networks import REFERENCES, ComputePrecision, Network, Triple
from core.predict.speed.peaks import capability_of, gpu_spec, is_geforce, peaks_of
from core.words import tr

_MIXED, _TF32, _FP32 = ComputePrecision.MIXED, ComputePrecision.TF32, ComputePrecision.FP32

GEMM_SHARE: dict[tuple[tuple[int, int], bool], dict[ComputePrecision, Triple]] = {
    ((7, 0), False): {_MIXED: (0.70, 0.76, 0.82), _FP32: (0.85, 0.90, 0.94)},
    ((7, 5), False): {_MIXED: (0.60, 0.70, 0.80), _FP32: (0.70, 0.90, 0.97)},
    ((7, 5), True): {_MIXED: (0.90, 1.05, 1.12), _FP32: (0.85, 0.95, 1.00)},
    ((8, 0), False): {_MIXED: (0.76, 0.82, 0.87), _TF32: (0.62, 0.69, 0.80), _FP32: (0.90, 0.95, 0.98)},
    ((8, 6), False): {_MIXED: (0.68, 0.78, 0.86), _TF32: (0.66, 0.78, 0.88), _FP32: (0.55, 0.62, 0.72)},
    ((8, 6), True): {_MIXED: (0.92, 1.02, 1.08), _TF32: (0.90, 1.00, 1.06), _FP32: (0.60, 0.70, 0.78)},
    ((8, 9), False): {_MIXED: (0.65, 0.76, 0.86), _TF32: (0.62, 0.75, 0.88), _FP32: (0.48, 0.56, 0.68)},
    ((8, 9), True): {_MIXED: (0.92, 1.00, 1.04), _TF32: (0.92, 1.00, 1.06), _FP32: (0.58, 0.66, 0.75)},
    ((9, 0), False): {_MIXED: (0.64, 0.75, 0.82), _TF32: (0.60, 0.74, 0.82), _FP32: (0.70, 0.76, 0.80)},
    ((10, 0), False): {_MIXED: (0.68, 0.75, 0.80), _TF32: (0.60, 0.72, 0.80), _FP32: (0.65, 0.75, 0.85)},
    ((12, 0), False): {_MIXED: (0.70, 0.83, 0.90), _TF32: (0.68, 0.80, 0.90), _FP32: (0.55, 0.62, 0.72)},
    ((12, 0), True): {_MIXED: (1.00, 1.12, 1.16), _TF32: (1.00, 1.12, 1.18), _FP32: (0.58, 0.65, 0.74)},
}
"""By capability and whether it is a GeForce: large square multiplications in PyTorch over the stated peak (published
tests of V100, T4, RTX 2080 Ti, A100, RTX 3090, A6000, 4090, L40S, H100, 5090, PRO 6000 and B200). Above 1 where cards
clock higher than their stated boost."""
OLDER: Triple = (0.80, 0.92, 0.97)
"""Pascal and before, FP32: P100 0.93."""
OTHER: Triple = (0.40, 0.62, 0.80)
"""Other makers and unknown architectures; general knowledge."""

CACHE: dict[int, Triple] = {89: (1.15, 1.3, 1.45), 120: (1.1, 1.25, 1.45)}
"""How much memory traffic a large second-level cache (64 MB and more) saves: RTX 4090 and 6000 Ada train as fast as if
their memory were 1.2 to 1.4 times as fast. Blackwell as Ada: general knowledge."""
LITTLE_CACHE: Triple = (1.0, 1.0, 1.0)
FULL = Band(1.0, 1.0, 1.0, "")

MULTIPLYING = 1.7
"""Exponent of the speed over the power of cards that multiply without a pause: 27 % less for 17 % less power, on three
RTX 3090 under gpu-burn."""


def gemm_share(spec: GpuSpec, precision: ComputePrecision) -> Triple:
    """Of the peak that `Peaks.rate` gives for this precision."""
    capability = capability_of(spec)
    if capability is None:
        return OTHER
    if capability < (7, 0):
        return OLDER
    table = GEMM_SHARE.get((capability, is_geforce(spec))) or GEMM_SHARE.get((capability, False))
    return (table or {}).get(precision, OTHER)


def cache_gain(spec: GpuSpec) -> Triple:
    """By which factor the second-level cache lengthens the memory's bandwidth."""
    major, minor = capability_of(spec) or (0, 0)
    return CACHE.get(10 * major + minor, LITTLE_CACHE)


def kept_rate(part: Part, power_share: float) -> Band:
    """What is left of the rate of computing at this share of the card's own power limit, 0 to 1.

    `speed_at_limit`, which spans whole trainings, with the fall of multiplications alone as its low end. The memory
    keeps its clock: its term does not slow down.
    """
    if power_share >= 1.0:
        return FULL
    own_w = gpu_spec(part).power_limit_w
    speed = speed_at_limit(part, power_share * (own_w or 1.0))
    return replace(speed, low=min(speed.low, float(max(power_share, 0.0) ** MULTIPLYING)))


NOT_YOUR_CODE = tr(
    "The speed band spans published runs, from frameworks out of the box to tuned code, with data at hand."
)


@dataclass(frozen=True, slots=True)
class CardRate:
    """One card alone. `rate` is in the network's samples per second, None if figures that it needs are unknown."""

    precision: ComputePrecision
    rate: Band | None
    compute_ms: Triple
    """Slow, expected, fast per 1000 samples; zeros where unknown."""
    memory_ms: Triple
    missing: tuple[str, ...]

    @property
    def compute_part(self) -> float:
        """Share of the time on the card that is computing; the rest moves data to and from its memory."""
        both = self.compute_ms[1] + self.memory_ms[1]
        return self.compute_ms[1] / both if both else 0.0


def card_rate(
    part: Part, network: Network, power_share: float = 1.0, precision: ComputePrecision | None = None
) -> CardRate:
    """One GPU training the reference network, `power_share` of its own power limit. Pure.

    Without a precision the one that suits the card: mixed with tensor cores, FP32 without. TF32 on a card that has
    none is FP32.
    """
    peaks, spec = peaks_of(part), gpu_spec(part)
    preferred = precision or peaks.usual_precision
    chosen = ComputePrecision.FP32 if preferred is ComputePrecision.TF32 and peaks.tf32 is None else preferred
    rate, bandwidth = peaks.rate(chosen), peaks.bandwidth
    if rate is None or bandwidth is None:
        zeros = (0.0, 0.0, 0.0)
        return CardRate(chosen, None, zeros, zeros, peaks.missing)
    reference = REFERENCES[network]
    work = reference.work[chosen]
    multiplied_in = chosen if chosen is not ComputePrecision.MIXED or peaks.has_tensor_cores else ComputePrecision.FP32
    speed_share = kept_rate(part, power_share)
    speed = _product(rate.values, gemm_share(spec, multiplied_in), work.share, speed_share.triple)
    moved = _product(bandwidth.values, cache_gain(spec))
    compute_ms = _over(reference.gflop, speed)
    memory_ms = _each(work.megabytes, moved)
    terms = zip(compute_ms, memory_ms, reference.waiting_ms, strict=True)
    slow, expected, fast = (1e6 / sum(term) for term in terms)
    missing = tuple(dict.fromkeys((*rate.missing, *bandwidth.missing, *speed_share.missing)))
    band = Band(slow, expected, fast, reference.unit, (NOT_YOUR_CODE, *speed_share.assumptions), missing)
    return CardRate(chosen, band, compute_ms, memory_ms, missing)


def power_share(limit_w: float | None, own_w: float | None, heat_share: float = 1.0) -> float:
    """Share of its own limit that a card may draw: the limit that is set, then what the driver takes back for heat.

    What heat leaves is a share of the limit that is set, so that a limit above the own one is not lost twice.
    """
    limited = limit_w / own_w if limit_w and own_w else 1.0
    return min(1.0, limited * min(1.0, heat_share))


def _product(*triples: Triple) -> Triple:
    low, expected, high = 1.0, 1.0, 1.0
    for one in triples:
        low, expected, high = low * one[0], expected * one[1], high * one[2]
    return low, expected, high


def _over(gflop: float, tflops: Triple) -> Triple:
    """Milliseconds of 1000 samples."""
    return gflop * 1e3 / tflops[0], gflop * 1e3 / tflops[1], gflop * 1e3 / tflops[2]


def _each(megabytes: Triple, gbps: Triple) -> Triple:
    """Milliseconds of 1000 samples."""
    return megabytes[0] * 1e3 / gbps[0], megabytes[1] * 1e3 / gbps[1], megabytes[2] * 1e3 / gbps[2]
