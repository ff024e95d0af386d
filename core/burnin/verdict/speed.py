"""Speed: against the best card of the model, references, the card's own figures and its own past; how steady it was.

The least that a card does is a clock that leaves idle under load, and a part of the peak at that clock. Healthy cards
reach 40 % and more of it in large products. So far below lies none, whatever its model, limit or cooling.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from core.burnin.planned import planned_card
from core.burnin.profile.profile import StageSettings
from core.burnin.record.evidence import SoakEvidence
from core.burnin.record.rows import Outcome, Reason, StageResult, StageRow
from core.burnin.record.samples import LEAST_SHARE_PCT, Samples, between, readings
from core.burnin.record.sentences import throttle_codes
from core.burnin.references import Reference
from core.burnin.stages.registry import BY_KIND, workload_key
from core.burnin.verdict.predicted import PRECISIONS, PRODUCTS
from core.burnin.verdict.recorded import Recorded, graded, rate_words, rates_of
from core.loads.memory.contract import VramEvidence
from core.loads.training.contract import Speed
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.throttle import reasons
from core.parts.compute import GpuSpec
from core.parts.part import Part
from core.predict.speed.card_speed import gemm_share
from core.predict.speed.peaks import capability_of, peaks_of
from core.words import joined, tr

BANDWIDTH = "bandwidth"
BETWEEN_DEVICES = ("host-link", "p2p", "collectives", "data-parallel")
"""What these measure is the slot's and the board's, not the model's."""


@dataclass(frozen=True, slots=True)
class ExpectedRate:
    """A rate with the figures below which a verdict speaks. None: it is shown beside the rate, and judges nothing."""

    rate: float
    unit: str
    words: str
    warn_below: float | None
    fail_below: float | None
    source: str
    floor: float = 0.0
    """Below it fails a card whose power limit was lowered, too."""


def expected_rate(recorded: Recorded, device: Device, stage: StageRow, name: str) -> ExpectedRate | None:
    """None where nothing is known of the product, or the card is simulated: its speeds are made up.

    References are of the usual work, and say nothing about another batch or precision.
    """
    if device.simulated or stage.kind in BETWEEN_DEVICES:
        return None
    usual = not workload_key(recorded.profile.stages[stage.number])
    reference = recorded.references.get(device.id, {}).get((stage.kind, name)) if usual else None
    part = _part(recorded, device)
    stated = _stated(recorded, device, stage, name, part) if part is not None else None
    if reference is not None and reference.judged:
        return _no_lower(_measured(recorded, reference), stated)
    return stated or (_guide(reference) if reference is not None else None)


def _no_lower(measured: ExpectedRate, stated: ExpectedRate | None) -> ExpectedRate:
    """Never below the floor of what the card states: a reference is what its user says of it, its unit too."""
    if stated is None:
        return measured
    if stated.unit != measured.unit:
        return stated
    floor, fail = max(measured.floor, stated.floor), max(measured.fail_below or 0.0, stated.floor)
    return replace(measured, floor=floor, fail_below=fail)


def _measured(recorded: Recorded, reference: Reference) -> ExpectedRate:
    words = tr("{rate:g} {unit} measured on this model", rate=reference.rate, unit=reference.unit)
    criteria = recorded.criteria
    warn, fail = (1 - pct / 100 for pct in (criteria.below_reference_warn_pct, criteria.below_reference_fail_pct))
    rate, floor = reference.rate, reference.rate * criteria.peak_fail_pct / 100
    return ExpectedRate(rate, reference.unit, words, rate * warn, rate * fail, reference.source, floor)


def _guide(reference: Reference) -> ExpectedRate:
    fields = {"rate": reference.rate, "unit": reference.unit}
    words = tr("{rate:g} {unit} measured on this model by another program, a rough guide only", **fields)
    return ExpectedRate(reference.rate, reference.unit, words, None, None, reference.source)


def _part(recorded: Recorded, device: Device) -> Part | None:
    """That of the shipped catalogue. Any figure can be written into a plan: it counts where nothing else is known."""
    if (shipped := recorded.products.get(device.id)) is not None:
        return shipped
    planned = planned_card(recorded.plan, device) if recorded.plan else None
    return planned.part if planned else None


