"""Levels of measured cards, fans and panels."""

from __future__ import annotations

import re
from math import log10

from core.parts.part import Part
from core.parts.specs import GpuSpec
from core.parts.vocabulary import Panels
from core.predict.acoustics import COOLER_SLOPE, NEAR_SLOPE, Box, energy_sum
from core.predict.band import Band
from core.predict.card_noise import card_levels
from core.predict.enclosure import INSIDE
from core.predict.load import Load
from core.predict.sources import PSU_FAN_AT_1000_RPM
from core.validation.cases import Measured
from core.validation.facts import Facts

REVIEW_DISTANCE_M = (0.3, 0.35, 0.6)
"""German reviews without a stated distance: 0.3 m from the card, or a little more."""
STATISTICAL_DB = (2.0, 3.5, 5.5)
"""A declared sound power is the upper limit of a batch: about 0.3 B over its mean (ISO 9296); bystanders
stand a little further off than the measuring surface."""
SERVER = Box(0.45, 0.75, 0.15)
_SINGLES = re.compile(r"single fans ([\d\-./ ]+?) dba")
_REMOVED = re.compile(r"panels removed:? ([\d.]+) dba")
_IDLE = re.compile(r"\bidle\b")


def noise(case: Measured, part: Part | None) -> Band | None:
    """dBA: fans together from the single ones, closed panels from open ones, a PSU's fan, or a card in a review."""
    words = case.words
    if found := _SINGLES.search(words):
        return _sum(found[1])
    if found := _REMOVED.search(words):
        open_dba, shift = float(found[1]), INSIDE[Panels.SOLID]
        return Band(open_dba + shift.low - 1, open_dba + shift.expected, open_dba + shift.high + 1, "dBA")
    if "psu fan" in words:
        return _supply_fan(case)
    if part is None or not isinstance(part.spec, GpuSpec) or _in_a_machine(words):
        return None
    return _card(case, part, part.spec)


def power_over_pressure(case: Measured, part: Part | None) -> Band | None:
    """Declared sound power less pressure at 1 m, dB: the box's surface and the statistical margin."""
    del part
    surface = 10 * log10(SERVER.surface_m2(case.distance_m or 1.0))
    low, middle, high = (surface + margin for margin in STATISTICAL_DB)
    return Band(low, middle, high, "dB")


def _sum(singles: str) -> Band:
    """Fans whose single levels are known, each to half a decibel and with the room's floor in it."""
    levels = [_middle(text) for text in singles.split("/")]
    total = energy_sum(levels)
    return Band(total - 2.0, total, total + 1.0, "dBA")


def _middle(text: str) -> float:
    ends = [float(end) for end in text.strip().split("-")]
    return sum(ends) / len(ends)


def _supply_fan(case: Measured) -> Band | None:
    rpm = Facts(case).rpm
    if rpm is None:
        return None
    low, middle, high = (level + COOLER_SLOPE * log10(rpm / 1000) for level in PSU_FAN_AT_1000_RPM)
    return Band(low, middle, high, "dBA")


def _in_a_machine(words: str) -> bool:
    return "without graphics card" in words or "thinkstation" in words or "precision" in words


def _card(case: Measured, part: Part, spec: GpuSpec) -> Band | None:
    """A card's level at its fan's stated speed, else at its own in training, brought to the microphone."""
    facts = Facts(case)
    load = Load.IDLE if _IDLE.search(case.condition.lower()) else Load.TRAINING
    level = card_levels(part, spec, [])[load]
    if level.high <= 0:
        return None
    distances = (case.distance_m,) * 3 if case.distance_m else REVIEW_DISTANCE_M
    shifts = [_from_one_metre(distance) for distance in distances]
    turned = _turned(facts, spec, load)
    low, middle, high = level.low + shifts[2], level.expected + shifts[1], level.high + shifts[0]
    return Band(low + turned, middle + turned, high + turned, "dBA")


def _turned(facts: Facts, spec: GpuSpec, load: Load) -> float:
    """What another fan speed than that of the part's own point makes, dB; 0 where either is unknown."""
    known = next((point.rpm for point in spec.noise if point.condition.value == load.value and point.rpm), None)
    if known is None or facts.rpm is None:
        return 0.0
    return COOLER_SLOPE * log10(facts.rpm / known)


def _from_one_metre(distance_m: float) -> float:
    return -(NEAR_SLOPE if distance_m < 1 else 20.0) * log10(distance_m)
