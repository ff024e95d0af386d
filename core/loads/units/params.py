"""The parameters of the load on functional units."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from core.loads.params import LoadParams


class FunctionalUnitsParams(LoadParams):
    """Special functions, atomics, sorting, copy engines and video units, one after another."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "repeatable")

    elements: Annotated[int, Field(ge=1024, le=2**28, multiple_of=1024)] | None = None
    """Numbers that each operation takes; None chooses by device."""
    copy_mib: Annotated[int, Field(ge=1, le=4096)] = 64
    """Of each of the transfers that run at the same time."""
    video_frames: Annotated[int, Field(ge=2, le=1000)] = 30
    """Pictures in the film that is encoded and decoded."""
