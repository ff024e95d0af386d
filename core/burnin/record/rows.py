"""The rows of a recorded run as values, and the sentence for one that a damaged or newer recording has."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypeVar

from core.burnin.profile.profile import Profile
from core.loads.evidence import read
from core.machine.telemetry.device import Device
from core.machine.telemetry.source import Incident
from core.platform.errors import EnvironmentProblem
from core.words import Worded, tr, trc

Evidence = TypeVar("Evidence")

SOFTWARE = "software"
"""Kind of the events that tell what computes, with versions: "PyTorch 2.8.0, CUDA 12.8"."""
STOP_EVENT = "stop"
"""Kind of the event that tells why a run ends early."""
MACHINE = ""
"""The device id under which the verdict on the whole machine is kept."""


class RunStatus(Worded):
    """Life of a run. `INTERRUPTED` is a run whose runner vanished; `FINISHED` has a verdict; `IMPORTED` is a log of
    another tool, which nobody judges."""

    RUNNING = "running", tr("running")
    FINISHED = "finished", tr("finished")
    INTERRUPTED = "interrupted", tr("interrupted")
    IMPORTED = "imported", tr("imported, not judged")


IMPORTED = "imported"
"""Name of the profile, kind of the stage, of the event and of the link of a run that was imported, and of a detail of
its devices: each of them alone makes it one."""


class StageStatus(Worded):
    """Life of a stage within a run."""

    PENDING = "pending", tr("pending")
    RUNNING = "running", tr("running")
    DONE = "done", tr("done")
    SKIPPED = "skipped", tr("skipped")


class ResultStatus(Worded):
    """How a stage ended on one device. NOT_RUN never counts as passed."""

    PASSED = "passed", tr("passed")
    FAILED = "failed", tr("failed")
    STOPPED = "stopped", tr("stopped")
    NOT_RUN = "not_run", tr("not run")
    DIED = "died", trc("of a stage on a device", "worker died")


Result = tuple[ResultStatus, str, dict[str, Any]]
"""How a stage ended on one device: status, reason, evidence."""


class Outcome(Worded):
    """The verdict on a device or machine."""

    stamp: str
    """The large word of a certificate, to which older certificates are held as well."""

    PASS = "PASS", tr("PASS"), tr("PASSED")
    WARN = "WARN", tr("WARN"), tr("PASSED WITH WARNINGS")
    FAIL = "FAIL", tr("FAIL"), tr("FAILED")
    INCOMPLETE = "INCOMPLETE", tr("INCOMPLETE"), tr("INCOMPLETE")

    @property
    def gravity(self) -> int:
        """FAIL before INCOMPLETE before WARN before PASS: the gravest is the highest."""
        return (Outcome.PASS, Outcome.WARN, Outcome.INCOMPLETE, Outcome.FAIL).index(self)


class InterruptionKind(Worded):
    """What a run was not spared: kept for good, whatever becomes of the run afterwards."""

    outcome: Outcome
    """Of the machine in a run that came to its end all the same. Where a freeze took planned time, the results of its
    stage make it INCOMPLETE."""

    KILLED = "killed", tr("Runner killed"), Outcome.WARN
    """Its runner ended without a word."""
    RESET = "reset", tr("Reset or power loss"), Outcome.FAIL
    """The machine lost its power, hung or was restarted."""
    GAVE_UP = "gave-up", tr("Gave up"), Outcome.WARN
    """Its runner could not go on, and said why."""
    FROZEN = "frozen", tr("Frozen"), Outcome.WARN
    """One of its processes did not run for a while: stopped, swapped out, or a machine without time for it."""
    SUSPENDED = "suspended", tr("Suspended"), Outcome.INCOMPLETE
    """The machine slept."""
    GAP = "gap", tr("Gap"), Outcome.WARN
    """Nothing was measured or recorded for a while, although the runner ran."""
    ENDED_FROM_OUTSIDE = "ended-from-outside", tr("Ended from outside"), Outcome.INCOMPLETE
    """A viewer ended its processes, because the runner did not answer."""
    RESUMED = "resumed", tr("Resumed"), Outcome.PASS
    SHORTENED = "shortened", tr("Shortened"), Outcome.PASS
    CHANGED = "changed", tr("Recording changed"), Outcome.INCOMPLETE
    """Its record was changed in the file by somebody else than its runner."""


class EventLevel(Worded):
    """How loud an event is."""

    INFO = "info", tr("Info")
    WARN = "warn", tr("Warning")
    ERROR = "error", tr("Error")


@dataclass(frozen=True, slots=True)
class Run:
    """One row of `runs`. Times are UTC in ISO 8601."""

    id: int
    title: str
    status: RunStatus
    profile: Profile
    build: str | None
    """Text of the build file that the run is compared with."""
    started_at: str
    ended_at: str | None
    boot_id: str
    runner_pid: int | None
    machine: str
    simulated: bool
    version: str
    note: str
    cut_short: str | None = None
    """Why its runner gave up, in a sentence; None where it did not, or vanished without a word."""
    simulate: str | None = None
    """What it simulates, in the words of `--simulate`; None where it measures."""

    @property
    def imported(self) -> bool:
        """Whether it is a log of another tool, as far as its own row says; `RunReader.imported` looks further."""
        of_log = any(stage.kind == IMPORTED for stage in self.profile.stages)
        return self.status is RunStatus.IMPORTED or self.profile.name == IMPORTED or of_log


@dataclass(frozen=True, slots=True)
class RunDevice:
    """A device of a run; `burned` devices carry loads, the others are only observed."""

    device: Device
    position: int
    burned: bool


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage of a run. `started_s` and `ended_s` count from the start of the run."""

    number: int
    kind: str
    title: str
    seconds: float
    status: StageStatus
    fraction: float
    started_s: float | None
    ended_s: float | None
    boot_id: str | None

    @property
    def lasted_s(self) -> float:
        """0 for one that did not begin, or has not ended."""
        return 0.0 if self.started_s is None or self.ended_s is None else self.ended_s - self.started_s


