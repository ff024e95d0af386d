"""What the loads on memory and on the link to the host tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from core.loads.evidence import Rated, RunEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class WrongWordEvidence:
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
    first_wrong: tuple[WrongWordEvidence, ...] | None


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
