"""Measured power supplies: what they lose, what they draw at the wall, how fast their fans turn."""

from __future__ import annotations

import re

from core.build.build import Line
from core.parts.part import Part, Source
from core.parts.specs import PsuSpec
from core.parts.vocabulary import EfficiencyLevel
from core.predict.band import Band
from core.predict.noise.sources import supply_fan_rpm
from core.predict.psu import wall_power
from core.validation.cases import Measured
from core.validation.figures import NUMBER

_DC_W = re.compile(rf"({NUMBER}) w dc\b")
_LOAD = re.compile(rf"({NUMBER}) % load")
_VOLTS = re.compile(r"\b(1\d\d|2\d\d) v\b")
_RATING = re.compile(r"[a-z](\d{3,4})\b")
_LEVEL = re.compile("|".join(EfficiencyLevel))
EITHER_V = (115.0, 230.0)
"""Mains where nobody says which."""
MOST_LOAD = 1.5
"""Of the rating: no supply bears more for long."""

NO_LOAD = "it names no load in W of DC power or per cent of a known rating"
NO_SUPPLY = "it names no supply of known rating and efficiency"
NO_SPEEDS = "how the supply's fan follows the load is not known apart from this case"


def efficiency(case: Measured, part: Part | None) -> Band | str:
    """DC over wall power, per cent."""
    spec = supply(case, part)
    if spec is None:
        return NO_SUPPLY
    watts = output_w(case, spec)
    if watts is None:
        return NO_LOAD
    wall = at_wall(case, spec, Band(watts, watts, watts, "W"))
    return Band(100 * watts / wall.high, 100 * watts / wall.expected, 100 * watts / wall.low, "%")


def fan_rpm(case: Measured, part: Part | None) -> Band | str:
    """Speed of a supply's fan, where the part tells how it follows the load."""
    spec = supply(case, part)
    if spec is None or not spec.fan_speeds:
        return NO_SPEEDS
    watts = output_w(case, spec)
    if watts is None:
        return NO_LOAD
    rpm = supply_fan_rpm(spec, watts)
    return Band(0.9 * rpm, rpm, 1.1 * rpm, "rpm")


def supply(case: Measured, part: Part | None) -> PsuSpec | None:
    """The catalogue's, else one by the rating in its name and its 80 PLUS level; its rating is known."""
    if part is not None:
        spec = part.spec
        return spec if isinstance(spec, PsuSpec) and spec.power_w else None
    rating, level = _RATING.search(case.configuration.lower()), _LEVEL.search(case.words)
    if rating is None or level is None or float(rating[1]) <= 0:
        return None
    return PsuSpec(power_w=float(rating[1]), efficiency_level=EfficiencyLevel(level[0]))


def output_w(case: Measured, spec: PsuSpec) -> float | None:
    """The direct current that a case tells, in W or in per cent of the rating."""
    condition, rated_w = case.condition.lower(), spec.power_w or 0.0
    if found := _DC_W.search(condition):
        watts = float(found[1])
    elif found := _LOAD.search(condition):
        watts = float(found[1]) / 100 * rated_w
    else:
        return None
    return watts if 0 < watts <= MOST_LOAD * rated_w else None


def at_wall(case: Measured, spec: PsuSpec | None, dc: Band) -> Band:
    """W at the stated mains voltage, else between both that are usual."""
    stated = _VOLTS.search(case.words)
    volts = (float(stated[1]),) if stated else EITHER_V
    supplies = ((Line(_as_part(spec)), spec),) if spec else ()
    found = [wall_power(supplies, dc, each) for each in volts]
    middle = sum(band.expected for band in found) / len(found)
    return Band(min(band.low for band in found), middle, max(band.high for band in found), "W")


def _as_part(spec: PsuSpec) -> Part:
    return Part(id="supply", maker="As", name="named", spec=spec, sources=(Source(title="case"),))
