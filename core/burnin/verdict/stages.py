"""How each stage ended, and what it warned of. NOT RUN never counts as passed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.rows import Outcome, Reason, ResultStatus, StageResult, StageRow, StageStatus
from core.burnin.record.samples import column
from core.burnin.stages.registry import BY_KIND
from core.burnin.verdict.codes import outcome_of
from core.burnin.verdict.recorded import Recorded
from core.language import plain, tr, trn
from core.telemetry.device import Device, DeviceKind


def stage_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """One for each stage, and one for each of its warnings."""
    for stage in recorded.stages:
        result = recorded.result(stage, device)
        yield from (replace(reason, stage=stage.number) for reason in _stage(recorded, device, stage, result))


def _stage(recorded: Recorded, device: Device, stage: StageRow, result: StageResult | None) -> Iterator[Reason]:
    if result is not None and _has_no_part(recorded, device, result):
        why = tr("{stage}: NOT RUN, not applicable here. {reason}", stage=stage.title, reason=result.reason)
        yield Reason(Outcome.PASS, why)
    elif result is None or stage.status is not StageStatus.DONE:
        told = result.reason if result and result.status is not ResultStatus.PASSED else ""
        unfinished = plain("{stage} {finding}", stage=stage.title, finding=_unfinished(stage, told))
        yield Reason(_outcome(result, stage, Outcome.INCOMPLETE), unfinished, about=_because_of(result))
    else:
        text = _finding(stage, result.reason or result.status.label)
        yield Reason(_outcome(result, stage, Outcome.PASS), text, about=_because_of(result))
        for warning in result.told(StageEvidence).warnings:
            yield Reason(Outcome.WARN, _finding(stage, warning))


def _finding(stage: StageRow, finding: str) -> str:
    return tr("{stage}: {finding}", stage=stage.title, finding=finding)


def _because_of(result: StageResult | None) -> str:
    return result.told(StageEvidence).because_of if result else ""


def error_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Wrong results, counted over all stages."""
    errors, checks = recorded.values(device, "errors"), recorded.values(device, "checks")
    worst, allowed = float(errors.max(initial=0.0)), recorded.criteria.max_errors
    if worst > allowed:
        compared = float(checks.max(initial=0.0))
        text = trn(
            "{wrong} in {count} comparison.",
            "{wrong} in {count} comparisons.",
            wrong=trn("{count} wrong result", "{count} wrong results", count=int(worst)),
            count=int(compared),
        )
        samples = recorded.samples[device.id]
        first_s = float(samples[np.argmax(column(samples, "errors") > allowed), 0])
        yield Reason(Outcome.FAIL, text, worst, allowed, "errors", time_s=first_s)


def _unfinished(stage: StageRow, told: str) -> str:
    if stage.status is not StageStatus.SKIPPED:
        return tr("did not end: {reason}", reason=told) if told else tr("did not end.")
    if stage.started_s is None:
        return tr("was skipped: {reason}", reason=told) if told else tr("was skipped.")
    return tr("was cut short: {reason}", reason=told) if told else tr("was cut short.")


def _outcome(result: StageResult | None, stage: StageRow, passed: Outcome) -> Outcome:
    """`passed` where nothing went wrong on the device."""
    if result is None or result.status is ResultStatus.PASSED:
        return passed
    kind, lacks = BY_KIND.get(stage.kind), result.told(StageEvidence).needs  # a stage for GPUs on a CPU alone
    return outcome_of(result, Outcome.INCOMPLETE if kind is None or (kind.load and not lacks) else Outcome.WARN)


def _has_no_part(recorded: Recorded, device: Device, result: StageResult) -> bool:
    """Whether a machine like this has nothing that the stage could prove: two cards of one, or the CPU beside GPUs.

    A CPU that is burned in alone is another matter: the GPUs may be missing.
    """
    beside = device.kind is DeviceKind.GPU or any(other.kind is DeviceKind.GPU for other in recorded.burned)
    return result.status is ResultStatus.NOT_RUN and bool(result.told(StageEvidence).needs) and beside
