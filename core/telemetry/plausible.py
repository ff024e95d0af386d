"""Which readings can be true: broken sensors answer 0 C, the largest integer or 4 GW."""

from __future__ import annotations

RANGES: dict[str, tuple[float, float]] = {
    "temperature_c": (1, 150),
    "memory_temperature_c": (1, 150),
    "margin_c": (-60, 150),
    "power_w": (0, 9_999),
    "power_limit_w": (1, 9_999),
    "clock_mhz": (1, 10_000),
    "memory_clock_mhz": (1, 40_000),
    "utilisation_pct": (0, 100),
    "memory_used_mb": (0, 64 * 2**20),
    "fan_pct": (0, 200),  # the driver's header allows more than 100
    "fan_rpm": (0, 40_000),
    "throttle_mask": (0, 2**32 - 1),
    "pcie_generation": (1, 10),
    "pcie_lanes": (1, 32),
}
"""Lowest and highest possible value of each metric that a sampler reports, in the metric's unit."""

LIMIT_C = (60.0, 110.0)
"""Limits of a card or CPU that lie outside are mistakes of its firmware."""


def plausible(metric: str, value: float | None) -> float | None:
    """The value if it can be true, else None: "not measured". NaN is never true."""
    low, high = RANGES[metric]
    return value if value is not None and low <= value <= high else None


def plausible_limit_c(value: float | None) -> float | None:
    """A temperature limit if it can be true, else None."""
    low, high = LIMIT_C
    return value if value is not None and low <= value <= high else None
