"""What a load has checked and found, the drills that prove it, and the self-test of its checks.

Drills are faults that are ordered to prove that the checks find them: one proves something only if the fault was
injected and a check found it afterwards. A load whose drill did neither has not run, whatever else it computed.

Before each load the self-test injects the faults that its checks are for and records which were seen, by kind: a check
that sees nothing would pass everything. One that was not seen fails the load.
"""

from dataclasses import dataclass, field, replace

from core.loads.evidence import Injected
from core.loads.load import Ending, Fault, FaultKind, LoadStatus, StepReport
from core.words import Worded, tr

SEEN_BY_OTHERS = ("deviant",)
"""Kinds that no card can find by itself: the verdict compares it with its twins."""


@dataclass(slots=True)
class Drill:
    """A fault of this `kind` is to be injected from iteration `at` on; no drill without a kind."""

    kind: str = ""
    at: int = 0
    times: int = field(default=0, init=False)
    """How often the fault was injected."""
    where: str = field(default="", init=False)
    """The place of the first injection, in words."""
    found_by: str = field(default="", init=False)
    """What the first check said that found something after the injection."""

    def due(self, iteration: int) -> bool:
        """Whether the fault is to be injected now, the first time."""
        return bool(self.kind) and not self.times and iteration >= self.at

    def strike(self, where: str, count: int = 1) -> None:
        """The fault was injected just now."""
        self.times += count
        self.where = self.where or where

    def note_finding(self, finding: str) -> None:
        """A check has found something wrong; before the first injection that is no matter of the drill."""
        if self.times:
            self.found_by = self.found_by or finding

    def evidence(self) -> Injected | None:
        """What was injected, for the record; None if nothing was ordered."""
        if not self.kind:
            return None
        where, found_by = self.where or None, self.found_by or None
        return Injected(kind=self.kind, from_iteration=self.at, times=self.times, where=where, found_by=found_by)


def proven(ending: Ending) -> Ending:
    """The ending of a load, NOT RUN where it would pass although its drill proves nothing."""
    drill = ending.evidence.injected_on_purpose
    if ending.status is not LoadStatus.PASSED or drill is None or drill.found_by:
        return ending
    if drill.times and drill.kind in SEEN_BY_OTHERS:
        return ending
    return replace(ending, status=LoadStatus.NOT_RUN, reason=_gap(drill))


def _gap(drill: Injected) -> str:
    if not drill.times:
        return tr(
            "The fault to inject ({kind}, from iteration {at}) was never injected: the load ended before. Let it begin "
            "earlier (inject_at), or give the stage more time.",
            kind=drill.kind,
            at=drill.from_iteration or 0,
        )
    return tr(
        "A fault ({kind}) was injected ({where}), but no check found it before the load ended. Let it begin earlier "
        "(inject_at), or give the stage more time.",
        kind=drill.kind,
        where=drill.where or tr("place not recorded"),
    )


@dataclass(slots=True)
class Findings:
    """Counts as they go out in heartbeats. What is found after the `drill` has struck is said to be injected."""

    drill: Drill = field(default_factory=Drill)
    checks: int = 0
    errors: int = 0
    first_fault: str = ""

    def right(self) -> StepReport:
        """One more check that found nothing."""
        self.checks += 1
        return StepReport(checks=1)

    def wrong(self, what: str, *, count: int = 1, kind: FaultKind = FaultKind.MISMATCH) -> StepReport:
        """One more check, which found `count` wrong results."""
        self.checks += 1
        self.errors += count
        on_purpose = bool(self.drill.times)
        message = tr("{fault} (injected on purpose).", fault=what) if on_purpose else tr("{fault}.", fault=what)
        self.drill.note_finding(what)
        self.first_fault = self.first_fault or message
        return StepReport(checks=1, faults=(Fault(kind, message, count),))

    def checked(self, problem: str | None, *, kind: FaultKind = FaultKind.MISMATCH) -> StepReport:
        """One more check; `problem` says what was wrong."""
        return self.right() if problem is None else self.wrong(problem, kind=kind)

    @property
    def sentence(self) -> str:
        """What was wrong."""
        if self.errors == 1:
            return self.first_fault
        fields = {"errors": self.errors, "checks": max(self.checks, self.errors), "first": self.first_fault}
        return tr("{errors} of {checks} results are wrong: {first}", **fields)


class TriedFault(Worded):
    """The kinds of faults that self-tests inject. They are recorded by their English names."""

    BIT_FLIP = "bit flip", tr("bit flip")
    NAN = "NaN"
    REPEATABLE = "repeatable wrong value", tr("repeatable wrong value")
    STUCK_ADDRESS = "stuck address", tr("stuck address")
    STUCK_BIT = "stuck bit", tr("stuck bit")
    SHARED_ADDRESS = "two addresses of one cell", tr("two addresses of one cell")
    CORRUPTED_TRANSFER = "corrupted transfer", tr("corrupted transfer")
    DIVERGING_REPLICA = "diverging replica", tr("diverging replica")


SEEN = "seen"


@dataclass(slots=True)
class SelfTest:
    """Which kinds of injected faults were seen, and where one was not."""

    _seen: dict[TriedFault, str] = field(default_factory=dict)

    def note(self, kind: TriedFault, seen: bool, where: str = "") -> None:
        """Adds one attempt; a kind counts as seen when it was seen in all of them."""
        missed = tr("not seen in {where}", where=where) if where else tr("not seen")
        if not seen:
            self._seen[kind] = missed
        else:
            self._seen.setdefault(kind, SEEN)

    @property
    def blind(self) -> str | None:
        """A sentence when a fault was not seen; None if all were."""
        unseen: list[str] = [
            tr("an injected {kind} ({how})", kind=kind.label, how=how)
            for kind, how in self._seen.items()
            if how != SEEN
        ]
        if not unseen:
            return None
        kinds = unseen[0]
        for one in unseen[1:]:
            kinds = tr("{kinds} nor {kind}", kinds=kinds, kind=one)
        return tr("self-test: the checks missed {kinds}.", kinds=kinds)

    def evidence(self) -> dict[str, str]:
        """By kind of fault "seen" or "not seen in ..."; empty when nothing was tried yet."""
        return {kind.value: how for kind, how in self._seen.items()}
