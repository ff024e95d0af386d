"""When the GPUs of a log that names no stages worked: by their utilisation, or else by their power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
BUSY_PCT = 80.0
"""Of utilisation: a card in training is above it but for moments."""
SHARE_OF_HIGH = 0.7
"""Of the power that a card reaches; at rest it takes a tenth of that."""
HIGH_PERCENTILE = 98.0
SPREAD_W = 30.0
"""A card whose power never differs by more has rested, or worked, all the time."""
PAUSE_S = 60.0
"""For so long a load may falter, as where it saves a checkpoint, and still be one."""


@dataclass(frozen=True, slots=True)
class LoadPeriod:
    """In s since the start of the log."""

    start_s: float
    end_s: float

    @property
    def minutes(self) -> float:
        """How long the load went on."""
        return max(self.end_s - self.start_s, 0.0) / 60


def last_load(times_s: Numbers, utilisation_pct: Numbers, power_w: Numbers) -> LoadPeriod | None:
    """The last time that one card worked without a longer pause; None where it never did, or the log does not say."""
    busy = _busy(utilisation_pct, power_w)
    if busy is None or not busy.any():
        return None
    at = times_s[busy]
    breaks = np.flatnonzero(np.diff(at) > PAUSE_S)
    first = int(breaks[-1]) + 1 if len(breaks) else 0
    return LoadPeriod(float(at[first]), float(at[-1]))


def load_of_all(loads: Sequence[LoadPeriod | None]) -> LoadPeriod | None:
    """While every card worked; None where one never did, or they did not at the same time."""
    known_periods = [load for load in loads if load is not None]
    if not known_periods or len(known_periods) < len(loads):
        return None
    common = LoadPeriod(max(load.start_s for load in known_periods), min(load.end_s for load in known_periods))
    return common if common.end_s > common.start_s else None


def _busy(utilisation_pct: Numbers, power_w: Numbers) -> NDArray[np.bool_] | None:
    """Rows of work. Power tells only where utilisation is not logged, and where it tells work from rest."""
    if np.isfinite(utilisation_pct).any():
        return np.isfinite(utilisation_pct) & (utilisation_pct >= BUSY_PCT)
    if not np.isfinite(power_w).any():
        return None
    high, low = np.nanpercentile(power_w, HIGH_PERCENTILE), np.nanpercentile(power_w, 100 - HIGH_PERCENTILE)
    if high - low < SPREAD_W:
        return None if high < SPREAD_W * 4 else np.isfinite(power_w)
    return np.isfinite(power_w) & (power_w >= SHARE_OF_HIGH * high)
