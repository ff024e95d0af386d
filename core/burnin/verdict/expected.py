"""What a rate of a card is held against: a measured reference, else the figures of its product.

What another program measured is told only where neither is known.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from core.burnin.planned import planned_card
from core.burnin.record.rows import StageRow
from core.burnin.record.samples import between, column
from core.burnin.references import Reference
from core.burnin.stages.registry import workload_key
from core.burnin.verdict.recorded import Recorded
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.predict.speed.card_speed import gemm_share
from core.predict.speed.networks import ComputePrecision
from core.predict.speed.peaks import peaks_of
from core.telemetry.device import Device

PRECISIONS = {
    "float32": ComputePrecision.FP32,
    "tf32": ComputePrecision.TF32,
    "float16": ComputePrecision.MIXED,
    "bfloat16": ComputePrecision.MIXED,
}
PRODUCTS = ("gemm", "soak")
BANDWIDTH = "bandwidth"
BETWEEN_DEVICES = ("host-link", "p2p", "collectives", "data-parallel")
"""What these measure is the slot's and the board's, not the model's."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A rate with the figures below which a verdict speaks. None: it is shown beside the rate, and judges nothing."""

    rate: float
    unit: str
    words: str
    warn_below: float | None
    fail_below: float | None
    source: str


def expected_rate(recorded: Recorded, device: Device, stage: StageRow, name: str) -> Expected | None:
    """None where nothing is known of the product, or the card is simulated: its speeds are made up.

    References are of the usual work, and say nothing about another batch or precision.
    """
    if device.simulated or stage.kind in BETWEEN_DEVICES:
        return None
    usual = not workload_key(recorded.profile.stages[stage.number])
    reference = recorded.references.get(device.id, {}).get((stage.kind, name)) if usual else None
    if reference is not None and reference.judged:
        return _measured(recorded, reference)
    part = _part(recorded, device)
    stated = _stated(recorded, device, stage, name, part) if part is not None else None
    return stated or (_told(reference) if reference is not None else None)


def _measured(recorded: Recorded, reference: Reference) -> Expected:
    words = f"{reference.rate:g} {reference.unit} measured on this model"
    criteria = recorded.criteria
    warn, fail = (1 - pct / 100 for pct in (criteria.below_reference_warn_pct, criteria.below_reference_fail_pct))
    return Expected(
        reference.rate, reference.unit, words, reference.rate * warn, reference.rate * fail, reference.source
    )


def _told(reference: Reference) -> Expected:
    words = f"{reference.rate:g} {reference.unit} measured on this model by another program, which says little"
    return Expected(reference.rate, reference.unit, words, None, None, reference.source)


def _part(recorded: Recorded, device: Device) -> Part | None:
    planned = planned_card(recorded.plan, device) if recorded.plan else None
    return planned.part if planned else recorded.products.get(device.id)


def _stated(recorded: Recorded, device: Device, stage: StageRow, name: str, part: Part) -> Expected | None:
    if stage.kind == BANDWIDTH:
        return _bandwidth(recorded, part)
    return _product(recorded, device, stage, name, part) if stage.kind in PRODUCTS else None


def _bandwidth(recorded: Recorded, part: Part) -> Expected | None:
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    stated = spec.memory_bandwidth_gbps
    if stated is None:
        return None
    warn, fail = recorded.criteria.bandwidth_warn_pct, recorded.criteria.bandwidth_fail_pct
    words = f"{stated:g} GB/s that {part.title} states"
    source = "published tests reach 80 to 91 %"
    return Expected(stated, "GB/s", words, stated * warn / 100, stated * fail / 100, source)


def _product(recorded: Recorded, device: Device, stage: StageRow, name: str, part: Part) -> Expected | None:
    """The stated peak at the clock that was measured: cards leave their stated boost on both sides.

    Shown, not judged: what is published are short bursts of a cool card, which a card at its power limit does not keep.
    """
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    precision, clock = PRECISIONS.get(name), _clock_mhz(recorded, device, stage)
    peak = peaks_of(part).rate(precision) if precision is not None else None
    if precision is None or peak is None or clock is None or spec.boost_clock_mhz is None:
        return None
    now = peak.values[1] * clock / spec.boost_clock_mhz
    _, usual, _ = gemm_share(spec, precision)
    words = f"{now * usual:.4g} TFLOPS, which its architecture reaches in short bursts at {clock:.0f} MHz"
    source = "published products in PyTorch over the stated peak, at the measured clock"
    return Expected(now * usual, "TFLOPS", words, None, None, source)


def _clock_mhz(recorded: Recorded, device: Device, stage: StageRow) -> float | None:
    """Mean clock of the stage's second half."""
    if stage.started_s is None or stage.ended_s is None:
        return None
    half_s = (stage.started_s + stage.ended_s) / 2
    clocks = column(between(recorded.samples[device.id], half_s, stage.ended_s), "clock_mhz")
    clocks = clocks[~np.isnan(clocks)]
    return float(clocks.mean()) if len(clocks) else None
