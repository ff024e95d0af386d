"""How devices and stages stand, while a run goes on and afterwards: what went wrong by kind, and one card that failed
is told beside seven that passed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.evidence import StageEvidence
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import (
    IMPORTED,
    Event,
    EventLevel,
    Outcome,
    ResultStatus,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.verdict.codes import EVENTS, METRICS, PLAN_EVENT, ErrorKind
from core.words import Worded, joined, plain, tr, trn

Values = NDArray[np.float64]


OF_THE_RUN = ("errors",)
"""Counters that begin with the run; the others begin with the driver, and what they had before is none of ours."""


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Of one device. `first_s` is by kind when the first was seen, in s since the start of the run."""

    counts: Mapping[ErrorKind, int] = field(default_factory=dict)
    first_s: Mapping[ErrorKind, float] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.counts)

    @classmethod
    def together(cls, parts: Iterable[ErrorCounts]) -> ErrorCounts:
        """Of several devices, or of several times of one."""
        counts: Counter[ErrorKind] = Counter()
        first_s: dict[ErrorKind, float] = {}
        for part in parts:
            counts.update(part.counts)
            first_s |= {kind: min(time_s, first_s.get(kind, time_s)) for kind, time_s in part.first_s.items()}
        return cls(counts, first_s)

    @property
    def first_at_s(self) -> float | None:
        """When the first of any kind was seen; None without one."""
        return min(self.first_s.values(), default=None)

    @property
    def worth_telling(self) -> dict[ErrorKind, int]:
        """What is worth telling: failures that only the log knows of accompany the others, and are told alone."""
        counts = {kind: self.counts[kind] for kind in ErrorKind if self.counts.get(kind)}
        return {kind: count for kind, count in counts.items() if kind is not ErrorKind.OTHER} or counts

    @property
    def words(self) -> str:
        """ "2 wrong results, 1 Xid error"; "no errors"."""
        counts = [_counted(kind, count) for kind, count in self.worth_telling.items()]
        return joined(counts, ", ") if counts else tr("no errors")

    def as_dict(self) -> dict[str, Any]:
        """For JSON: by kind the count and the time of the first."""
        return {kind.value: {"count": count, "first_s": self.first_s[kind]} for kind, count in self.counts.items()}


class ErrorTally:
    """Counts the errors of one device from samples and events as they come, in whatever pieces."""

    def __init__(self) -> None:
        self._risen: Counter[str] = Counter()
        self._from_events: Counter[ErrorKind] = Counter()
        self._first_s: dict[ErrorKind, float] = {}
        self._reading: dict[str, float] = dict.fromkeys(OF_THE_RUN, 0.0)

    @property
    def counts(self) -> ErrorCounts:
        """Until now. Counter and event often tell of the same error: the greater number counts."""
        risen: Counter[ErrorKind] = Counter()
        for name, count in self._risen.items():
            risen[METRICS[name]] += count
        counts = {kind: count for kind in ErrorKind if (count := max(risen[kind], self._from_events[kind]))}
        return ErrorCounts(counts, {kind: self._first_s[kind] for kind in counts})

    def take_samples(self, time_s: Values, values: Mapping[str, Values]) -> None:
        """Adds readings of the counters in `METRICS`, shapes (n,); those that are absent are not counted."""
        for name in METRICS:
            if name in values:
                self._take_counter(name, time_s, values[name])

    def take_event(self, event: Event) -> None:
        """Adds an event of the device; only errors count."""
        if event.level is EventLevel.ERROR:
            kind = EVENTS[event.kind].error if event.kind in EVENTS else ErrorKind.OTHER
            self._from_events[kind] += 1
            self._seen(kind, event.time_s)

    def _take_counter(self, name: str, time_s: Values, values: Values) -> None:
        """One that fell was reset, and counts from zero again."""
        is_read = np.isfinite(values)
        readings = values[is_read]
        if not len(readings):
            return
        rises = np.diff(readings, prepend=self._reading.get(name, readings[0]))
        self._reading[name] = float(readings[-1])
        grown = np.where(rises < 0, readings, rises)
        if (grown > 0).any():
            self._risen[name] += int(grown.sum())
            self._seen(METRICS[name], float(time_s[is_read][np.argmax(grown > 0)]))

    def _seen(self, kind: ErrorKind, time_s: float) -> None:
        self._first_s[kind] = min(time_s, self._first_s.get(kind, time_s))


