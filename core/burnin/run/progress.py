"""How far a run is, and the worst that it has met so far: from its record, cheap enough to be asked every second."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Event, EventLevel, Outcome, ResultStatus, StageResult, StageRow, StageStatus
from core.burnin.verdict import worst
from core.burnin.verdict.machine_reasons import machine_reasons

_OVER = (StageStatus.DONE, StageStatus.SKIPPED)


@dataclass(frozen=True, slots=True)
class Progress:
    """`number` counts stages from 1; it and `title` are None between two stages."""

    number: int | None
    stages: int
    kind: str | None
    title: str | None
    stage_pct: float
    run_pct: float
    worst: Outcome
    """Of what is on record: the verdict may find more in the samples."""

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return asdict(self)


def progress_of(store: RunReader, run_id: int) -> Progress:
    """Raises BadInput for a run that does not exist."""
    stages = store.stages(run_id)
    running = next((stage for stage in stages if stage.status is StageStatus.RUNNING), None)
    outcomes = [
        *(_of_result(result) for result in store.results(run_id)),
        *(_of_event(event) for event in store.events(run_id)),
        *(reason.outcome for reason in machine_reasons(store, run_id)),
    ]
    return Progress(
        number=running.number + 1 if running else None,
        stages=len(stages),
        kind=running.kind if running else None,
        title=running.title if running else None,
        stage_pct=round(100 * running.fraction, 1) if running else 0.0,
        run_pct=round(100 * _done_s(stages) / sum(stage.seconds for stage in stages), 1),
        worst=worst(outcomes),
    )


def _done_s(stages: list[StageRow]) -> float:
    """Of the planned time: a stage that ended early counts in full."""
    return sum(stage.seconds * (1.0 if stage.status in _OVER else stage.fraction) for stage in stages)


def _of_result(result: StageResult) -> Outcome:
    match result.status:
        case ResultStatus.FAILED:
            return Outcome.FAIL
        case ResultStatus.DIED:
            return Outcome.INCOMPLETE if result.evidence.get("killed_from_outside") else Outcome.FAIL
        case ResultStatus.STOPPED:
            return Outcome.INCOMPLETE
        case ResultStatus.NOT_RUN:
            return Outcome.PASS if result.evidence.get("needs") else Outcome.INCOMPLETE
        case ResultStatus.PASSED:
            return Outcome.WARN if result.evidence.get("warnings") else Outcome.PASS


def _of_event(event: Event) -> Outcome:
    """Before its stage has a result, a fault of a device shows in the events alone."""
    if event.device_id is None or event.level is EventLevel.INFO:
        return Outcome.PASS
    return Outcome.FAIL if event.level is EventLevel.ERROR and event.kind != "died" else Outcome.WARN
