"""The verdict: what was recorded against the profile's criteria, each reason with its figure and limit."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.burnin.follow import COLUMN
from core.burnin.profile import Profile
from core.burnin.record import (
    MACHINE,
    Outcome,
    Reason,
    ResultStatus,
    RunDevice,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.stages import BY_KIND
from core.burnin.store import RunStore
from core.telemetry.device import Device, DeviceKind
from core.telemetry.throttle import Severity
from core.telemetry.throttle import reasons as throttle_reasons

_ORDER = (Outcome.PASS, Outcome.WARN, Outcome.INCOMPLETE, Outcome.FAIL)
SUSTAINED_SAMPLES = 3
"""A throttle bit must stand in so many samples: it may blip when the clock changes."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """Everything that the verdict reads."""

    profile: Profile
    devices: Sequence[RunDevice]
    stages: Sequence[StageRow]
    results: Sequence[StageResult]
    samples: Mapping[str, NDArray[np.float64]]

    @classmethod
    def of(cls, store: RunStore, run_id: int) -> Recorded:
        """Reads a run back from the recording."""
        devices = store.devices(run_id)
        return cls(
            profile=store.run(run_id).profile,
            devices=devices,
            stages=store.stages(run_id),
            results=store.results(run_id),
            samples={row.device.id: store.samples(run_id, row.device.id) for row in devices if row.burned},
        )


def judge(recorded: Recorded, machine_reasons: Iterable[Reason] = ()) -> list[Verdict]:
    """A verdict for the machine first, then one per burned device.

    `machine_reasons` are what concerns no single device: stopped by the user, interrupted, no telemetry, disk full.
    """
    burned = [row.device for row in recorded.devices if row.burned]
    devices = [_device_verdict(recorded, device) for device in burned]
    return [_machine_verdict(burned, devices, list(machine_reasons)), *devices]


def worst(outcomes: Iterable[Outcome]) -> Outcome:
    """FAIL before INCOMPLETE before WARN before PASS."""
    return max(outcomes, key=_ORDER.index, default=Outcome.PASS)


def _machine_verdict(burned: Sequence[Device], devices: Sequence[Verdict], reasons: list[Reason]) -> Verdict:
    if not devices:
        reasons.append(Reason(Outcome.INCOMPLETE, "No device was burned in."))
    titles = {device.id: device.title for device in burned}
    for verdict in devices:
        reasons.append(Reason(verdict.outcome, f"{titles[verdict.device_id]}: {verdict.outcome}"))
    return Verdict(MACHINE, worst(reason.outcome for reason in reasons), _sorted(reasons))


def _device_verdict(recorded: Recorded, device: Device) -> Verdict:
    reasons = [
        *_stage_reasons(recorded, device),
        *_error_reasons(recorded, device),
        *_temperature_reasons(recorded, device),
        *_throttle_reasons(recorded, device),
        *_comparison_reasons(recorded, device),
    ]
    return Verdict(device.id, worst(reason.outcome for reason in reasons), _sorted(reasons))


def _sorted(reasons: Iterable[Reason]) -> tuple[Reason, ...]:
    return tuple(sorted(reasons, key=lambda reason: -_ORDER.index(reason.outcome)))


def _stage_reasons(recorded: Recorded, device: Device) -> Iterable[Reason]:
    results = {result.number: result for result in recorded.results if result.device_id == device.id}
    for stage in recorded.stages:
        result = results.get(stage.number)
        if result is None or stage.status is not StageStatus.DONE:
            how = _unfinished(stage)
            told = result.reason if result and result.status is not ResultStatus.PASSED else ""
            detail = f": {told}" if told else "."
            yield Reason(_outcome(result, stage, Outcome.INCOMPLETE), f"{stage.title} {how}{detail}")
            continue
        yield Reason(_outcome(result, stage, Outcome.PASS), f"{stage.title}: {result.reason or result.status}")
        for warning in result.evidence.get("warnings", []):
            yield Reason(Outcome.WARN, f"{stage.title}: {warning}")


def _unfinished(stage: StageRow) -> str:
    if stage.status is not StageStatus.SKIPPED:
        return "did not end"
    return "was skipped" if stage.started_s is None else "was cut short"


def _outcome(result: StageResult | None, stage: StageRow, otherwise: Outcome) -> Outcome:
    match result.status if result else None:
        case ResultStatus.FAILED:
            return Outcome.FAIL
        case ResultStatus.DIED:
            outside = result is not None and result.evidence.get("killed_from_outside")
            return Outcome.INCOMPLETE if outside else Outcome.FAIL
        case ResultStatus.STOPPED:
            return Outcome.INCOMPLETE
        case ResultStatus.NOT_RUN:
            return Outcome.INCOMPLETE if BY_KIND[stage.kind].load else Outcome.WARN
        case _:
            return otherwise


def _error_reasons(recorded: Recorded, device: Device) -> Iterable[Reason]:
    errors, checks = _largest(recorded, device, "errors"), _largest(recorded, device, "checks")
    allowed = recorded.profile.criteria.max_errors
    if errors is not None and errors > allowed:
        yield Reason(
            Outcome.FAIL, f"{errors:.0f} wrong results in {checks or 0:.0f} comparisons.", errors, allowed, "errors"
        )


def _temperature_reasons(recorded: Recorded, device: Device) -> Iterable[Reason]:
    hottest, limit = _largest(recorded, device, "temperature_c"), device.temperature_slowdown_c
    if hottest is None or limit is None:
        return
    margin, asked = limit - hottest, recorded.profile.criteria.margin_warn_c
    source = "slowdown temperature as the device reports it"
    if margin <= 0:
        outcome = Outcome.FAIL if device.kind is DeviceKind.GPU else Outcome.WARN  # CPUs run there by default
        yield Reason(outcome, f"It reached {hottest:.0f} °C and slows down.", hottest, limit, "°C", source)
    elif margin < asked:
        yield Reason(Outcome.WARN, f"It came within {margin:.0f} K of slowing down.", hottest, limit, "°C", source)


def _throttle_reasons(recorded: Recorded, device: Device) -> Iterable[Reason]:
    masks = recorded.samples[device.id][:, COLUMN["throttle_mask"]]
    counts: dict[tuple[Severity, str], int] = defaultdict(int)
    for mask, samples in zip(*np.unique(masks[~np.isnan(masks)], return_counts=True), strict=True):
        for reason in throttle_reasons(float(mask)):
            counts[reason.severity, reason.title] += int(samples)
    for (severity, title), count in sorted(counts.items(), key=lambda item: item[0][1]):
        if severity is Severity.NORMAL or count < SUSTAINED_SAMPLES:
            continue
        outcome = Outcome.FAIL if severity is Severity.FAIL else Outcome.WARN
        yield Reason(outcome, f"Clocks were held back in {count} samples: {title}.", count, 0, "samples")


def _comparison_reasons(recorded: Recorded, device: Device) -> Iterable[Reason]:
    """Against the best device of the same model: every rate that a stage's evidence names in `rates`."""
    twins = {row.device.id for row in recorded.devices if row.burned and row.device.name == device.name}
    for stage in recorded.stages:
        rates = {
            result.device_id: result.evidence.get("rates", {})
            for result in recorded.results
            if result.number == stage.number and result.device_id in twins
        }
        for name, rate in rates.get(device.id, {}).items():
            best = max(other.get(name, 0.0) for other in rates.values())
            if best > 0 and len(rates) > 1:
                yield from _slower(recorded, f"{stage.title}, {name}", 100 * (1 - rate / best))


def _slower(recorded: Recorded, what: str, slower_pct: float) -> Iterable[Reason]:
    criteria = recorded.profile.criteria
    if slower_pct <= criteria.slower_than_best_warn_pct:
        return
    fails = slower_pct > criteria.slower_than_best_fail_pct
    yield Reason(
        Outcome.FAIL if fails else Outcome.WARN,
        f"{what}: {slower_pct:.1f} % slower than the best device of this model.",
        slower_pct,
        criteria.slower_than_best_fail_pct if fails else criteria.slower_than_best_warn_pct,
        "%",
        "10 % below the best card fails in gpu-fryer too",
    )


def _largest(recorded: Recorded, device: Device, name: str) -> float | None:
    column = recorded.samples[device.id][:, COLUMN[name]]
    known = column[~np.isnan(column)]
    return float(known.max()) if len(known) else None
