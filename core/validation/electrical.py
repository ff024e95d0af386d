"""Watts of measured cards, efficiencies and fan speeds of measured supplies."""

from __future__ import annotations

import re

from core.build.build import Line
from core.parts.part import Part, Source
from core.parts.specs import GpuSpec, PsuSpec
from core.parts.vocabulary import EfficiencyLevel
from core.predict.band import Band
from core.predict.psu import wall_power
from core.predict.sources import supply_fan_rpm
from core.validation.cases import Measured
from core.validation.facts import Facts

_DC_W = re.compile(r"([\d.]+) w dc")
_LOAD = re.compile(r"(\d+) % load")
_VOLTS = re.compile(r"\b(1\d\d|2\d\d) v\b")
_RATING = re.compile(r"[a-z](\d{3,4})\b")
_LEVEL = re.compile("|".join(EfficiencyLevel))


def board_power(case: Measured, part: Part | None) -> Band | None:
    """One card under load, W."""
    spec = part.spec if part else None
    if not isinstance(spec, GpuSpec) or spec.power_limit_w is None:
        return None
    low, middle, high = (share * spec.power_limit_w for share in Facts(case).power_share)
    return Band(low, middle, high, "W")


def efficiency(case: Measured, part: Part | None) -> Band | None:
    """DC over wall power, per cent."""
    part = part or _named_supply(case)
    spec = part.spec if part else None
    if part is None or not isinstance(spec, PsuSpec) or spec.power_w is None:
        return None
    watts = _output_w(case, spec.power_w)
    if watts is None:
        return None
    volts = _VOLTS.search(case.words)
    wall = wall_power(((Line(part), spec),), Band(watts, watts, watts, "W"), float(volts[1]) if volts else 115.0)
    return Band(100 * watts / wall.high, 100 * watts / wall.expected, 100 * watts / wall.low, "%")


def fan_rpm(case: Measured, part: Part | None) -> Band | None:
    """Speed of a supply's fan, where the part tells how it follows the load."""
    spec = part.spec if part else None
    watts = _output_w(case, spec.power_w or 0) if isinstance(spec, PsuSpec) else None
    if watts is None or not isinstance(spec, PsuSpec) or not spec.fan_speeds:
        return None
    rpm = supply_fan_rpm(spec, watts)
    return Band(0.9 * rpm, rpm, 1.1 * rpm, "rpm")


def _named_supply(case: Measured) -> Part | None:
    """A supply that the catalogue lacks, by the rating in its name and its 80 PLUS level."""
    rating, level = _RATING.search(case.configuration.lower()), _LEVEL.search(case.words)
    if rating is None or level is None:
        return None
    spec = PsuSpec(power_w=float(rating[1]), efficiency_level=EfficiencyLevel(level[0]))
    return Part(id="supply", maker="As", name="named", spec=spec, sources=(Source(title=case.source or "case"),))


def _output_w(case: Measured, rated_w: float) -> float | None:
    condition = case.condition.lower()
    if found := _DC_W.search(condition):
        return float(found[1])
    found = _LOAD.search(condition)
    return float(found[1]) / 100 * rated_w if found else None
