"""A run from outside its runner: what is new of it, how far it is, whether its runner answers, and how it is ended.

The one code path for watching live, attaching again, replaying and reporting.
"""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
import psutil
from numpy.typing import NDArray

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import (
    Event,
    EventLevel,
    InterruptionKind,
    Outcome,
    ResultStatus,
    Run,
    RunDevice,
    RunStatus,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.record.store import RUNNER, RunStore
from core.burnin.run.machine import boot_of
from core.burnin.sealing import is_changed, unsigned_sentence
from core.burnin.verdict import worst
from core.burnin.verdict.codes import ErrorKind, outcome_of
from core.burnin.verdict.judge import machine_reasons
from core.burnin.verdict.states import ErrorCounts, error_counts
from core.machine.telemetry.metrics import NAMES
from core.platform.json_value import JsonValue
from core.platform.processes import ProcessMark, is_alive
from core.words import duration, listed, tr, trn

NO_ANSWER_S = 5.0
"""A runner gives a sign of life every second; a slow disk may hold it up for some."""
LOADS_OF_SILENT = tr("If it is frozen, its loads have ended by themselves.")
"""A runner that another program keeps from its recording is silent, too, and guards its loads."""
TERMINATE_WITHIN_S = 6.0
"""A runner that is told to end stops its loads, judges the run and ends within this."""
KILL_WITHIN_S = 5.0


def runner_lives(store: RunReader, run_id: int) -> bool:
    """Whether the recorded runner of a run still is a process of this machine, frozen or not."""
    return any(role == RUNNER and is_alive(mark) for mark, role in store.processes(run_id))


def silent_s(store: RunReader, run: Run) -> float | None:
    """For how long the runner of a run that goes on has not answered; None where it does, or nobody can tell.

    The signs of life are on the monotonic clock of the machine, so that no wall clock that is set back or forth counts.
    """
    beat_s = store.beat_s(run.id)
    if run.status is not RunStatus.RUNNING or beat_s is None:
        return None
    if run.boot_id != boot_of(store.path.parent, simulated=run.simulated):
        return None
    silent = time.monotonic() - beat_s
    return silent if silent >= NO_ANSWER_S else None


def no_answer(run: Run, seconds: float) -> str:
    """The sentence for a runner that has been silent for so long."""
    fields = {"run_id": run.id, "runner_pid": run.runner_pid, "silence": duration(seconds)}
    return tr("The runner of run {run_id} (process {runner_pid}) has not answered for {silence}.", **fields)


def not_ended(left: list[int]) -> str:
    """The sentence for processes that did not even end when they were killed."""
    return trn(
        "Process {processes} did not exit even when killed: a driver is hung. Restart the machine.",
        "Processes {processes} did not exit even when killed: a driver is hung. Restart the machine.",
        processes=listed([str(pid) for pid in left]),
        count=len(left),
    )


def end_from_outside(store: RunStore, run_id: int) -> list[int]:
    """Ends all processes of a run by themselves: told to end first, killed then. Returns ids of those that remain.

    Only processes that are still the recorded ones are touched, each told by its start time: no id that another process
    has taken over since is hit. What was going on stays on record. Takes seconds.
    """
    run = store.run(run_id)
    family = _family([mark for mark, _ in store.processes(run_id)])
    for process in family:
        _signal(process, signal.SIGTERM)
        if sys.platform != "win32":
            _signal(process, signal.SIGCONT)  # a frozen process can only end by itself once it runs again
    _, left = psutil.wait_procs(family, timeout=TERMINATE_WITHIN_S)
    for process in left:
        with suppress(psutil.Error):
            process.kill()
    _, left = psutil.wait_procs(left, timeout=KILL_WITHIN_S)
    if store.run(run_id).status is RunStatus.RUNNING:
        cause = tr(
            "Its runner (process {runner_pid}) did not answer and was ended from outside.", runner_pid=run.runner_pid
        )
        store.mark_interrupted(run_id, InterruptionKind.ENDED_FROM_OUTSIDE, cause)
    return [process.pid for process in left]


def _family(marks: list[ProcessMark]) -> list[psutil.Process]:
    """The recorded processes that still are those, and all their children; each once."""
    family: dict[int, psutil.Process] = {}
    for mark in marks:
        with suppress(psutil.Error):
            if is_alive(mark):
                process = psutil.Process(mark.pid)
                family |= {one.pid: one for one in (process, *process.children(recursive=True))}
    return list(family.values())


def _signal(process: psutil.Process, number: signal.Signals) -> None:
    """psutil looks at the start time again before it signals."""
    with suppress(psutil.Error):
        process.send_signal(number)


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
    changed: bool = False
    """Whether the record of a run that is over failed its check: then it comes without results, events and verdicts."""
    unsigned: str = ""
    """Of a run that has ended: why it has no signature, and what to do."""


class Follower:
    """A viewer's place in a run. The first poll brings everything recorded so far, of the metrics `names`."""

    def __init__(self, store: RunReader, run_id: int, names: tuple[str, ...] = NAMES) -> None:
        self._store = store
        self._names = names
        self.run_id = run_id
        self.devices: list[RunDevice] = store.devices(run_id)
        self._sample_cursor = {row.device.id: -1.0 for row in self.devices}
        self._event_cursor = 0
        self._checked: tuple[object, bool] = (None, False)
        """What was read when the record was held against its seal, and whether it failed."""
        self._result_cursor = 0
        self._results: dict[tuple[int, str], StageResult] = {}

    def poll(self) -> Update:
        """Reads what is new. Raises BadInput when the run was deleted, EnvironmentProblem when the recording was."""
        self._store.require_in_place()
        run = self._store.run(self.run_id)
        events = self._store.events(self.run_id, self._event_cursor)
        if events:
            self._event_cursor = events[-1].id
        stages, results = self._store.stages(self.run_id), self._all_results()
        verdicts = self._store.verdicts(self.run_id)
        changed = run.status is not RunStatus.RUNNING and self._fails((run, stages, results, verdicts))
        return Update(
            run=run,
            stages=stages,
            results=[] if changed else results,
            samples=self._new_samples(),
            events=[] if changed else events,
            verdicts=[] if changed else verdicts,
            names=self._names,
            silent_s=silent_s(self._store, run),
            changed=changed,
            unsigned=unsigned_sentence(self._store, run),
        )

    def _fails(self, read: object) -> bool:
        """Whether the record fails its check; held against its seal again only when it reads otherwise."""
        if self._checked[0] != read:
            self._checked = (read, is_changed(self._store, self.run_id))
        return self._checked[1]

    def _all_results(self) -> list[StageResult]:
        """By stage and device, of which only those that were written since the last poll are read."""
        self._result_cursor, changed = self._store.results_since(self.run_id, self._result_cursor)
        if changed:
            results = self._results | {(result.number, result.device_id): result for result in changed}
            self._results = dict(sorted(results.items()))
        return list(self._results.values())

    def _new_samples(self) -> dict[str, NDArray[np.float64]]:
        news: dict[str, NDArray[np.float64]] = {}
        for device_id, cursor in self._sample_cursor.items():
            block = self._store.samples(self.run_id, device_id, cursor, self._names)
            if len(block):
                news[device_id] = block
                self._sample_cursor[device_id] = float(block[-1, 0])
        return news


@dataclass(frozen=True, slots=True)
class RunProgress(JsonValue):
    """`number` counts stages from 1; it and `title` are None between two stages."""

    number: int | None
    stages: int
    kind: str | None
    title: str | None
    stage_pct: float
    run_pct: float
    worst: Outcome
    """Of what is on record: the verdict may find more in the samples."""
    elapsed_s: float
    """Measured time since the start."""
    remaining_s: float
    """By plan: a stage that can end by itself may take less."""
    worst_device: str | None
    """Label of the device on which most went wrong, "GPU 1"; None while nothing did."""
    worst_told: str
    """What went wrong on it: "lost, 1 Xid error"."""


def progress_of(store: RunReader, run_id: int) -> RunProgress:
    """Raises BadInput for a run that does not exist."""
    stages, last_s = store.stages(run_id), store.last_time_s(run_id)
    errors = error_counts(store, run_id)
    bad = worst_of({row.device.label: errors[row.device.id] for row in store.devices(run_id)})
    running = next((stage for stage in stages if stage.status is StageStatus.RUNNING), None)
    outcomes = [
        *(_of_result(result) for result in store.results(run_id)),
        *(_of_event(event) for event in store.events(run_id)),
        *(reason.outcome for reason in machine_reasons(store, run_id)),
    ]
    return RunProgress(
        number=running.number + 1 if running else None,
        stages=len(stages),
        kind=running.kind if running else None,
        title=running.title if running else None,
        stage_pct=round(100 * running.fraction, 1) if running else 0.0,
        run_pct=round(100 * done_share(stages), 1),
        worst=worst(outcomes),
        elapsed_s=round(last_s, 1),
        remaining_s=round(left_s(stages), 1),
        worst_device=bad[0] if bad else None,
        worst_told=bad[1].words if bad else "",
    )


def done_share(stages: Sequence[StageRow]) -> float:
    """Of the planned time, 0 to 1: a stage that ended early counts in full."""
    return _done_s(stages) / sum(stage.seconds for stage in stages)


def left_s(stages: Sequence[StageRow]) -> float:
    """Of the planned time, in s."""
    return sum(stage.seconds for stage in stages) - _done_s(stages)


def worst_of(errors: Mapping[str, ErrorCounts]) -> tuple[str, ErrorCounts] | None:
    """The device on which the gravest kind of error happened, the earliest of those; None where nothing did."""
    kinds = list(ErrorKind)
    bad = [(name, counts) for name, counts in errors.items() if counts]
    return min(bad, key=lambda one: (kinds.index(next(iter(one[1].worth_telling))), one[1].first_at_s), default=None)


def _done_s(stages: Sequence[StageRow]) -> float:
    """Of the planned time: a stage that ended early counts in full."""
    return sum(stage.seconds * (1.0 if stage.status in _OVER else stage.fraction) for stage in stages)


def _of_result(result: StageResult) -> Outcome:
    evidence = result.evidence_as(StageEvidence)
    if result.status is ResultStatus.PASSED and evidence.warnings:
        return Outcome.WARN
    return outcome_of(result, Outcome.PASS if evidence.needs else Outcome.INCOMPLETE)


def _of_event(event: Event) -> Outcome:
    """Before its stage has a result, a fault of a device shows in the events alone."""
    if event.device_id is None or event.level is EventLevel.INFO:
        return Outcome.PASS
    return Outcome.FAIL if event.level is EventLevel.ERROR and event.kind != "died" else Outcome.WARN
