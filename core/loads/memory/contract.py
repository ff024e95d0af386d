"""What the loads on memory and on the link to the host can be asked, and what they tell. Free of torch."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.loads.evidence import Rated, RunEvidence
from core.loads.params import LoadParams
from core.words import tr
from core.words.phrasing import names_in

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
    def _check_patterns(cls, text: str) -> str:
        names = names_in(text)
        if names == (EVERY_TEST,):
            return ",".join(TESTS)
        for name in names:
            if name not in TESTS:
                tests = ", ".join((EVERY_TEST, *TESTS))
                raise ValueError(tr("there is no memory test {name!r}; choose from {tests}", name=name, tests=tests))
        return ",".join(names) or ",".join(SHORT)

    @property
    def tests(self) -> tuple[str, ...]:
        """By name."""
        return tuple(self.patterns.split(","))


class BandwidthParams(LoadParams):
    """Copy and triad on large buffers; None chooses by device."""

    injectable: ClassVar[tuple[str, ...]] = ("corrupt",)

    buffer_mib: Annotated[int, Field(ge=1, le=65_536)] | None = None
    """Of each of three buffers; by default at least 1 GiB on a GPU, and eight times the largest cache."""


class HostLinkParams(LoadParams):
    """Transfers between the host and a GPU."""

    injectable: ClassVar[tuple[str, ...]] = ("corrupt",)

    buffer_mib: Annotated[int, Field(ge=1, le=16_384)] = 256
    """Size of one transfer."""
    transfers: Annotated[int, Field(ge=1, le=100_000)] = 20
    """In each direction before the next."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongWord:
    """One wrong word of memory; words and mask in hexadecimal, `byte` from the start of the block."""

    pattern: str | None
    sweep: int | None
    block: int | None
    byte: int | None
    expected: str | None
    found: str | None
    mask: str | None
    bits: int | None


@dataclass(frozen=True, kw_only=True)
class WrongMemory:
    """The wrong words of memory. `wrong_bits` and what follows are of the analysed ones."""

    wrong_words: int | None
    analysed_words: int | None
    right_when_read_again: int | None
    wrong_bits: int | None
    set_to_cleared: int | None
    cleared_to_set: int | None
    wrong_bits_by_place: Mapping[str, int] | None
    wrong_by_block: Mapping[str, int] | None
    wrong_by_stride: Mapping[str, int] | None
    errors_point_to: str | None
    first_wrong: tuple[WrongWord, ...] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class VramEvidence(WrongMemory, RunEvidence):
    """`tested_bytes` in each pass, `reached_bytes` by all of them."""

    total_bytes: int | None
    free_bytes: int | None
    headroom_bytes: int | None
    tested_bytes: int | None
    reached_bytes: int | None
    coverage_pct: float | None
    """Of all of the device's memory."""
    coverage_of_free_pct: float | None
    """Of what nobody else held."""
    coverage_means: str | None
    blocks: int | None
    largest_block_bytes: int | None
    passes: int | None
    patterns: Mapping[str, int] | None
    """How often each went through the memory."""
    left_out: tuple[str, ...] | None
    """Tests that the time did not suffice for."""
    faded_s: float | None
    bandwidth_gbps: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BandwidthEvidence(Rated, RunEvidence):
    """`rates` by operation; `cache_bytes` of the cache before the memory, `peak_gbps` by its clock and width."""

    buffer_bytes: int | None
    buffers: int | None
    cache_bytes: int | None
    peak_gbps: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HostLinkEvidence(Rated, RunEvidence):
    """`rates` by direction, "both" for both ways together."""

    buffer_bytes: int | None
    pinned: bool | None
    near_processors: int | None
    """How many the load stayed on; 0 where the system does not tell which are near."""
    rounds: int | None
    transfers: int | None
