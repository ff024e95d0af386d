"""What a load is: the values that pass between a load, the loop that drives it and the worker that reports it."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol, TypeVar, runtime_checkable

from core.loads.dead_man import WITHIN_S
from core.loads.evidence import RunEvidence
from core.platform.errors import EnvironmentProblem
from core.words import Worded, tr


class FaultKind(StrEnum):
    """What was wrong with a result."""

    MISMATCH = "mismatch"
    """Bits differ from the golden result, or the known answer was not given."""
    NAN = "nan"
    """NaN or infinity where numbers belong."""
    DIVERGED = "diverged"
    """Training ran away although its data cannot cause it."""
    ERROR = "error"
    """The framework or driver refused to go on."""


class LoadStatus(StrEnum):
    """How a load ended. NOT_RUN never counts as passed."""

    PASSED = "passed"
    FAILED = "failed"
    STOPPED = "stopped"
    NOT_RUN = "not_run"


class StopCause(Worded):
    """Why a load was STOPPED before its time. Whoever supervises it makes the sentence."""

    REQUESTED = "requested", tr("Stopped on request.")
    """It was asked to; whoever asked knows why."""
    UNSUPERVISED = "unsupervised", tr("The process that supervises the load stopped responding: the load ended itself.")
    """The process that supervises it gave no sign of life."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something wrong, in a sentence; `count` is the number of wrong results."""

    kind: FaultKind
    message: str
    count: int = 1


@dataclass(frozen=True, slots=True)
class StepReport:
    """What one step did. An empty report says only that the load is alive.

    `busy_s` is the device's time for `flop`, `tokens`, `images`, `training_steps` and `moved_bytes`. That of checking
    products is part of it, so that a rate is what the device did while its results were checked.
    """

    flop: float = 0.0
    busy_s: float = 0.0
    checks: int = 0
    faults: tuple[Fault, ...] = ()
    tokens: int = 0
    images: int = 0
    training_steps: float = 0
    loss: float | None = None
    accuracy_pct: float | None = None
    """Share of the batch that the network being trained tells right."""
    peak_tflops: float | None = None
    """What the device could do at best in the format used, where that was told."""
    moved_bytes: int = 0
    """Read and written in memory, or carried over a link."""

    def joined(self, later: StepReport) -> StepReport:
        """Both as one: amounts are added, of what is read off the last one that told it counts."""
        latest = {
            name: getattr(self, name) if (newer := getattr(later, name)) is None else newer
            for name in ("loss", "accuracy_pct", "peak_tflops")
        }
        return StepReport(
            flop=self.flop + later.flop,
            busy_s=self.busy_s + later.busy_s,
            checks=self.checks + later.checks,
            faults=(*self.faults, *later.faults),
            tokens=self.tokens + later.tokens,
            images=self.images + later.images,
            training_steps=self.training_steps + later.training_steps,
            moved_bytes=self.moved_bytes + later.moved_bytes,
            **latest,
        )


@dataclass(frozen=True, slots=True)
class Ending:
    """How a load ended, why, and what it counted."""

    status: LoadStatus
    reason: str
    evidence: RunEvidence = field(default_factory=RunEvidence)
    spent: bool = False
    """Whether the process that ran it can compute no more (a sticky CUDA error): another one must take its place."""
    stop: StopCause | None = None
    """None where it was not stopped."""


class Load(Protocol):
    """Keeps a device busy and proves that it computes correctly.

    `steps` yields at least twice a second, so that heartbeats are a sign of the device's life and a stop is heeded
    within a second. It may raise RuntimeError (the framework's errors), MemoryError, or a RigwrightError when the
    device cannot run it; it ends by itself after about `seconds`.
    """

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Runs from the start; called again after `shrink`."""
        ...

    def finish(self) -> Ending:
        """Judges what has run so far."""
        ...

    def shrink(self) -> bool:
        """Makes the load smaller after the memory did not suffice; False when it is as small as is sensible."""
        ...


@runtime_checkable
class Paced(Protocol):
    """A load that computes nothing, and is told how fast it would."""

    pace: float
    """Share of its full speed."""


@dataclass(frozen=True, slots=True)
class RankGroup:
    """The place of one worker among those that run a load together.

    `meeting` is a file that does not exist yet, by which the workers find each other; `devices` are the ids of all, in
    the order of their ranks. `dead_man` is for how long a rank goes on without a sign of life of its worker, in s.
    """

    rank: int
    size: int
    meeting: str
    devices: tuple[str, ...]
    dead_man: float = WITHIN_S


class MakeLoad(Protocol):
    """Makes a load by name and parameters. Raises BadInput, or EnvironmentProblem where nothing can run."""

    def __call__(self, name: str, params: Mapping[str, Any], group: RankGroup | None = None, /) -> Load: ...


@dataclass(frozen=True, slots=True)
class Bench:
    """A device with the loads it can run."""

    name: str
    backend: str
    """ "cuda", "cpu" or "simulated"."""
    make: MakeLoad
    detail: dict[str, str] = field(default_factory=dict)


def unusable(name: str, backend: str, problem: str) -> Bench:
    """A device on which nothing can run: every load is refused with the same sentence."""

    def refuse(_load: str, _params: Mapping[str, Any], _group: RankGroup | None = None, /) -> Load:
        raise EnvironmentProblem(problem)

    return Bench(name, backend, make=refuse, detail={"problem": problem})


Result = TypeVar("Result")


def alive(work: Generator[None, None, Result]) -> Generator[StepReport, None, Result]:
    """Does the work; `yield from` it for its result."""
    while True:
        try:
            next(work)
        except StopIteration as ended:
            result: Result = ended.value
            return result
        yield StepReport()


def alive_through(work: Iterator[None]) -> Iterator[StepReport]:
    """Does work that has no result."""
    for _ in work:
        yield StepReport()
