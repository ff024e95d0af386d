"""Where each fan of a build blows: radiators take the fans of their size first, the rest goes into the case."""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.specs import FanSpec, RadiatorSpec
from core.parts.vocabulary import Category
from core.plan.build import Build
from core.plan.line import Line

USUAL_PLACES = 2
"""Fans on a radiator of which nobody says how many it takes."""


@dataclass(frozen=True, slots=True)
class OnRadiator:
    """`count` fans of one line on the radiators of one line; `fan` is None where no fan of the build fits there."""

    radiator: Line
    fan: Line | None
    count: int


@dataclass(frozen=True, slots=True)
class FanPlacement:
    """All fans of the build, by part id within each group."""

    on_radiators: tuple[OnRadiator, ...]
    loose: tuple[tuple[Line, int], ...]
    """Fans left for the case."""
    bare: tuple[tuple[Line, int], ...]
    """Radiators whose places the fans that fit there do not fill, and how many stay without."""

    def share_on_radiators(self, fan: Line) -> float:
        """Of one line's fans."""
        return sum(seat.count for seat in self.on_radiators if seat.fan is fan) / fan.quantity


def places_of(spec: RadiatorSpec) -> int:
    """Fans that a radiator takes."""
    return spec.fan_positions or USUAL_PLACES


def is_external(spec: RadiatorSpec) -> bool:
    """Whether a radiator is too large for a case: it has several rows of fans."""
    if spec.fan_size_mm is None or spec.length_mm is None or spec.fan_positions is None:
        return False
    return spec.fan_positions * spec.fan_size_mm > spec.length_mm + 1


def place_fans(build: Build) -> FanPlacement:
    """In the order of part ids, so that the order of lines does not matter."""
    fans = sorted(build.of(Category.FAN), key=lambda line: line.part.id)
    left = {line.part.id: line.quantity for line in fans}
    seated: list[OnRadiator] = []
    bare: list[tuple[Line, int]] = []
    for radiator in sorted(build.of(Category.RADIATOR), key=lambda line: line.part.id):
        spec = radiator.part.spec
        assert isinstance(spec, RadiatorSpec)
        free = radiator.quantity * places_of(spec)
        fitting = [fan for fan in fans if _fits(fan, spec)]
        if not fitting:
            seated.append(OnRadiator(radiator, None, free))
        for fan in fitting:
            count = min(free, left[fan.part.id])
            if count:
                seated.append(OnRadiator(radiator, fan, count))
                left[fan.part.id] -= count
                free -= count
        if fitting and free:
            bare.append((radiator, free))
    loose = tuple((fan, left[fan.part.id]) for fan in fans if left[fan.part.id])
    return FanPlacement(tuple(seated), loose, tuple(bare))


def _fits(fan: Line, radiator: RadiatorSpec) -> bool:
    spec = fan.part.spec
    assert isinstance(spec, FanSpec)
    return radiator.fan_size_mm is None or spec.size_mm in (None, radiator.fan_size_mm)
