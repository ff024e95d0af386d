"""The few laws of sound that a noise estimate needs, and what case and room do to sound."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import fsum, log10, sqrt

from core.parts.vocabulary import CaseKind, Panels
from core.plan.build import Build
from core.predict.band import Band, union
from core.predict.conditions import Conditions
from core.words import tr

SILENT_DBA = 0.0
RUNNING_FLOOR_DBA = 8.0
"""A turning fan's bearing and motor remain (8 to 10 dBA at 1 m); ratings below it are instrument floors."""
FAN_SLOPE = 55.0
"""dB per decade of speed: median of 21 catalogue families of case fans 55.5, quartiles 46 to 61."""
COOLER_SLOPE = 60.0
"""GPU coolers and PSU fans, from reviews at several speeds."""
NEAR_SLOPE = 15.3
"""dB per decade of distance within 1 m: a reading at 0.3 m falls by 8 dB to 1 m, not by 10.5 dB."""
FREE_SPACE_DB = 11.0
"""Sound power over pressure at 1 m of a suspended small source: 10 log10(4 pi)."""

_WORDS = ((22, tr("silent")), (28, tr("very quiet")), (34, tr("quiet")), (40, tr("audible")), (48, tr("loud")))
SERVER = tr("server")
"""The word for what is louder than all of these."""


@dataclass(frozen=True, slots=True)
class ReferenceBox:
    """The reference box around the machine on the floor, in metres."""

    width_m: float = 0.25
    depth_m: float = 0.55
    height_m: float = 0.55

    def surface_m2(self, distance_m: float) -> float:
        """The measuring surface at a distance from the box: S = 4(ab + bc + ca), ISO 3744."""
        a = self.width_m / 2 + distance_m
        b = self.depth_m / 2 + distance_m
        c = self.height_m + distance_m
        return 4 * (a * b + b * c + c * a)


@dataclass(frozen=True, slots=True)
class Shift:
    """A change of level in dB with its uncertainty; independent of the others."""

    low: float
    expected: float
    high: float


def energy_sum(levels_dba: Iterable[float]) -> float:
    """Level of incoherent sources together: 10 log10(sum 10^(L/10)). Silent ones add nothing."""
    energy = fsum(10 ** (level / 10) for level in levels_dba if level > SILENT_DBA)
    return max(SILENT_DBA, 10 * log10(energy)) if energy else SILENT_DBA


def sum_bands(bands: Sequence[Band]) -> Band:
    """Sources together, in dBA. Lows and highs add up: the same model errs the same way for all."""
    return Band(
        energy_sum(band.low for band in bands),
        energy_sum(band.expected for band in bands),
        energy_sum(band.high for band in bands),
        "dBA",
        union(band.assumptions for band in bands),
        union(band.missing for band in bands),
    )


def identical(band: Band, count: int) -> Band:
    """`count` equal sources: + 10 log10 N."""
    low, expected, high = (energy_sum([level] * count) for level in band.triple)
    return Band(low, expected, high, "dBA", band.assumptions, band.missing)


def speed_shift(ratio: float, slope: float) -> float:
    """Change of level in dB when the speed changes by `ratio`; not extrapolated below 0.4."""
    return slope * log10(max(ratio, 0.4))


def to_one_metre(level_dba: float, distance_m: float | None) -> float:
    """A reading at `distance_m` brought to 1 m, where it is taken to be if no distance was stated."""
    if distance_m is None:
        return level_dba
    slope = NEAR_SLOPE if distance_m < 1 else 20.0
    return level_dba + slope * log10(distance_m)


def to_listener(distance_m: float, box: ReferenceBox) -> float:
    """What to add to a free-space level at 1 m, for an ear at `distance_m` from the surface of the machine, dB."""
    return FREE_SPACE_DB - 10 * log10(box.surface_m2(distance_m))


def shifted(level: Band, shifts: Sequence[Shift], floor: float = RUNNING_FLOOR_DBA) -> Band:
    """The level after independent shifts: expected values add, uncertainties add in squares.

    A source that may be silent stays so at its low end; otherwise nothing falls below `floor`.
    """
    if level.high <= SILENT_DBA:
        return level
    expected = level.expected + fsum(shift.expected for shift in shifts)
    down = sqrt((level.expected - level.low) ** 2 + fsum((shift.expected - shift.low) ** 2 for shift in shifts))
    up = sqrt((level.high - level.expected) ** 2 + fsum((shift.high - shift.expected) ** 2 for shift in shifts))
    low = SILENT_DBA if level.low <= SILENT_DBA else max(expected - down, floor)
    middle = SILENT_DBA if level.expected <= SILENT_DBA else max(expected, floor)
    return Band(low, middle, max(expected + up, middle, floor), "dBA", level.assumptions, level.missing)


def with_background(level: Band, background_dba: float) -> Band:
    """The machine and the room together."""
    return sum_bands((level, Band(background_dba, background_dba, background_dba, "dBA")))


def words(level_dba: float) -> str:
    """A word for the level at the ear: silent, very quiet, quiet, audible, loud or server."""
    return next((word for limit, word in _WORDS if level_dba <= limit), SERVER)


