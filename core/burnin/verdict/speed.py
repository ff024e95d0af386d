"""Speed: against the best card of the model, references, the card's own figures and its own past; and how steady."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.burnin.record.rows import Outcome, Reason, StageResult, StageRow
from core.burnin.verdict.expected import BETWEEN_DEVICES, expected_rate
from core.burnin.verdict.recorded import Recorded, rates_of
from core.telemetry.device import Device, DeviceKind

LOWERED_BY = 0.98
"""Below this share of the card's own power limit its speed is no longer that of its model."""


def speed_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Of GPUs: the speed of a CPU is shared with everything else that runs."""
    if device.kind is not DeviceKind.GPU:
        return
    for stage in recorded.stages:
        result = recorded.result(stage, device)
        if result is None:
            continue
        for name, rate in rates_of(result).items():
            yield from _against_the_best(recorded, device, stage, name, rate)
            yield from _against_its_past(recorded, device, stage, name, rate)
            yield from _against_what_is_expected(recorded, device, stage, name, rate)
        yield from _steadiness(recorded, stage, result)


def _against_the_best(recorded: Recorded, device: Device, stage: StageRow, name: str, rate: float) -> Iterator[Reason]:
    if stage.kind in BETWEEN_DEVICES:
        return  # one card may sit in a slot with 16 lanes, its twin in one with 4
    twins = [other for other in recorded.burned if other.name == device.name]
    best = max(rates_of(recorded.result(stage, twin)).get(name, 0.0) for twin in twins)
    criteria = recorded.criteria
    yield from _graded(
        100 * (1 - rate / best),
        f"{stage.title}, {name}: {{0:.1f}} % slower than the best device of this model.",
        Thresholds(criteria.slower_than_best_warn_pct, criteria.slower_than_best_fail_pct),
        "10 % below the best card fails in gpu-fryer too",
    )


def _against_its_past(recorded: Recorded, device: Device, stage: StageRow, name: str, rate: float) -> Iterator[Reason]:
    best = recorded.history.get(device.id, {}).get((stage.kind, name))
    if best:
        yield from _graded(
            100 * (1 - rate / best),
            f"{stage.title}, {name}: {{0:.1f}} % slower than this device was in an earlier run.",
            Thresholds(recorded.criteria.below_history_warn_pct),
            "its own best in earlier runs",
        )


def _against_what_is_expected(
    recorded: Recorded, device: Device, stage: StageRow, name: str, rate: float
) -> Iterator[Reason]:
    expected = expected_rate(recorded, device, stage, name)
    if expected is None:
        return
    limits = recorded.values(device, "power_limit_w")
    lowered = len(limits) and device.power_limit_w and float(limits.min()) < LOWERED_BY * device.power_limit_w
    share = 100 * rate / expected.rate
    text = f"{stage.title}, {name}: {rate:.4g} {expected.unit}, {share:.0f} % of {expected.words}."
    if lowered:
        yield Reason(Outcome.PASS, f"{text} Its power limit was lowered.", rate, expected.rate, expected.unit)
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
    criteria, evidence = recorded.criteria, result.evidence
    if (spread := evidence.get("variation_pct")) is not None:
        text = f"{stage.title}: its speed varied by {{0:.1f}} % over windows of ten seconds."
        source = "ResNet-50 varied 0.1 to 0.6 % on 39 like machines"
        yield from _graded(spread, text, Thresholds(criteria.unsteady_warn_pct, criteria.unsteady_fail_pct), source)
    by_power_alone = set(evidence.get("held_back_by") or ()) <= {"Power limit", "Idle"}
    # In a shortened soak the early window is a cold card's first boost, from which every healthy one falls.
    if (drift := evidence.get("drift_pct")) is not None and not recorded.shortened:
        text = f"{stage.title}: {{0:.1f}} % slower when warm than in minutes 2 to 4."
        fail = None if by_power_alone else criteria.drift_fail_pct
        yield from _graded(drift, text, Thresholds(criteria.drift_warn_pct, fail), "our proposal")
    yield from _coverage(recorded, stage, evidence.get("coverage_pct"), evidence.get("coverage_of_free_pct"))


def _coverage(recorded: Recorded, stage: StageRow, covered: float | None, of_free: float | None) -> Iterator[Reason]:
    """Of the memory: what a display or another program held could not be tested, and is told."""
    least = recorded.criteria.coverage_warn_pct
    if covered is None or covered >= least:
        return
    text = f"{stage.title}: patterns reached {covered:.0f} % of the memory"
    if of_free is not None:
        text += f", {of_free:.0f} % of what was free"
    outcome = Outcome.WARN if of_free is None or of_free < least else Outcome.PASS
    yield Reason(outcome, f"{text}.", covered if of_free is None else of_free, least, "%", "DCGM asks for 75 % of all")


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Above which a percentage warns, and fails; None: never."""

    warn: float
    fail: float | None = None


def _graded(pct: float, text: str, thresholds: Thresholds, source: str) -> Iterator[Reason]:
    if thresholds.fail is not None and pct > thresholds.fail:
        yield Reason(Outcome.FAIL, text.format(pct), pct, thresholds.fail, "%", source)
    elif pct > thresholds.warn:
        yield Reason(Outcome.WARN, text.format(pct), pct, thresholds.warn, "%", source)