def _stated(recorded: Recorded, device: Device, stage: StageRow, name: str, part: Part) -> ExpectedRate | None:
    if stage.kind == BANDWIDTH:
        return _bandwidth(recorded, part)
    return _product(recorded, device, stage, name, part) if stage.kind in PRODUCTS else None


def _bandwidth(recorded: Recorded, part: Part) -> ExpectedRate | None:
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    stated = spec.memory_bandwidth_gbps
    if stated is None:
        return None
    warn, fail = recorded.criteria.bandwidth_warn_pct, recorded.criteria.bandwidth_fail_pct
    words = tr("{stated:g} GB/s as stated for {part}", stated=stated, part=part.title)
    source = tr("published tests reach 80 to 91 %")
    floor = stated * recorded.criteria.peak_fail_pct / 100
    return ExpectedRate(stated, "GB/s", words, stated * warn / 100, stated * fail / 100, source, floor)


def _product(recorded: Recorded, device: Device, stage: StageRow, name: str, part: Part) -> ExpectedRate | None:
    """The stated peak at the clock that was measured: cards leave their stated boost on both sides.

    What is published are short bursts of a cool card, which a card at its power limit does not keep: only far below the
    peak it judges.
    """
    spec = part.spec
    assert isinstance(spec, GpuSpec)
    precision, samples = PRECISIONS.get(name), second_half(recorded, device, stage)
    clocks = np.empty(0) if samples is None else readings(samples, "clock_mhz")
    peak = peaks_of(part).rate(precision) if precision is not None else None
    if precision is None or peak is None or samples is None or not len(clocks) or spec.boost_clock_mhz is None:
        return None
    clock = float(clocks.mean())
    now = peak.values[1] * clock / spec.boost_clock_mhz
    _, usual, _ = gemm_share(spec, precision)
    fields = {"now": now * usual, "clock": clock}
    words = tr("{now:.4g} TFLOPS, which its architecture reaches in short bursts at {clock:.0f} MHz", **fields)
    source = tr("published PyTorch products relative to the stated peak, at the measured clock")
    if device.parent or not has_meaningful_peak(spec, name, recorded.profile.stages[stage.number]):
        return ExpectedRate(now * usual, "TFLOPS", words, None, None, source)
    criteria = recorded.criteria
    fail = now * criteria.peak_fail_pct / 100
    warn = None if is_held_back(samples) else now * criteria.peak_warn_pct / 100
    return ExpectedRate(now * usual, "TFLOPS", words, warn, fail, source, floor=fail)


POWER_ALONE = {"SwPowerCap", "GpuIdle"}
"""What lowers the clocks of a sound card under full load."""
LOWERED_BY = 0.98
"""Below this share of the card's own power limit its speed is no longer that of its model."""


def peer_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs, against the best of the same model: the speed of a CPU is shared with everything else that runs."""
    if device.kind is not DeviceKind.GPU:
        return
    for stage, result in recorded.ended(device):
        for name, rate in rates_of(result).items():
            for reason in _against_the_best(recorded, device, stage, name, rate):
                yield replace(reason, stage=stage.number, about=name)


def speed_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs: against its own past and what is expected of its model; how steady it was."""
    if device.kind is not DeviceKind.GPU:
        return
    for stage, result in recorded.ended(device):
        for reason in _speed(recorded, device, stage, result):
            yield replace(reason, stage=stage.number)
    yield from clock_reasons(recorded, device)


def _speed(recorded: Recorded, device: Device, stage: StageRow, result: StageResult) -> Iterator[Reason]:
    for name, rate in rates_of(result).items():
        yield from _against_its_past(recorded, device, stage, name, rate)
        yield from _against_what_is_expected(recorded, device, stage, name, rate)
    yield from _steadiness(recorded, stage, result)


