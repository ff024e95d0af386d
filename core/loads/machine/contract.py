"""What the load on the machine can be asked, and what it tells. Free of torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.loads.evidence import RunEvidence
from core.loads.memory.contract import WrongMemory
from core.loads.params import LoadParams
from core.words import tr
from core.words.phrasing import names_in

PARTS = ("processors", "memory", "disk")


class MachineParams(LoadParams):
    """Processors, memory and disk at once."""

    injectable: ClassVar[tuple[str, ...]] = ("hash", "product", "memory", "disk")

    parts: str = ",".join(PARTS)
    """What is put under load, separated by commas."""
    memory_share_pct: Annotated[float, Field(gt=0, le=80)] = 25
    """Of the host's memory that is available when the load starts."""
    folder: str = ""
    """Where the disk is written; empty for the system's folder for temporary files."""
    disk_mib: Annotated[int, Field(ge=16, le=1_048_576)] = 2048
    """Size of the file, at most a tenth of what is free; it is deleted in the end."""
    disk_written_gib: Annotated[float, Field(ge=0, le=100_000)] = 32
    """After so much the file is only read: what is written wears a disk."""

    @field_validator("parts")
    @classmethod
    def _known_parts(cls, text: str) -> str:
        unknown = [part for part in names_in(text) if part not in PARTS]
        if unknown or not names_in(text):
            refused = ", ".join(unknown) or tr("nothing")
            raise ValueError(tr("choose from {parts}, not {given}", parts=", ".join(PARTS), given=refused))
        return text

    @property
    def chosen(self) -> tuple[str, ...]:
        """The parts by name."""
        return names_in(self.parts)


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
