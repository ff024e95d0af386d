"""The room around the machine: what its walls throw back."""

from __future__ import annotations

from math import log10

from core.predict.acoustics import Box, with_background
from core.predict.band import Band
from core.predict.conditions import Conditions

SABINE = 0.161
"""s/m: absorption area A = 0.161 V / T60 (Sabine)."""


def in_room(level: Band, box: Box, conditions: Conditions) -> Band:
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
            (*level.assumptions, f"Reflections add up to {most:.1f} dB, expected are three quarters of it."),
            level.missing,
        )
    return with_background(level, conditions.background_dba)


def absorption_m2(volume_m3: float, reverberation_s: float) -> float:
    """Equivalent absorption area of a room; 5 to 15 m2 for furnished offices."""
    return SABINE * volume_m3 / reverberation_s


def reflected_db(box: Box, distance_m: float, absorption: float) -> float:
    """What the diffuse field adds to the free-field level at the measuring surface.

    K2 = 10 log10(1 + 4 S / A), ISO 3744. An upper estimate: 10 dB at 1 m from a tower in a small office of 10 m2.
    """
    return 10 * log10(1 + 4 * box.surface_m2(distance_m) / absorption)
