"""N cards that train one model together, each with its share of the samples (data parallel).

After each step the gradients are summed over a ring: every card sends and receives 2 (N - 1) / N times their bytes
(Patarasuk and Yuan, J. Parallel Distrib. Comput. 69 (2009) 117). What runs while the backward pass still computes is
hidden; the rest is added to the step. All wait for the slowest card.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from core.predict.band import Band, union
from core.predict.speed.networks import REFERENCES, Network, Precision, Reference, Triple

BACKWARD = 2 / 3
"""Of a step's time: two of three passes. No more communication than that can hide."""


@dataclass(frozen=True, slots=True)
class Scaled:
    """N cards together. `efficiency` is their rate over the sum of their single rates."""

    rate: Band
    efficiency: Band
    exchange_ms: Band
    """Summing the gradients once, hidden or not."""


def scaled(
    network: Network,
    precision: Precision,
    rates: Sequence[Band],
    gbps: Triple,
    samples: Triple,
) -> Scaled:
    """Cards of these single rates over a ring of this pace, with so many samples per card and step, few to many. Pure.

    Raises ValueError for fewer than two cards or a link of zero.
    """
    count = len(rates)
    if count < 2 or min(gbps) <= 0:
        raise ValueError("scaling needs two or more cards and a link between them")
    reference = REFERENCES[network]
    bytes_each = reference.gradient_bytes if precision is Precision.MIXED else (4.0, 4.0, 4.0)
    factor = 2 * (count - 1) / count * reference.parameters
    exchange = [factor * one / (pace * 1e9) for one, pace in zip(bytes_each, gbps, strict=True)]
    paces = [min(getattr(rate, side) for rate in rates) for side in ("low", "expected", "high")]
    together = [
        _rate(reference, place, count, samples[place], pace, exchange[place]) for place, pace in enumerate(paces)
    ]
    # A fast card waits longest for a slow link, so the efficiency's ends take the other end's pace.
    alone = [sum(getattr(rate, side) for rate in rates) for side in ("high", "expected", "low")]
    efficiencies = [
        _rate(reference, place, count, samples[place], pace, exchange[place]) / alone[place]
        for place, pace in enumerate(reversed(paces))
    ]
    assumptions = union(rate.assumptions for rate in rates)
    missing = union(rate.missing for rate in rates)
    low, middle, high = together
    least, likely, most = sorted(efficiencies)
    return Scaled(
        Band(low, middle, high, reference.unit, assumptions, missing),
        Band(least, likely, most, ""),
        Band(exchange[2] * 1e3, exchange[1] * 1e3, exchange[0] * 1e3, "ms"),
    )


def _rate(reference: Reference, place: int, count: int, samples: float, pace: float, exchange_s: float) -> float:
    """Samples per second of all cards that alone have this pace; `place` is the side of the reference's ranges."""
    alone_s = samples / pace
    hidden = min(reference.overlap[place] * exchange_s, BACKWARD * alone_s)
    return count * samples * reference.in_step[place] / (alone_s + exchange_s - hidden)
