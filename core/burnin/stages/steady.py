"""When a device under a constant load has become steady. Pure functions of its samples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from core.burnin.limiter import held
from core.burnin.samples import Samples, between, known, mean
from core.telemetry.throttle import reasons

TOLERANCE_S = 3.0
"""The first sample comes a moment after the load has begun."""
STEPS_PER_WINDOW, MOST_STEPS = 10, 200
"""How finely the moment is looked for at which it became steady."""
EARLY = (0.4, 0.8)
"""Minutes 2 to 4 of windows of 5: warm enough to have left its first boost, far from steady."""


@dataclass(frozen=True, slots=True)
class SteadyCriteria:
    """Steady is when the medians of two windows in a row differ by less than this."""

    window_s: float = 300.0
    temperature_k: float = 0.3
    power_pct: float = 1.0


def is_steady(samples: Samples, criteria: SteadyCriteria) -> bool:
    """Whether the last two windows are alike in all of temperature and power that is measured; one of them must be."""
    if not len(samples) or samples[-1, 0] - samples[0, 0] < 2 * criteria.window_s - TOLERANCE_S:
        return False
    end_s = float(samples[-1, 0])
    middle_s = end_s - criteria.window_s
    before, after = between(samples, middle_s - criteria.window_s, middle_s), between(samples, middle_s, end_s)
    warmer = _change(before, after, "temperature_c")
    power, stronger = _median(before, "power_w"), _change(before, after, "power_w")
    alike = [
        *([abs(warmer) < criteria.temperature_k] if warmer is not None else []),
        *([100 * abs(stronger) < criteria.power_pct * power] if stronger is not None and power else []),
    ]
    return bool(alike) and all(alike)


def steady_after_s(samples: Samples, criteria: SteadyCriteria) -> float | None:
    """Seconds from the first sample until it was steady for the first time; None where it never was."""
    if not len(samples):
        return None
    start_s, end_s = float(samples[0, 0]), float(samples[-1, 0])
    step_s = max(criteria.window_s / STEPS_PER_WINDOW, (end_s - start_s) / MOST_STEPS)
    for moment_s in np.arange(start_s + 2 * criteria.window_s, end_s + step_s, step_s):
        if is_steady(samples[samples[:, 0] <= moment_s], criteria):
            return round(float(min(moment_s, end_s)) - start_s, 1)
    return None


def soak_evidence(samples: Samples, criteria: SteadyCriteria) -> dict[str, Any]:
    """What the soak shows of cooling and power: means of the last window, and how far the speed fell since minute 2."""
    if not len(samples):
        return {}
    start_s, end_s = float(samples[0, 0]), float(samples[-1, 0])
    last = between(samples, end_s - criteria.window_s, end_s)
    early = between(samples, *(start_s + share * criteria.window_s for share in EARLY))
    limit, power = mean(last, "power_limit_w"), mean(last, "power_w")
    figures: dict[str, Any] = {
        "steady_after_s": steady_after_s(samples, criteria),
        "steady_temperature_c": _median(last, "temperature_c"),
        "steady_memory_temperature_c": _median(last, "memory_temperature_c"),
        "steady_margin_c": _median(last, "margin_c"),
        "steady_power_w": power,
        "share_of_limit_pct": 100 * power / limit if limit and power is not None else None,
        "drift_pct": _fall_pct(early, last, "throughput_tflops"),
        "clock_drift_pct": _fall_pct(early, last, "clock_mhz"),
    }
    rounded = {name: None if value is None else round(value, 2) for name, value in figures.items()}
    return rounded | power_held(last) | {"held_back_by": held_back_by(last)}


def power_held(samples: Samples) -> dict[str, Any]:
    """What kept the card's power where it was (a `Limiter`), with its share of the time."""
    found = held(samples)
    return {"power_held_by": found and found.by.value, "power_held_pct": found and found.share_pct}


def held_back_by(samples: Samples) -> list[str]:
    """Why clocks were lowered in these samples, in words."""
    masks = np.unique(known(samples, "throttle_mask"))
    return sorted({reason.title for mask in masks for reason in reasons(float(mask))})


def _median(samples: Samples, name: str) -> float | None:
    values = known(samples, name)
    return float(np.median(values)) if len(values) else None


def _change(before: Samples, after: Samples, name: str) -> float | None:
    first, second = _median(before, name), _median(after, name)
    return None if first is None or second is None else second - first


def _fall_pct(early: Samples, late: Samples, name: str) -> float | None:
    first, second = _median(early, name), _median(late, name)
    return None if not first or second is None else 100 * (first - second) / first
