"""What nobody has measured of a build, and within which bounds it may be assumed."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

from pydantic import ConfigDict, Field

from core.words import tr

ASSUMPTION_RANGES = {"coincidence": (0.0, 1.0), "plug_room_mm": (0.0, 100.0)}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """What nobody has measured: each figure has a default and stays within `ASSUMPTION_RANGES`."""

    __pydantic_config__ = ConfigDict(extra="forbid", use_attribute_docstrings=True, allow_inf_nan=False)
    coincidence: Annotated[float, Field(json_schema_extra={"minimum": 0, "maximum": 1})] = 0.7
    """Share of all cards' power peaks that meet in the same instant. Independent cards would be near 1 / sqrt(N);
    data-parallel steps run in lockstep, which argues for 1."""
    plug_room_mm: Annotated[float, Field(json_schema_extra={"minimum": 0, "maximum": 100})] = 35.0
    """What plug and bent cable need above a card's edge, mm; builders report 18 to 40."""

    def __post_init__(self) -> None:
        for name in (one.name for one in fields(self)):
            low, high = ASSUMPTION_RANGES[name]
            value = getattr(self, name)
            if not low <= value <= high:
                raise ValueError(
                    tr(
                        "{name} must be between {low:g} and {high:g}, not {value:g}",
                        name=name,
                        low=low,
                        high=high,
                        value=value,
                    )
                )


DEFAULT_ASSUMPTIONS = Assumptions()
