"""What case and room do to sound: size, panels, what mounting adds, and what the walls throw back."""

from __future__ import annotations

from dataclasses import dataclass
from math import log10

from core.parts.vocabulary import CaseKind, Panels
from core.plan.build import Build
from core.predict.band import Band
from core.predict.conditions import Conditions
from core.predict.noise.acoustics import (
    RUNNING_FLOOR_DBA,
    SILENT_DBA,
    ReferenceBox,
    Shift,
    to_listener,
    with_background,
)
from core.words import tr

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
