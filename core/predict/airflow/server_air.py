"""A server whose fans nobody lists: its maker fits them for what it sells inside, so its air follows from the heat."""

from __future__ import annotations

from core.build.build import Build
from core.parts.part import Part
from core.parts.specs import CaseSpec
from core.parts.vocabulary import CaseKind, Category
from core.predict.band import Triple
from core.predict.components import components, dc_power
from core.predict.conditions import LoadCase
from core.predict.noise.sources import fan_speeds
from core.predict.thermal.air import watts_per_k

RISE_K: Triple = (16.0, 13.0, 10.0)
"""How much warmer than its inlet the air behind a server is: its controller lets the fans turn just fast enough for
10 to 15 K, which is what data centres plan with; general knowledge."""
LEAST = 0.5
"""Of the air in training; no controller lets the fans turn slower, however idle the parts are."""


def unlisted_server(build: Build) -> tuple[Part, CaseSpec] | None:
    """The chassis, where it is sold as a system, nobody says which fans are in it, and the build brings none."""
    case = build.case
    if case is None or case[1].kind is not CaseKind.SYSTEM or case[1].included_fans is not None:
        return None
    return None if build.of(Category.FAN) else case


def needed_m3h(build: Build, load: LoadCase, fan_share: float | None = None) -> Triple:
    """The air that carries off what the parts draw under this load; more or less where the fans' speed is set."""
    parts = components(build)
    watts = max(dc_power(parts, load).expected, LEAST * dc_power(parts, LoadCase.TRAINING).expected)
    set_to = [share / usual for share, usual in zip(fan_speeds(load, fan_share), fan_speeds(load, None), strict=True)]
    low, expected, high = (
        times * watts / (watts_per_k(1.0) * rise) for times, rise in zip(set_to, RISE_K, strict=True)
    )
    return low, expected, high
