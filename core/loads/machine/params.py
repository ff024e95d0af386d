"""The parameters of the load on the machine."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.language import tr
from core.loads.params import LoadParams

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
        unknown = [part for part in _listed(text) if part not in PARTS]
        if unknown or not _listed(text):
            raise ValueError(
                tr(
                    "choose from {parts}, not {given}",
                    parts=", ".join(PARTS),
                    given=", ".join(unknown) or tr("nothing"),
                )
            )
        return text

    @property
    def chosen(self) -> tuple[str, ...]:
        """The parts by name."""
        return _listed(self.parts)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))