def _against_the_best(recorded: Recorded, device: Device, stage: StageRow, name: str, rate: float) -> Iterator[Reason]:
    if stage.kind in BETWEEN_DEVICES:
        return  # one card may sit in a slot with 16 lanes, its twin in one with 4
    twins = [other for other in recorded.burned if other.name == device.name]
    best = max(rates_of(recorded.result(stage, twin)).get(name, 0.0) for twin in twins)
    criteria, pct = recorded.criteria, 100 * (1 - rate / best)
    fields = {"stage": stage.title, "name": rate_words(name), "pct": pct}
    text = tr("{stage}, {name}: {pct:.1f} % slower than the best device of this model.", **fields)
    source = tr("10 % below the best card fails in gpu-fryer too")
    yield from _above(pct, text, source, criteria.slower_than_best_warn_pct, criteria.slower_than_best_fail_pct)


def _against_its_past(recorded: Recorded, device: Device, stage: StageRow, name: str, rate: float) -> Iterator[Reason]:
    if best := recorded.history.get(device.id, {}).get((stage.kind, name)):
        pct = 100 * (1 - rate / best)
        fields = {"stage": stage.title, "name": rate_words(name), "pct": pct}
        text = tr("{stage}, {name}: {pct:.1f} % slower than this device was in an earlier run.", **fields)
        yield from _above(pct, text, tr("its own best in earlier runs"), recorded.criteria.below_history_warn_pct)


def _against_what_is_expected(
    recorded: Recorded, device: Device, stage: StageRow, name: str, rate: float
) -> Iterator[Reason]:
    expected = expected_rate(recorded, device, stage, name)
    if expected is None:
        return
    limits = recorded.values(device, "power_limit_w")
    lowered = len(limits) and device.power_limit_w and float(limits.min()) < LOWERED_BY * device.power_limit_w
    text: str = tr(
        "{stage}, {name}: {rate:.4g} {unit}, {share:.0f} % of {expected}.",
        stage=stage.title,
        name=rate_words(name),
        rate=rate,
        unit=expected.unit,
        share=100 * rate / expected.rate,
        expected=expected.words,
    )
    if lowered and rate >= expected.floor:
        text = joined([text, tr("Its power limit was lowered.")])
        yield Reason(Outcome.PASS, text, rate, expected.rate, expected.unit)
        return
    outcome = Outcome.PASS
    if expected.fail_below is not None and rate < expected.fail_below:
        outcome = Outcome.FAIL
    elif expected.warn_below is not None and rate < expected.warn_below:
        outcome = Outcome.WARN
    limit = expected.fail_below if outcome is Outcome.FAIL else expected.warn_below
    rounded = None if limit is None else round(limit, 3)
    yield Reason(outcome, text, rate, rounded, expected.unit, expected.source)


def _steadiness(recorded: Recorded, stage: StageRow, result: StageResult) -> Iterator[Reason]:
    criteria, soak, memory = recorded.criteria, result.evidence_as(SoakEvidence), result.evidence_as(VramEvidence)
    if (spread := result.evidence_as(Speed).variation_pct) is not None:
        fields = {"stage": stage.title, "pct": spread}
        text = tr("{stage}: its speed varied by {pct:.1f} % over windows of ten seconds.", **fields)
        source = tr("ResNet-50 varied 0.1 to 0.6 % on 39 similar machines")
        yield from _above(spread, text, source, criteria.unsteady_warn_pct, criteria.unsteady_fail_pct)
    codes = soak.held_back_codes
    by_power_alone = set(throttle_codes(soak.held_back_by or ()) if codes is None else codes) <= POWER_ALONE
    # In a shortened soak the early window is a cold card's first boost, from which every healthy one falls.
    if (drift := soak.drift_pct) is not None and not recorded.shortened:
        text = tr("{stage}: {pct:.1f} % slower when warm than in minutes 2 to 4.", stage=stage.title, pct=drift)
        fail = None if by_power_alone else criteria.drift_fail_pct
        yield from _above(drift, text, tr("our proposal"), criteria.drift_warn_pct, fail)
    yield from _coverage(recorded, stage, memory.coverage_pct, memory.coverage_of_free_pct)


def _coverage(recorded: Recorded, stage: StageRow, covered: float | None, of_free: float | None) -> Iterator[Reason]:
    """Of the memory: what a display or another program held could not be tested, and is told."""
    least = recorded.criteria.coverage_warn_pct
    if covered is None or covered >= least:
        return
    reached = covered
    text = tr("{stage}: patterns reached {covered:.0f} % of the memory.", stage=stage.title, covered=covered)
    if of_free is not None:
        reached = of_free
        fields = {"stage": stage.title, "covered": covered, "of_free": of_free}
        text = tr(
            "{stage}: patterns reached {covered:.0f} % of the memory, {of_free:.0f} % of what was free.", **fields
        )
    outcome = Outcome.WARN if reached < least else Outcome.PASS
    yield Reason(outcome, text, reached, least, "%", tr("DCGM requires 75 % of all"))


