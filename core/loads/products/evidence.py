"""What the loads that multiply matrices tell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.loads.evidence import FOR_PROGRAMS, Rated, Rates, RunEvidence


@dataclass(frozen=True, slots=True, kw_only=True)
class GemmEvidence(Rated, RunEvidence):
    """By name of a format, where nothing else is said; `rates` are operations over the time of products and comparisons
    together, `beside_memory_tflops` the same in turns beside a memory stream, which takes of the products' time."""

    sizes: Mapping[str, int] | None
    sizes_tried: tuple[int, ...] | None = field(metadata=FOR_PROGRAMS)
    products: int | None
    compared_pct: Rates | None
    """The share of products that was compared."""
    results_in_memory: Mapping[str, int] | None
    known_answers: Mapping[str, int] | None
    periods: Mapping[str, tuple[float, float]] | None = field(metadata=FOR_PROGRAMS)
    """First and last moment of the first turn, in s since the load was made."""
    beside_memory_tflops: Rates | None
    verification_pct: float | None
    """What comparing added to the products' time."""
    not_available: Mapping[str, str] | None
    """Why a format is not offered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownAnswerEvidence(RunEvidence):
    """By name of a format."""

    shapes: Mapping[str, tuple[int, int, int]] | None
    """Rows, length of the sums, columns."""
    products: Mapping[str, int] | None
    asked_for: int | None
    rows_computed_on_the_host: int | None
    checksums: Mapping[str, str] | None
    """Of the first answer, alike on all devices."""
    not_available: Mapping[str, str] | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentEvidence:
    """A wave or step of load as it was asked for, and as it was kept. Phase errors are how much later than planned a
    phase began."""

    period_s: float | None
    asked_duty_pct: float | None
    duty_pct: float | None
    cycles: int | None
    missed_cycles: int | None
    median_phase_error_ms: float | None
    largest_phase_error_ms: float | None
    size: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TransientsEvidence(RunEvidence):
    """`left_out` are segments that had no room in the time given."""

    format: str | None
    segments: Mapping[str, SegmentEvidence] | None
    left_out: tuple[str, ...] | None
    products: int | None
    compared_pct: float | None
