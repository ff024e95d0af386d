"""The parameters of the loads on memory and links."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.language import tr
from core.loads.params import LoadParams

SHORT = ("solid", "address", "random", "moving-inversions")
TESTS = (*SHORT, "walking-bits", "modulo-20", "random-order", "row-hammer")
"""Of memory, in the order in which they run: those of a quick run, and all."""
EVERY_TEST = "all"


class VramParams(LoadParams):
    """Patterns in nearly all of a device's memory."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "stuck", "stuck_bit", "shared")

    patterns: str = ",".join(SHORT)
    """Tests separated by commas, in the order to run, or "all"."""
    share_pct: Annotated[float, Field(gt=0, le=100)] = 100
    """Of a GPU's memory, as far as it is free."""
    keep_mib: Annotated[int, Field(ge=0, le=65_536)] = 0
    """Left free on a GPU besides what the test itself needs: for a display."""
    host_mib: Annotated[int, Field(ge=1, le=65_536)] = 256
    """So much of the host's memory, for a CPU."""
    block_mib: Annotated[int, Field(ge=1, le=2048)] = 1024
    """Memory is taken in blocks of this size."""
    passes: Annotated[int, Field(ge=1)] | None = None
    """All patterns so many times; without it until the time is up, at least once."""
    fade_s: Annotated[float, Field(ge=0, le=24 * 3600)] = 0
    """Memory is left alone for so long at the end, half of it full of ones and half of it full of zeros."""

    @field_validator("patterns")
    @classmethod
    def _known(cls, given: str) -> str:
        names = [name.strip() for name in given.split(",") if name.strip()]
        if names == [EVERY_TEST]:
            return ",".join(TESTS)
        for name in names:
            if name not in TESTS:
                raise ValueError(
                    tr(
                        "there is no memory test {name!r}; choose from {tests}",
                        name=name,
                        tests=", ".join((EVERY_TEST, *TESTS)),
                    )
                )
        return ",".join(dict.fromkeys(names)) or ",".join(SHORT)

    @property
    def tests(self) -> tuple[str, ...]:
        """By name."""
        return tuple(self.patterns.split(","))


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
