"""What the load on functional units tells."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.loads.evidence import RunEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitEvidence:
    """`status` is "passed", "failed" or "not_run"; `reason` says why it did not pass."""

    status: str | None
    reason: str = ""
    checks: int | None = None
    errors: int | None = None
    bandwidth_gbps: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FunctionalUnitsEvidence(RunEvidence):
    """By name of the unit."""

    units: Mapping[str, UnitEvidence] | None
    elements: int | None
