"""What nobody has measured of a build, and within which bounds it may be assumed."""

from __future__ import annotations

from dataclasses import dataclass, fields

from core.language import tr

ASSUMPTION_RANGES = {"coincidence": (0.0, 1.0), "plug_room_mm": (0.0, 100.0)}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Each field has a default and stays within `ASSUMPTION_RANGES`.

    `coincidence`: share of all cards' power peaks that meet in the same instant. Independent cards would be near
    1 / sqrt(N); data-parallel steps run in lockstep, which argues for 1.
    `plug_room_mm`: what plug and bent cable need above a card's edge; builders report 18 to 40 mm.
    """

    coincidence: float = 0.7
    plug_room_mm: float = 35.0

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
