"""What the load on functional units can be asked, and what it tells. Free of torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field

from core.loads.evidence import RunEvidence
from core.loads.params import LoadParams


class FunctionalUnitsParams(LoadParams):
    """Special functions, atomics, sorting, copy engines and video units, one after another."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "repeatable")

    elements: Annotated[int, Field(ge=1024, le=2**28, multiple_of=1024)] | None = None
    """Numbers that each operation takes; the device decides by default."""
    copy_mib: Annotated[int, Field(ge=1, le=4096)] = 64
    """Of each of the transfers that run at the same time."""
    video_frames: Annotated[int, Field(ge=2, le=1000)] = 30
    """Pictures in the film that is encoded and decoded."""


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
