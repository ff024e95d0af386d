"""What a build loses when a new calibration takes the place of an older one."""

from __future__ import annotations

from collections.abc import Iterator

from core.build.build import Build
from core.build.calibration import Calibration

_TABLES = {
    "resistance": "resistance of",
    "blocks": "resistance of",
    "radiators": "conductance of",
    "fans_later_k": "fans of",
}
_SINGLE = {
    "coupling": "warming between neighbours",
    "flow": "flow through the case",
    "level_db": "level in training",
    "fan_slope_db": "slope of the cards' level",
}


def only_in_the_old(build: Build, new: Calibration) -> tuple[str, ...]:
    """What the build's calibration corrects and the new one does not, in words."""
    return tuple(_lost(build, build.calibration, new))


def _lost(build: Build, old: Calibration, new: Calibration) -> Iterator[str]:
    for table, words in _TABLES.items():
        again = {part_id for part_id, _ in getattr(new, table)}
        for part_id, _ in getattr(old, table):
            line = build.line(part_id)
            if part_id not in again:
                yield f"{words} {line.part.title if line else part_id}"
    for name, words in _SINGLE.items():
        if getattr(old, name) is not None and getattr(new, name) is None:
            yield words
