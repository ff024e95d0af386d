"""What a watching stage finds on a device, gathered into its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.burnin.record import Result, ResultStatus


@dataclass(slots=True)
class Findings:
    """Sentences and figures. A failure fails the stage, a refusal leaves it undone, warnings become reasons."""

    evidence: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """What keeps the device from being burned in and is no fault of it: NOT RUN, with what to do."""

    def result(self, summary: str) -> Result:
        """`summary` is the reason of a stage in which nothing failed."""
        evidence = self.evidence | {"warnings": self.warnings}
        if self.failures:
            return ResultStatus.FAILED, " ".join(self.failures), evidence | {"failures": self.failures}
        if self.refusals:
            return ResultStatus.NOT_RUN, " ".join(self.refusals), evidence
        return ResultStatus.PASSED, summary, evidence
