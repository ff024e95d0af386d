"""Air as it carries heat away: density by height, and the rise of a stream that takes up watts."""

from __future__ import annotations

HEAT_CAPACITY = 1005.0
"""J/(kg K) of dry air."""
SEA_LEVEL_DENSITY = 1.204
"""kg/m3 at 20 C."""
SCALE_HEIGHT_M = 44_331.0
EXPONENT = 4.2559
"""International Standard Atmosphere: density falls as (1 - h / 44331 m) ^ 4.2559."""


def density(altitude_m: float) -> float:
    """kg/m3 at 20 C; 1.204 at sea level, 12 % less at 1000 m."""
    return SEA_LEVEL_DENSITY * float((1 - altitude_m / SCALE_HEIGHT_M) ** EXPONENT)


def rise_k(power_w: float, flow_m3h: float, altitude_m: float = 0.0) -> float:
    """How much warmer air leaves that took up `power_w`: P / (rho cp Q). 2.98 x W / (m3/h) at sea level.

    A fan moves the same volume at any height, so the rise grows as the air thins.
    """
    return power_w / (density(altitude_m) * HEAT_CAPACITY * flow_m3h / 3600)


def watts_per_k(flow_m3h: float, altitude_m: float = 0.0) -> float:
    """Heat that a stream carries off per kelvin of its rise, W/K."""
    return density(altitude_m) * HEAT_CAPACITY * flow_m3h / 3600
