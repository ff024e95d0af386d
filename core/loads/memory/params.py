"""The parameters of the loads on memory and links."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field

from core.loads.params import LoadParams


class VramParams(LoadParams):
    """Patterns in nearly all of a device's memory."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "stuck", "shared")

    share_pct: Annotated[float, Field(gt=0, le=95)] = 90
    """Of a GPU's memory, as far as it is free."""
    host_mib: Annotated[int, Field(ge=1, le=65_536)] = 256
    """So much of the host's memory, for a CPU."""
    block_mib: Annotated[int, Field(ge=1, le=2048)] = 2048
    """Memory is taken in blocks of this size."""
    passes: Annotated[int, Field(ge=1)] | None = None
    """All patterns so many times; without it until the time is up, at least once."""
    fade_s: Annotated[float, Field(ge=0, le=24 * 3600)] = 0
    """Memory is left alone for so long at the end, half of it full of ones and half of it full of zeros."""


class BandwidthParams(LoadParams):
    """Copy and triad on large buffers; None chooses by device."""

    injectable: ClassVar[tuple[str, ...]] = ("corrupt",)

    buffer_mib: Annotated[int, Field(ge=1, le=65_536)] | None = None
    """Of each of three buffers; None takes at least 1 GiB on a GPU, and eight times the largest cache."""


class HostLinkParams(LoadParams):
    """Transfers between the host and a GPU."""

    injectable: ClassVar[tuple[str, ...]] = ("corrupt",)

    buffer_mib: Annotated[int, Field(ge=1, le=16_384)] = 256
    transfers: Annotated[int, Field(ge=1, le=100_000)] = 20
    """In each direction before the next."""