@dataclass(frozen=True, slots=True)
class StageResult:
    """How a stage ended on a device, with what was counted."""

    number: int
    device_id: str
    status: ResultStatus
    reason: str
    evidence: dict[str, Any] = field(default_factory=dict)

    def evidence_as(self, type_: type[Evidence]) -> Evidence:
        """What of the evidence is of one type; what was not told is unknown."""
        return read(type_, self.evidence)


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened, in a sentence. `id` rises and is the readers' cursor."""

    id: int
    time_s: float
    at: str
    device_id: str | None
    level: EventLevel
    kind: str
    message: str
    incident: Incident | None = None
    """What driver or kernel told, where it is that which happened."""


class ReasonCriterion(StrEnum):
    """What a reason of a verdict comes from; with what it is about, its code (core.burnin.verdict.codes)."""

    STAGE = "stage"
    ERRORS = "errors"
    XID = "xid"
    COUNTER = "counter"
    HEAT = "heat"
    THROTTLING = "throttling"
    LINK = "link"
    NVLINK = "nvlink"
    TOGETHER = "together"
    REPLAY = "replay"
    DRILL = "drill"
    """A simulated fault that was ordered."""
    PEERS = "peers"
    """Against the best device of the same model."""
    SPEED = "speed"
    POWER = "power"
    PLAN = "plan"
    BUS = "bus"
    """On the machine: a card on the bus that was not tested; about its address."""
    DEVICE = "device"
    """On the machine: the verdict on one of its devices."""
    UNTESTED = "untested"
    """On the machine: no device was tested."""
    STOP = "stop"
    """On the machine: why the run ended early, and when; about `REQUESTED` where user or system asked for it."""
    INTERRUPTION = "interruption"
    """On the machine: about an `InterruptionKind`."""
    REMARK = "remark"
    """On the machine: about the kind of an event."""
    COMPANION = "companion"
    """On the machine: about a device that only kept the others company in a stage."""
    WALL = "wall"
    NOISE = "noise"


