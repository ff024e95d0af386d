"""How a stage stands on each device and as a whole: one card that failed is told beside seven that passed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.burnin.record.evidence import StageEvidence
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
from core.burnin.verdict.codes import PLAN_EVENT, ErrorKind
from core.burnin.verdict.errors import ErrorCounts
from core.language import joined, plain, tr
from core.worded import Worded


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
        found = next((state for state in GRAVITY if state in states), StageState.PENDING)
        return (
            StageState.PARTLY
            if found in (StageState.PASSED, StageState.WARNED) and StageState.NOT_RUN in states
            else found
        )

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
    found = {(result.number, result.device_id): result for result in results}
    errors = [event for event in events if event.level is EventLevel.ERROR]
    return [_stage(stage, found, [e for e in errors if _during(stage, e.time_s)], device_ids) for stage in stages]


def _stage(
    stage: StageRow, results: Mapping[tuple[int, str], StageResult], errors: Sequence[Event], device_ids: Sequence[str]
) -> StageStates:
    devices = {
        device_id: _device(
            stage, results.get((stage.number, device_id)), [e for e in errors if e.device_id == device_id]
        )
        for device_id in device_ids
    }
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
        warned = bool(result.told(StageEvidence).warnings)
        return StageState.FAILED if errors else StageState.WARNED if warned else StageState.PASSED
    if result.status is ResultStatus.NOT_RUN and result.told(StageEvidence).needs:
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
