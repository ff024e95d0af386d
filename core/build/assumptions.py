"""What nobody has measured and the user may judge otherwise; stored with the build that it bears on."""

from __future__ import annotations

from dataclasses import dataclass, fields

RANGES = {"coincidence": (0.0, 1.0), "plug_room_mm": (0.0, 100.0)}


@dataclass(frozen=True, slots=True)
class Assumptions:
    """Each field has a default and stays within `RANGES`.

    `coincidence`: share of all cards' power peaks that meet in the same instant. Independent cards would be near
    1 / sqrt(N); data-parallel steps run in lockstep, which argues for 1.
    `plug_room_mm`: what plug and bent cable need above a card's edge; builders report 18 to 40 mm.
    """

    coincidence: float = 0.7
    plug_room_mm: float = 35.0

    def __post_init__(self) -> None:
        for field in fields(self):
            low, high = RANGES[field.name]
            value = getattr(self, field.name)
            if not low <= value <= high:
                raise ValueError(f"{field.name} lies between {low:g} and {high:g}, not at {value:g}")


USUAL = Assumptions()