REQUESTED = "requested"
"""Of a stop that nothing made necessary."""
LINK_RATE = "rate"
"""What the speed of a link was about in records of earlier versions; it is the name of the rate now."""


@dataclass(frozen=True, slots=True)
class Reason:
    """Why a verdict is what it is: one criterion that spoke."""

    outcome: Outcome
    text: str
    measured: float | None = None
    limit: float | None = None
    unit: str = ""
    source: str = ""
    criterion: str = ""
    """A `ReasonCriterion`; "" in records of earlier versions (core.burnin.record.sentences)."""
    about: str = ""
    """What exactly: a metric, the number of an Xid, the name of a rate, the id of a device, the kind of an event."""
    stage: int | None = None
    """Number of the stage that it is about."""
    time_s: float | None = None
    """When that was first seen, since the start of the run."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """The verdict on a device (`device_id`) or the machine (`MACHINE`)."""

    device_id: str
    outcome: Outcome
    reasons: tuple[Reason, ...]

    @property
    def own_reasons(self) -> list[Reason]:
        """Without the machine's mere list of the verdicts on its devices, which stand by themselves."""
        return [reason for reason in self.reasons if reason.criterion != ReasonCriterion.DEVICE]


@dataclass(frozen=True, slots=True)
class Interruption:
    """What interrupted a run. `time_s` counts from the start of the run, `at` is UTC in ISO 8601.

    `lasted_s` is its length on the wall clock where that is known; `stage` the number of the stage it fell into.
    """

    kind: InterruptionKind
    time_s: float
    at: str
    lasted_s: float | None
    stage: int | None
    message: str


@dataclass(frozen=True, slots=True)
class Request:
    """A wish of a viewer: stop, skip, mark (a remark in `argument`)."""

    id: int
    kind: str
    argument: str


MAX_REQUEST_BYTES = 2000
"""Of what a request says; more is cut off."""


class UnreadableRecord(EnvironmentProblem):
    """What is stored of a run does not fit what this program knows of one."""


RUN_COLUMNS = (
    "id, title, status, profile, build, started_at, ended_at, boot_id, runner_pid, machine, simulated, version, note,"
    " cut_short, simulate"
)


def run_of(row: tuple[Any, ...]) -> Run:
    """The run of a row of `RUN_COLUMNS`."""
    with readable(row[0], tr("status or profile")):
        row = with_converted(row, 2, RunStatus)
        # Another program's words are left out: a run that a newer one recorded is no reason to list none.
        row = with_converted(row, 3, lambda stored: Profile.model_validate_json(stored, extra="ignore"))
        return Run(*with_converted(row, 10, bool))


@contextmanager
def readable(run_id: int, what: str) -> Iterator[None]:
    """Turns whatever conversion fails over a damaged record into a sentence."""
    try:
        yield
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise UnreadableRecord(
            tr(
                "The {what} of run {run} cannot be read: its recording is damaged or from a "
                "newer version. Delete it with: {rigwright forget} {run}",
                what=what,
                run=run_id,
            )
        ) from error


def with_converted(row: tuple[Any, ...], column: int, convert: Callable[[Any], Any]) -> tuple[Any, ...]:
    """The row with one column in its own type."""
    return (*row[:column], convert(row[column]), *row[column + 1 :])


def request_text(stored: bytes | None) -> str:
    """The text of a request, cut at `MAX_REQUEST_BYTES`, whatever bytes another program wrote."""
    if stored is None:  # what SQLite makes of an empty part
        return ""
    if len(stored) > MAX_REQUEST_BYTES:
        return request_text(stored[:MAX_REQUEST_BYTES]) + "…"
    return stored.decode(errors="replace").replace("\0", "\N{REPLACEMENT CHARACTER}")


def incident_of(recorded: str | None) -> Incident | None:
    """What an event tells of a device, if it tells of one."""
    return None if recorded is None else Incident.from_message(json.loads(recorded))