INSIDE: dict[Panels, Shift] = {
    Panels.OPEN: Shift(-0.5, 0.0, 0.0),
    Panels.MESH: Shift(-1.0, -0.5, 0.0),
    Panels.SOLID: Shift(-2.5, -1.8, -0.5),
    Panels.DAMPED: Shift(-5.0, -4.0, -2.5),
}
"""Insertion loss for sources inside: closing complete towers took 0 to 2.5 dB; damped panels 3 to 5 dB."""
_INSIDE_UNKNOWN = Shift(-5.0, -1.0, 0.0)
_OPENING = Shift(-1.0, -0.5, 0.0)
"""Fans that sit on an opening of the case."""
GRILLE = Shift(1.0, 2.0, 4.0)
_RADIATOR = Shift(2.0, 3.5, 5.0)
"""What a grille, filter or radiator adds to the free-flow rating at equal speed."""
_GEOMETRY_DB = 1.5
_GEOMETRY_UNKNOWN_DB = 2.0


@dataclass(frozen=True, slots=True)
class Enclosure:
    """How a level at 1 m in free space reaches the ear, as shifts in dB."""

    inside: tuple[Shift, ...]
    opening: tuple[Shift, ...]
    missing: tuple[str, ...]
    floor_dba: float = RUNNING_FLOOR_DBA
    """What remains of a running fan at the ear: as much as at 1 m from the surface, less with the distance."""


def box_of(build: Build) -> ReferenceBox:
    """The machine's reference box; a usual tower where the case's size is unknown."""
    sizes = [build.case[1].width_mm, build.case[1].depth_mm, build.case[1].height_mm] if build.case else [None]
    sizes_m = [size / 1000 for size in sizes if size is not None]
    return ReferenceBox(*sizes_m) if len(sizes_m) == 3 else ReferenceBox()


def enclosure(build: Build, distance_m: float) -> Enclosure:
    """From the case of the build; without a case the parts lie open on the desk."""
    case = build.case
    if case is None:
        shift = _geometry(ReferenceBox(), distance_m, _GEOMETRY_UNKNOWN_DB)
        return Enclosure((shift,), (shift,), (), _floor(ReferenceBox(), distance_m))
    part, spec = case
    has_size = None not in (spec.width_mm, spec.depth_mm, spec.height_mm)
    shift = _geometry(box_of(build), distance_m, _GEOMETRY_DB if has_size else _GEOMETRY_UNKNOWN_DB)
    panels = Panels.OPEN if spec.kind is CaseKind.OPEN_FRAME else spec.panels
    inside = INSIDE[panels] if panels else _INSIDE_UNKNOWN
    opening = Shift(0, 0, 0) if panels is Panels.OPEN else _OPENING
    missing = () if panels else (f"{part.id}.panels",)
    return Enclosure((shift, inside), (shift, opening), missing, _floor(box_of(build), distance_m))


def mounting(on_radiators: float) -> Shift:
    """What mounting adds to the fans of one line, of which this share sits on radiators and the rest on grilles."""
    if on_radiators == 0:
        return GRILLE
    expected = on_radiators * _RADIATOR.expected + (1 - on_radiators) * GRILLE.expected
    return Shift(_RADIATOR.low if on_radiators == 1 else GRILLE.low, expected, _RADIATOR.high)


def _geometry(box: ReferenceBox, distance_m: float, spread_db: float) -> Shift:
    shift = to_listener(distance_m, box)
    return Shift(shift - spread_db, shift, shift + spread_db)


def _floor(box: ReferenceBox, distance_m: float) -> float:
    return max(SILENT_DBA, RUNNING_FLOOR_DBA + to_listener(distance_m, box) - to_listener(1.0, box))


SABINE = 0.161
"""s/m: absorption area A = 0.161 V / T60 (Sabine)."""


def in_room(level: Band, box: ReferenceBox, conditions: Conditions) -> Band:
    """What the ear hears in the room: the machine, its reflections where the volume is known, and the background.

    The reflections' upper end is the diffuse field, their lower one nothing.
    """
    if conditions.room_volume_m3 is not None and level.high > 0:
        absorption = absorption_m2(conditions.room_volume_m3, conditions.reverberation_s)
        most = reflected_db(box, conditions.distance_m, absorption)
        level = Band(
            level.low,
            level.expected + 0.75 * most if level.expected > 0 else level.expected,
            level.high + most,
            "dBA",
            (
                *level.assumptions,
                tr("Reflections add up to {most:.1f} dB; three quarters of that are expected.", most=most),
            ),
            level.missing,
        )
    return with_background(level, conditions.background_dba)


def absorption_m2(volume_m3: float, reverberation_s: float) -> float:
    """Equivalent absorption area of a room; 5 to 15 m2 for furnished offices."""
    return SABINE * volume_m3 / reverberation_s


def reflected_db(box: ReferenceBox, distance_m: float, absorption: float) -> float:
    """What the diffuse field adds to the free-field level at the measuring surface.

    K2 = 10 log10(1 + 4 S / A), ISO 3744. An upper estimate: 10 dB at 1 m from a tower in a small office of 10 m2.
    """
    return 10 * log10(1 + 4 * box.surface_m2(distance_m) / absorption)
