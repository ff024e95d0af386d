"""What measured radiators carry off."""

from __future__ import annotations

import re

from core.parts.part import Part
from core.parts.specs import RadiatorSpec
from core.predict.airflow.fan_placement import places_of
from core.predict.airflow.openings import radiator_k
from core.predict.airflow.operating_point import Fans, curve
from core.predict.band import Band, usual_range
from core.predict.thermal.water import conductance
from core.validation.cases import Measured
from core.validation.facts import Facts

_SIZE = re.compile(r"\b(120|140|240|280|360|420|480)(?:\.(\d))?\b")
STRONG_FAN_RPM = 2800.0
"""Of fans that are only called strong."""


NO_SIZE = "it names no size of a radiator"


def watts_at_10_k(case: Measured, part: Part | None) -> Band | str:
    """W that go off at 10 K between coolant and air, with usual fans of the stated speed."""
    spec = part.spec if part else _named(case.configuration)
    if not isinstance(spec, RadiatorSpec):
        return NO_SIZE
    can, resists = curve(spec.fan_size_mm, Facts(case).rpm or STRONG_FAN_RPM), radiator_k(spec)
    low, middle, high = (
        Fans(places_of(spec), flow, pressure, k).all_m3h()
        for flow, pressure, k in zip(can.flow_m3h, can.pressure_pa, resists, strict=True)
    )
    low, middle, high = (10 * each for each in usual_range(*conductance(spec, (low, middle, high))))
    return Band(low, middle, high, "W")


def _named(configuration: str) -> RadiatorSpec | None:
    """A radiator that the catalogue lacks, by its size: "360", or "120.3" for three places of 120 mm."""
    found = _SIZE.search(configuration)
    if found is None:
        return None
    size = 140.0 if int(found[1]) % 140 == 0 else 120.0
    return RadiatorSpec(fan_size_mm=size, fan_positions=max(1, int(found[2] or round(int(found[1]) / size))))
