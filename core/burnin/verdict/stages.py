"""How each stage ended, and what it warned of. NOT RUN never counts as passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.rows import Outcome, Reason, ResultStatus, StageResult, StageRow, StageStatus
from core.burnin.record.samples import column
from core.burnin.stages.registry import BY_KIND
from core.burnin.verdict.recorded import Recorded
from core.phrasing import count_of
from core.telemetry.device import Device, DeviceKind


def stage_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """One for each stage, and one for each of its warnings."""
    for stage in recorded.stages:
        result = recorded.result(stage, device)
        yield from (replace(reason, stage=stage.number) for reason in _stage(recorded, device, stage, result))


def _stage(recorded: Recorded, device: Device, stage: StageRow, result: StageResult | None) -> Iterator[Reason]:
    if result is not None and _has_no_part(recorded, device, result):
        yield Reason(Outcome.PASS, f"{stage.title}: NOT RUN, and nothing to prove here. {result.reason}")
    elif result is None or stage.status is not StageStatus.DONE:
        how = _unfinished(stage)
        told = result.reason if result and result.status is not ResultStatus.PASSED else ""
        detail = f": {told}" if told else "."
        outcome = _outcome(result, stage, Outcome.INCOMPLETE)
        yield Reason(outcome, f"{stage.title} {how}{detail}", about=_because_of(result))
    else:
        text = f"{stage.title}: {result.reason or result.status}"
        yield Reason(_outcome(result, stage, Outcome.PASS), text, about=_because_of(result))
        for warning in result.told(StageEvidence).warnings:
            yield Reason(Outcome.WARN, f"{stage.title}: {warning}")


def _because_of(result: StageResult | None) -> str:
    return result.told(StageEvidence).because_of if result else ""


def error_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Wrong results, counted over all stages."""
    errors, checks = recorded.values(device, "errors"), recorded.values(device, "checks")
    worst, allowed = float(errors.max(initial=0.0)), recorded.criteria.max_errors
    if worst > allowed:
        compared = float(checks.max(initial=0.0))
        text = f"{count_of(int(worst), 'wrong result')} in {count_of(int(compared), 'comparison')}."
        samples = recorded.samples[device.id]
        first_s = float(samples[np.argmax(column(samples, "errors") > allowed), 0])
        yield Reason(Outcome.FAIL, text, worst, allowed, "errors", time_s=first_s)


def _unfinished(stage: StageRow) -> str:
    if stage.status is not StageStatus.SKIPPED:
        return "did not end"
    return "was skipped" if stage.started_s is None else "was cut short"


def _outcome(result: StageResult | None, stage: StageRow, otherwise: Outcome) -> Outcome:
    match result.status if result else None:
        case ResultStatus.FAILED:
            return Outcome.FAIL
        case ResultStatus.DIED:
            outside = result is not None and result.told(StageEvidence).killed_from_outside
            return Outcome.INCOMPLETE if outside else Outcome.FAIL
        case ResultStatus.STOPPED:
            return Outcome.INCOMPLETE
        case ResultStatus.NOT_RUN:
            kind = BY_KIND.get(stage.kind)
            lacking = result is not None and result.told(StageEvidence).needs  # a stage for GPUs on a CPU alone
            return Outcome.INCOMPLETE if kind is None or (kind.load and not lacking) else Outcome.WARN
        case _:
            return otherwise


def _has_no_part(recorded: Recorded, device: Device, result: StageResult) -> bool:
    """Whether a machine like this has nothing that the stage could prove: two cards of one, or the CPU beside GPUs.

    A CPU that is burned in alone is another matter: the GPUs may be missing.
    """
    beside = device.kind is DeviceKind.GPU or any(other.kind is DeviceKind.GPU for other in recorded.burned)
    return result.status is ResultStatus.NOT_RUN and bool(result.told(StageEvidence).needs) and beside
