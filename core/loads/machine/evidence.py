"""What the load on the machine tells: processors, main memory, disk."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.loads.evidence import RunEvidence
from core.loads.memory.evidence import WrongMemory


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessorsEvidence:
    """Of all of them."""

    count: int | None
    pinned: bool | None
    products: int | None
    hashed_bytes: int | None
    tflops: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class MainMemoryEvidence(WrongMemory):
    """Of the main memory."""

    tested_bytes: int | None
    moved_bytes: int | None
    passes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskEvidence:
    """Rates of pieces each of which was made to reach the disk."""

    folder: str | None
    file_system: str | None
    file_bytes: int | None
    rounds: int | None
    written_bytes: int | None
    read_bytes: int | None
    write_gbps: float | None
    read_gbps: float | None
    cache_dropped: bool | None
    """Whether the system could be asked to drop what it keeps in memory, so that reading asked the disk; its own cache
    may still have answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineEvidence(RunEvidence):
    """What each part did; `wrong_by_processor` by the number of the logical processor."""

    parts: tuple[str, ...] | None
    not_run: Mapping[str, str] | None
    processors: ProcessorsEvidence | None
    wrong_by_processor: Mapping[str, int] | None
    memory: MainMemoryEvidence | None
    disk: DiskEvidence | None