def error_counts(store: RunReader, run_id: int) -> dict[str, ErrorCounts]:
    """Of each device of a recorded run, by its id; also while the run goes on. Reads one metric after another."""
    tallies = {row.device.id: ErrorTally() for row in store.devices(run_id)}
    for device_id, tally in tallies.items():
        for name in METRICS:
            block = store.samples(run_id, device_id, names=(name,))
            tally.take_samples(block[:, 0], {name: block[:, 1]})
    for event in store.events(run_id):
        if event.device_id in tallies:
            tallies[event.device_id].take_event(event)
    return {device_id: tally.counts for device_id, tally in tallies.items()}


def _counted(kind: ErrorKind, count: int) -> str:
    match kind:
        case ErrorKind.LOST:
            return trn("lost", "lost {count} times", count=count)
        case ErrorKind.WRONG_RESULT:
            return trn("{count} wrong result", "{count} wrong results", count=count)
        case ErrorKind.MEMORY:
            return trn("{count} uncorrectable memory error", "{count} uncorrectable memory errors", count=count)
        case ErrorKind.XID:
            return trn("{count} Xid error", "{count} Xid errors", count=count)
        case ErrorKind.LINK:
            return trn("{count} link error", "{count} link errors", count=count)
        case ErrorKind.DIED:
            return trn("worker died", "worker died {count} times", count=count)
        case ErrorKind.OTHER:
            return trn("{count} failure", "{count} failures", count=count)


class StageState(Worded):
    """How a stage stands on a device, or as a whole. The values are for JSON, the labels for people."""

    badge: str
    """For a report, which is made when nothing runs any more."""

    PENDING = "pending", tr("pending"), tr("NOT REACHED")
    RUNNING = "running", tr("running"), tr("NOT ENDED")
    PASSED = "passed", tr("passed"), tr("PASSED")
    WARNED = "passed with warnings", tr("passed with warnings"), tr("WARNED")
    PARTLY = "partly run", tr("partly run"), tr("PARTLY RUN")
    """As a whole: it passed on some devices, and did not run on others."""
    FAILED = "FAILED", tr("FAILED"), tr("FAILED")
    LOST = "LOST", tr("LOST"), tr("LOST")
    """The device was lost in this stage."""
    DIED = "DIED", tr("DIED"), tr("DIED")
    """Its worker died in this stage."""
    STOPPED = "not finished", tr("stopped"), tr("STOPPED")
    NOT_RUN = "NOT RUN", tr("NOT RUN"), tr("NOT RUN")
    NO_PART = "no part", tr("not applicable"), tr("not applicable")
    """Such a device has nothing to prove in this stage: the CPU beside GPUs."""
    SKIPPED = "skipped", tr("skipped"), tr("SKIPPED")
    NOT_JUDGED = "not judged", tr("not judged"), tr("NOT JUDGED")
    """It is the log of another tool."""


GRAVITY = (
    StageState.LOST, StageState.DIED, StageState.FAILED, StageState.STOPPED, StageState.SKIPPED, StageState.RUNNING,
    StageState.WARNED, StageState.PASSED, StageState.NOT_RUN, StageState.PENDING, StageState.NO_PART,
    StageState.NOT_JUDGED,
)  # fmt: skip
"""The first of these that a device of the stage has is the stage's own."""
BAD = (StageState.LOST, StageState.DIED, StageState.FAILED)
_OF_RESULT = {
    ResultStatus.PASSED: StageState.PASSED,
    ResultStatus.FAILED: StageState.FAILED,
    ResultStatus.DIED: StageState.DIED,
    ResultStatus.STOPPED: StageState.STOPPED,
    ResultStatus.NOT_RUN: StageState.NOT_RUN,
}


@dataclass(frozen=True, slots=True)
class StageStates:
    """One stage. `devices` are those that are burned in, by id."""

    number: int
    devices: Mapping[str, StageState]
    machine: StageState | None = None
    """FAILED where the machine as a whole did: planned cards are missing. None where nothing was told."""

    @property
    def whole(self) -> StageState:
        """The gravest of machine and devices. Passed only where it ran on all devices that have a part in it."""
        states = {*self.devices.values(), *([self.machine] if self.machine else [])}
        gravest = next((state for state in GRAVITY if state in states), StageState.PENDING)
        passed = gravest in (StageState.PASSED, StageState.WARNED)
        return StageState.PARTLY if passed and StageState.NOT_RUN in states else gravest

    def as_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"state": self.whole.value, "states": {device_id: one.value for device_id, one in self.devices.items()}}

    @property
    def words(self) -> str:
        """ "passed"; "7 of 8 passed, 1 LOST": told by number where the devices differ."""
        states = [state for state in self.devices.values() if state is not StageState.NO_PART]
        counts = Counter(states)
        whole = self.whole.label
        if self.machine is not None:
            return tr("{state}: the machine is not as planned", state=whole)
        if len(counts) < 2:
            return whole
        told_first = [StageState.PASSED, StageState.WARNED, *GRAVITY]
        first, *others = sorted(counts, key=told_first.index)
        most = tr("{number} of {all} {state}", number=counts[first], all=len(states), state=first.label)
        rest = (plain("{number} {state}", number=counts[one], state=one.label) for one in others)
        return joined([most, *rest], ", ")


