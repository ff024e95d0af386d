"""What the loads that multiply matrices can be asked, and what they tell. Free of torch."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.loads.evidence import FOR_PROGRAMS, Rated, Rates, RunEvidence
from core.loads.params import LoadParams
from core.words import tr


class GemmParams(LoadParams):
    """Matrix products of `size` x `size`."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "nan", "repeatable")

    size: Annotated[int, Field(ge=64, le=32_768, multiple_of=16)] | None = None
    """Rows and columns; by default 1024 on a CPU, 8192 on a GPU, 4096 below 8 GB."""
    dtypes: str = ""
    """Number formats separated by commas, in the order to run; empty for all that the device offers. "+memory" after
    a name runs a memory stream beside its products."""
    check_every: Annotated[int, Field(ge=1, le=100_000)] = 8
    """At least one product in so many is compared with the golden result; every one where that costs under 2 %."""
    fill_pct: Annotated[float, Field(ge=0, le=90)] = 0
    """Share of a GPU's memory that results fill, one after another; a CPU keeps only the last."""
    beside_memory_pct: Annotated[float, Field(ge=0, le=90)] = 0
    """Share of each format's time, at its end, in which a memory stream runs beside the products."""
    rotate_s: Annotated[float, Field(ge=0)] = 0
    """Formats take turns of so many seconds; 0: each has its share of the time once."""
    first_s: Annotated[float, Field(ge=0)] = 0
    """So long the first one runs alone before turns are taken."""


class KnownAnswerParams(LoadParams):
    """Integer products of `size` x 2 `size` x `size`."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "nan", "repeatable")

    size: Annotated[int, Field(ge=64, le=16_384, multiple_of=16)] | None = None
    """Rows and columns; by default 1024 on a CPU, 4096 on a GPU."""
    dtypes: str = ""
    """Number formats separated by commas, in the order to run; empty for all that the device offers."""
    iterations: Annotated[int, Field(ge=1, le=1_000_000)] = 20
    """Products in each number format."""


class TransientsParams(LoadParams):
    """Products that start and stop at the same moment on all devices of a machine."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "nan")

    dtype: str = ""
    """One number format; empty for the one in which most GPUs draw most power."""
    periods_s: str = "0.02,0.1,1,10"
    """Of the square waves, separated by commas."""
    duty_pct: Annotated[float, Field(ge=5, le=95)] = 50
    """Share of each period in which the waves are on."""
    steps_pct: str = "25,50,75,100"
    """Load steps after the waves, separated by commas."""
    step_period_s: Annotated[float, Field(ge=0.01, le=10)] = 0.1
    """The period whose gaps make a step."""

    @field_validator("periods_s")
    @classmethod
    def _periods(cls, text: str) -> str:
        _numbers(text, "periods", least=0.01, most=600)
        return text

    @field_validator("steps_pct")
    @classmethod
    def _steps(cls, text: str) -> str:
        _numbers(text, "steps", least=5, most=100)
        return text

    @property
    def periods(self) -> tuple[float, ...]:
        """In s."""
        return _numbers(self.periods_s, "periods", least=0.01, most=600)

    @property
    def steps(self) -> tuple[float, ...]:
        """In %."""
        return _numbers(self.steps_pct, "steps", least=5, most=100)


def _numbers(text: str, what: str, *, least: float, most: float) -> tuple[float, ...]:
    try:
        numbers = tuple(float(part) for part in text.split(",") if part.strip())
    except ValueError:
        raise ValueError(tr("{text!r} is not a comma-separated list of numbers", text=text)) from None
    if not all(least <= number <= most for number in numbers):
        raise ValueError(tr("{what} must lie between {least:g} and {most:g}", what=what, least=least, most=most))
    return numbers


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
