"""The parameters of the loads that multiply matrices."""

from __future__ import annotations

from typing import Annotated, ClassVar

from pydantic import Field, field_validator

from core.language import tr
from core.loads.params import LoadParams


class GemmParams(LoadParams):
    """Matrix products of `size` x `size`."""

    injectable: ClassVar[tuple[str, ...]] = ("bitflip", "nan", "repeatable")

    size: Annotated[int, Field(ge=64, le=32_768, multiple_of=16)] | None = None
    """Rows and columns; None chooses by device (1024 on a CPU, 8192 on a GPU, 4096 below 8 GB)."""
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
    """Rows and columns; None chooses by device (1024 on a CPU, 4096 on a GPU)."""
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