class Condition(Worded):
    """How a device stands in its run, in the word that its panel shows."""

    LOST = "LOST", tr("LOST")
    DEAD = "DEAD", tr("DEAD")
    """Its worker died."""
    FAILED = "FAILED", tr("FAILED")
    INCOMPLETE = "INCOMPLETE", tr("INCOMPLETE")
    WARNED = "WARNED", tr("WARNED")
    PASSED = "PASSED", tr("PASSED")
    SOUND = "no fault so far", tr("no fault so far")
    """The run goes on."""


_OF_OUTCOME = {
    Outcome.FAIL: Condition.FAILED,
    Outcome.INCOMPLETE: Condition.INCOMPLETE,
    Outcome.WARN: Condition.WARNED,
    Outcome.PASS: Condition.PASSED,
}


def condition_of(errors: ErrorCounts, results: Iterable[StageResult], verdict: Verdict | None) -> Condition:
    """Of one device, from what is known of it now. `results` are its own."""
    if errors.counts.get(ErrorKind.LOST):
        return Condition.LOST
    if errors.counts.get(ErrorKind.DIED):
        return Condition.DEAD
    if errors or any(result.status is ResultStatus.FAILED for result in results):
        return Condition.FAILED
    return _OF_OUTCOME[verdict.outcome] if verdict else Condition.SOUND


def stage_states(
    stages: Sequence[StageRow], results: Iterable[StageResult], events: Iterable[Event], device_ids: Sequence[str]
) -> list[StageStates]:
    """All stages of a run, on the devices that are burned in."""
    by_place = {(result.number, result.device_id): result for result in results}
    errors = [event for event in events if event.level is EventLevel.ERROR]
    return [_stage(stage, by_place, [e for e in errors if _during(stage, e.time_s)], device_ids) for stage in stages]


def _stage(
    stage: StageRow, results: Mapping[tuple[int, str], StageResult], errors: Sequence[Event], device_ids: Sequence[str]
) -> StageStates:
    devices = {}
    for device_id in device_ids:
        own_errors = [error for error in errors if error.device_id == device_id]
        devices[device_id] = _device(stage, results.get((stage.number, device_id)), own_errors)
    failed = any(error.kind == PLAN_EVENT and error.device_id is None for error in errors)
    return StageStates(stage.number, devices, StageState.FAILED if failed else None)


def _device(stage: StageRow, result: StageResult | None, errors: Sequence[Event]) -> StageState:
    """An error that driver or kernel told of fails a stage whose load noticed nothing."""
    if stage.kind == IMPORTED:
        return StageState.NOT_JUDGED
    if any(error.kind == "lost" for error in errors):
        return StageState.LOST
    if result is None:
        return _without_result(stage, failed=bool(errors))
    if result.status is ResultStatus.PASSED:
        warned = bool(result.evidence_as(StageEvidence).warnings)
        return StageState.FAILED if errors else StageState.WARNED if warned else StageState.PASSED
    if result.status is ResultStatus.NOT_RUN and result.evidence_as(StageEvidence).needs:
        return StageState.NO_PART
    return _OF_RESULT[result.status]


def _without_result(stage: StageRow, *, failed: bool) -> StageState:
    match stage.status:
        case StageStatus.PENDING:
            return StageState.PENDING
        case StageStatus.RUNNING:
            return StageState.FAILED if failed else StageState.RUNNING
        case StageStatus.SKIPPED:
            return StageState.SKIPPED if stage.started_s is None else StageState.STOPPED
        case StageStatus.DONE:
            return StageState.NOT_RUN


def _during(stage: StageRow, time_s: float) -> bool:
    """From its start until its end; what happens between two stages belongs to neither."""
    if stage.started_s is None or time_s < stage.started_s:
        return False
    return stage.ended_s is None or time_s <= stage.ended_s
