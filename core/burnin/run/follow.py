"""Follows a recording: what is new since a cursor, how far the run is, and the worst that it has met so far.

The one code path for watching live, attaching again, replaying and reporting.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import (
    Event,
    EventLevel,
    Outcome,
    ResultStatus,
    Run,
    RunDevice,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.run.outside import silent_s
from core.burnin.verdict import worst
from core.burnin.verdict.machine_reasons import machine_reasons
from core.telemetry.metrics import NAMES

_OVER = (StageStatus.DONE, StageStatus.SKIPPED)


@dataclass(frozen=True, slots=True)
class Update:
    """What a poll brought: the run as it is now, and only the new samples and events."""

    run: Run
    stages: list[StageRow]
    results: list[StageResult]
    samples: dict[str, NDArray[np.float64]]
    """By device id, shape (n, 1 + len(names)); devices without news are absent."""
    events: list[Event]
    verdicts: list[Verdict]
    names: tuple[str, ...] = NAMES
    """The metrics of the samples, in the order of their columns."""
    silent_s: float | None = None
    """For how long the runner of a run that goes on has not answered; None where it does."""


class Follower:
    """A viewer's place in a run. The first poll brings everything recorded so far, of the metrics `names`."""

    def __init__(self, store: RunReader, run_id: int, names: tuple[str, ...] = NAMES) -> None:
        self._store = store
        self._names = names
        self.run_id = run_id
        self.devices: list[RunDevice] = store.devices(run_id)
        self._sample_cursor = {row.device.id: -1.0 for row in self.devices}
        self._event_cursor = 0

    def poll(self) -> Update:
        """Reads what is new. Raises BadInput when the run was deleted."""
        run = self._store.run(self.run_id)
        events = self._store.events(self.run_id, self._event_cursor)
        if events:
            self._event_cursor = events[-1].id
        return Update(
            run=run,
            stages=self._store.stages(self.run_id),
            results=self._store.results(self.run_id),
            samples=self._new_samples(),
            events=events,
            verdicts=self._store.verdicts(self.run_id),
            names=self._names,
            silent_s=silent_s(self._store, run),
        )

    def _new_samples(self) -> dict[str, NDArray[np.float64]]:
        news: dict[str, NDArray[np.float64]] = {}
        for device_id, cursor in self._sample_cursor.items():
            block = self._store.samples(self.run_id, device_id, cursor, self._names)
            if len(block):
                news[device_id] = block
                self._sample_cursor[device_id] = float(block[-1, 0])
        return news


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
            return Outcome.INCOMPLETE if result.told(StageEvidence).killed_from_outside else Outcome.FAIL
        case ResultStatus.STOPPED:
            return Outcome.INCOMPLETE
        case ResultStatus.NOT_RUN:
            return Outcome.PASS if result.told(StageEvidence).needs else Outcome.INCOMPLETE
        case ResultStatus.PASSED:
            return Outcome.WARN if result.told(StageEvidence).warnings else Outcome.PASS


def _of_event(event: Event) -> Outcome:
    """Before its stage has a result, a fault of a device shows in the events alone."""
    if event.device_id is None or event.level is EventLevel.INFO:
        return Outcome.PASS
    return Outcome.FAIL if event.level is EventLevel.ERROR and event.kind != "died" else Outcome.WARN