def _above(pct: float, text: str, source: str, warn: float, fail: float | None = None) -> Iterator[Reason]:
    outcome, limit = graded(pct, warn, fail)
    if outcome is not Outcome.PASS:
        yield Reason(outcome, text, pct, limit, "%", source)


HEAVY = ("gemm", "soak", "resnet", "transformer")
"""Loads under which a card's clock is no matter of the load."""
FEWEST_SAMPLES = 5
HALF = 0.5
"""Of its highest clock: cards whose idle clock is above it do not lower it at rest, and cannot be told by it."""
NATIVE_SINCE = {"bfloat16": (8, 0), "float16": (7, 0), "tf32": (8, 0), "float32": (3, 0)}
"""Capability from which on products of a format run at the rate that the peak is of. Older cards emulate it."""
SMALLEST = 2048
"""Rows and columns of products below which the time between them counts."""


def has_meaningful_peak(spec: GpuSpec, name: str, settings: StageSettings) -> bool:
    """Whether products of this number format can be held against the peak: of NVIDIA's cards, large ones."""
    capability, size = capability_of(spec), settings.params.get("size")
    since = NATIVE_SINCE.get(name)
    large = size is None or (isinstance(size, int) and size >= SMALLEST)
    return capability is not None and since is not None and capability >= since and large


def is_held_back(samples: Samples) -> bool:
    """Whether the driver gave a reason for lower clocks, other than that nothing ran, for some of the time."""
    masks = readings(samples, "throttle_mask")
    held = sum(any(reason.name != "GpuIdle" for reason in reasons(float(mask))) for mask in masks)
    return len(masks) > 0 and 100 * held / len(masks) >= LEAST_SHARE_PCT


def clock_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """FAIL for a clock that never left idle, under loads that ask for all of it."""
    above_pct, fastest = recorded.criteria.clock_above_idle_fail_pct, device.clock_max_mhz
    if device.simulated or device.parent or not above_pct or not fastest:
        return
    idle_mhz = _idle_mhz(recorded, device)
    if idle_mhz is None or idle_mhz > HALF * fastest:
        return
    limit_mhz = idle_mhz * (1 + above_pct / 100)
    for stage, samples in recorded.loads(device):
        clocks = readings(samples, "clock_mhz") if stage.kind in HEAVY else np.empty(0)
        if len(clocks) >= FEWEST_SAMPLES and float(clocks.max()) <= limit_mhz:
            highest = float(clocks.max())
            fields = {"stage": stage.title, "clock": highest, "idle": idle_mhz, "fastest": fastest}
            text = tr(
                "{stage}: its clock stayed at {clock:.0f} MHz under load. It idles at {idle:.0f} MHz and can reach "
                "{fastest:.0f} MHz.",
                **fields,
            )
            source = tr("a working card leaves its idle clock under load")
            yield Reason(
                Outcome.FAIL, text, highest, round(limit_mhz, 1), "MHz", source, about="clock_mhz", stage=stage.number
            )


def _idle_mhz(recorded: Recorded, device: Device) -> float | None:
    """Median of the stages that load nothing; None where none of them was measured."""
    at_rest = [
        readings(samples, "clock_mhz")
        for stage, samples in recorded.stage_samples(device)
        if (kind := BY_KIND.get(stage.kind)) is not None and kind.load is None
    ]
    clocks = np.concatenate(at_rest) if at_rest else np.empty(0)
    return float(np.median(clocks)) if len(clocks) else None


def second_half(recorded: Recorded, device: Device, stage: StageRow) -> Samples | None:
    """Of a stage that has ended: warm and under way."""
    if stage.started_s is None or stage.ended_s is None:
        return None
    return between(recorded.samples[device.id], (stage.started_s + stage.ended_s) / 2, stage.ended_s)
