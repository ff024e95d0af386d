"""How fast one card trains a reference network by itself: a term of computing and a term of its memory."""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.part import Part
from core.predict.band import Band
from core.predict.speed.achieved import cache_gain, gemm_share, kept_rate
from core.predict.speed.networks import REFERENCES, Network, Precision, Triple
from core.predict.speed.peaks import gpu_spec, peaks_of

NOT_YOUR_CODE = (
    "Speed spans software as published runs do, from frameworks out of the box to tuned code, with data at hand."
)


@dataclass(frozen=True, slots=True)
class CardRate:
    """One card alone. `rate` is in the network's samples per second, None if figures that it needs are unknown."""

    precision: Precision
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


def card_rate(part: Part, network: Network, power_share: float = 1.0, precision: Precision | None = None) -> CardRate:
    """One GPU training the reference network, `power_share` of its own power limit. Pure.

    Without a precision the one that suits the card: mixed with tensor cores, FP32 without. TF32 on a card that has
    none is FP32.
    """
    peaks, spec = peaks_of(part), gpu_spec(part)
    asked = precision or peaks.usual_precision
    chosen = Precision.FP32 if asked is Precision.TF32 and peaks.tf32 is None else asked
    rate, bandwidth = peaks.rate(chosen), peaks.bandwidth
    if rate is None or bandwidth is None:
        zeros = (0.0, 0.0, 0.0)
        return CardRate(chosen, None, zeros, zeros, peaks.missing)
    reference = REFERENCES[network]
    work = reference.work[chosen]
    multiplied_in = chosen if chosen is not Precision.MIXED or peaks.has_tensor_cores else Precision.FP32
    kept = kept_rate(part, power_share)
    speed = _product(rate.values, gemm_share(spec, multiplied_in), work.share, (kept.low, kept.expected, kept.high))
    moved = _product(bandwidth.values, cache_gain(spec))
    compute_ms = _over(reference.gflop, speed)
    memory_ms = _each(work.megabytes, moved)
    terms = zip(compute_ms, memory_ms, reference.waiting_ms, strict=True)
    slow, expected, fast = (1e6 / sum(term) for term in terms)
    missing = tuple(dict.fromkeys((*rate.missing, *bandwidth.missing, *kept.missing)))
    band = Band(slow, expected, fast, reference.unit, (NOT_YOUR_CODE, *kept.assumptions), missing)
    return CardRate(chosen, band, compute_ms, memory_ms, missing)


def power_share(limit_w: float | None, own_w: float | None, kept: float = 1.0) -> float:
    """Share of its own limit that a card may draw: the limit that is set, then what the driver takes back for heat.

    What heat leaves is a share of the limit that is set, so that a limit above the own one is not lost twice.
    """
    limited = limit_w / own_w if limit_w and own_w else 1.0
    return min(1.0, limited * min(1.0, kept))


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
