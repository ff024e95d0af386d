"""What a load has checked and found: counts, and the first fault in words."""

from __future__ import annotations

from dataclasses import dataclass, field

from core.language import tr
from core.loads.drill import Drill
from core.loads.load import Fault, FaultKind, StepReport


def as_sentence(fault: str, *, injected: bool) -> str:
    """What is wrong, with its full stop and with word of faults that are made on purpose."""
    return tr("{fault} (injected on purpose).", fault=fault) if injected else tr("{fault}.", fault=fault)


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
        message = as_sentence(what, injected=bool(self.drill.times))
        self.drill.found(what)
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
        return tr(
            "{errors} of {checks} results are wrong: {first}",
            errors=self.errors,
            checks=max(self.checks, self.errors),
            first=self.first_fault,
        )
