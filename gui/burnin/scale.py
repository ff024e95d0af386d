"""The range of a value axis: round, with room, and steady while the curves move. Qt-free."""

from __future__ import annotations

import math
from dataclasses import dataclass

from gui.burnin.clock import value_step

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Scale:
    """How a metric's axis behaves: a fixed range, or one that begins at zero, or one that fits the values."""

    fixed: Range | None = None
    from_zero: bool = False
    least_span: float = 1.0


SCALES: dict[str, Scale] = {
    "temperature_c": Scale(least_span=20),
    "memory_temperature_c": Scale(least_span=20),
    "power_w": Scale(from_zero=True, least_span=20),
    "clock_mhz": Scale(from_zero=True, least_span=200),
    "memory_clock_mhz": Scale(from_zero=True, least_span=200),
    "utilisation_pct": Scale(fixed=(0, 100)),
    "fan_pct": Scale(fixed=(0, 100)),
    "memory_used_mb": Scale(from_zero=True, least_span=1000),
    "throughput_tflops": Scale(from_zero=True, least_span=0.1),
    "tokens_per_s": Scale(from_zero=True, least_span=10),
    "margin_c": Scale(least_span=20),
    "machine_power_w": Scale(from_zero=True, least_span=100),
    "share_of_peak_pct": Scale(from_zero=True, least_span=10),
    "bandwidth_gbps": Scale(from_zero=True, least_span=1),
    "images_per_s": Scale(from_zero=True, least_span=10),
    "step_ms": Scale(from_zero=True, least_span=1),
    "loss": Scale(least_span=0.1),
    "accuracy_pct": Scale(fixed=(0, 100)),
}


def fitting(scale: Scale, values: Range, current: Range | None) -> Range:
    """The range to show values in; the current one while they fit and fill at least half of it."""
    low, high = values
    if scale.fixed is not None:
        return scale.fixed[0] - 3, max(scale.fixed[1], high) + 5
    if scale.from_zero:
        low = min(0.0, low)
    if high - low < scale.least_span:
        middle = (low + high) / 2
        high = middle + scale.least_span / 2 if not scale.from_zero else low + scale.least_span
        low = low if scale.from_zero else middle - scale.least_span / 2
    if current is not None and _fits(low, high, current):
        return current
    step = value_step(high - low, 5)
    top = step * (math.floor(high / step + 0.15) + 1)
    return (low if scale.from_zero else step * math.floor(low / step - 0.1)), top


def _fits(low: float, high: float, current: Range) -> bool:
    span = current[1] - current[0]
    return current[0] <= low and high <= current[1] and high - low >= span / 2
