"""The water loop: coolant above the air by heat over the radiators' conductance, chips above it by their blocks."""

from __future__ import annotations

from dataclasses import dataclass

from core.parts.specs import RadiatorSpec
from core.predict.airflow.airflow import Airflow
from core.predict.airflow.openings import fins_of
from core.predict.band import Triple
from core.predict.thermal.air import watts_per_k

EFFECTIVENESS: Triple = (0.55, 0.67, 0.75)
"""How near the air that leaves a radiator of 30 mm with 13 fins per inch comes to the coolant: 0.65 to 0.7 fits
catalogue figures. It is 1 - exp(-N), and N grows with the area of the fins."""
STILL_AIR_W_PER_K = 0.5
"""What a radiator gives off where no fan moves air through it; general knowledge."""
BLOCK_K_PER_W: Triple = (0.035, 0.055, 0.085)
"""Chip over coolant for a full-cover block without a figure; general knowledge."""


@dataclass(frozen=True, slots=True)
class CoolantLoop:
    """`conductance` of all radiators in W/K, coolant to air; None without a radiator."""

    conductance: Triple | None
    missing: tuple[str, ...] = ()


def loop_of(air: Airflow, altitude_m: float) -> CoolantLoop:
    """All radiators of the build in one loop, with what flows through their fins."""
    rows = tuple(air.radiators)
    if not rows:
        return CoolantLoop(None)
    each = [conductance(row.radiator, row.flow_m3h, altitude_m) for row in rows]
    low, expected, high = (sum(ends) for ends in zip(*each, strict=True))
    return CoolantLoop((low, expected, high), tuple(field for row in rows for field in row.missing))


def conductance(radiator: RadiatorSpec, flow_m3h: Triple, altitude_m: float = 0.0) -> Triple:
    """W/K of a radiator, or several equal ones, that this much air crosses, coolant to air."""
    low, expected, high = sorted(
        max(effectiveness(share, fins) * watts_per_k(flow, altitude_m), STILL_AIR_W_PER_K)
        for share, fins, flow in zip(EFFECTIVENESS, fins_of(radiator), flow_m3h, strict=True)
    )
    return low, expected, high


def effectiveness(share: float, fins: float) -> float:
    """`share` is that of a usual radiator, `fins` the area of the fins over its."""
    return float(1 - (1 - share) ** fins)
