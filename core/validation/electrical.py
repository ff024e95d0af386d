"""Watts, peaks, efficiencies and fan speeds of measured cards and supplies; what radiators carry off."""

from __future__ import annotations

import re

from core.build.build import Line
from core.parts.part import Part, Source
from core.parts.specs import GpuSpec, PsuSpec
from core.parts.vocabulary import EfficiencyLevel
from core.predict.band import Band
from core.predict.psu import wall_power
from core.predict.sources import supply_fan_rpm
from core.predict.thermal.air import watts_per_k
from core.predict.thermal.water import EFFECTIVENESS, THROUGH_FINS
from core.validation.cases import Measured
from core.validation.facts import Facts

_DC_W = re.compile(r"([\d.]+) w dc")
_LOAD = re.compile(r"(\d+) % load")
_VOLTS = re.compile(r"\b(1\d\d|2\d\d) v\b")
_RADIATOR = re.compile(r"\b(120|140|240|280|360|420|480)(?:\.(\d))?\b")
_RATING = re.compile(r"[a-z](\d{3,4})\b")
_LEVEL = re.compile("|".join(EfficiencyLevel))
FLOW_AT_1500_RPM_M3H = 95.0
"""A usual 120 mm fan's free-air flow; it grows with the speed."""
STRONG_FAN_RPM = 2800.0
"""Of fans that are only called strong."""


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


def radiator(case: Measured, part: Part | None) -> Band | None:
    """Watts at 10 K between coolant and air."""
    del part
    found = _RADIATOR.search(case.configuration)
    if found is None:
        return None
    places = int(found[2]) if found[2] else round(int(found[1]) / (140 if int(found[1]) % 140 == 0 else 120))
    rpm = Facts(case).rpm or _rpm_in(case.configuration) or STRONG_FAN_RPM
    flow = places * FLOW_AT_1500_RPM_M3H * rpm / 1500
    low, middle, high = (
        10 * good * watts_per_k(flow * through) for good, through in zip(EFFECTIVENESS, THROUGH_FINS, strict=True)
    )
    return Band(low, middle, high, "W")


def _named_supply(case: Measured) -> Part | None:
    """A supply that the catalogue lacks, by the rating in its name and its 80 PLUS level."""
    rating, level = _RATING.search(case.configuration.lower()), _LEVEL.search(case.words)
    if rating is None or level is None:
        return None
    spec = PsuSpec(power_w=float(rating[1]), efficiency_level=EfficiencyLevel(level[0]))
    return Part(id="supply", maker="As", name="named", spec=spec, sources=(Source(title=case.source or "case"),))


def _rpm_in(text: str) -> float | None:
    found = re.search(r"(\d{3,4}) rpm", text)
    return float(found[1]) if found else None


def _output_w(case: Measured, rated_w: float) -> float | None:
    condition = case.condition.lower()
    if found := _DC_W.search(condition):
        return float(found[1])
    found = _LOAD.search(condition)
    return float(found[1]) / 100 * rated_w if found else None
