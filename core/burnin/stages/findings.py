"""What a watching stage finds on a device, gathered into its result."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from core.burnin.record import Result, ResultStatus


@dataclass(slots=True)
class Findings:
    """Sentences and figures. One failure fails the stage; warnings become reasons of the verdict."""

    evidence: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    def result(self, summary: str) -> Result:
        """`summary` is the reason of a stage in which nothing failed."""
        evidence = self.evidence | {"warnings": self.warnings}
        if self.failures:
            return ResultStatus.FAILED, " ".join(self.failures), evidence | {"failures": self.failures}
        return ResultStatus.PASSED, summary, evidence
