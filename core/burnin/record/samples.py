"""Reading a block of samples: columns by name, what is known of them, means; and what held a card's clocks down, and so
its power: the driver's reasons, each with its share of the time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.machine.telemetry.metrics import NAMES
from core.machine.telemetry.throttle import THROTTLE_REASONS
from core.words import Worded, tr

COLUMN = {name: index + 1 for index, name in enumerate(NAMES)}
"""Column of a metric in a block of samples; column 0 is the time in s since the start of the run."""

Samples = NDArray[np.float64]
"""Shape (n, 1 + metrics): the time in s since the start of the run, then a column for each metric; NaN is unknown."""


def column(samples: Samples, name: str) -> Samples:
    """All values of a metric, NaN where it was not measured."""
    return samples[:, COLUMN[name]]


def readings(samples: Samples, name: str) -> Samples:
    """The measured values of a metric."""
    values = column(samples, name)
    return values[~np.isnan(values)]


def mean(samples: Samples, name: str) -> float | None:
    """None where nothing was measured."""
    values = readings(samples, name)
    return float(values.mean()) if len(values) else None


def means(samples: Samples, names: tuple[str, ...]) -> dict[str, float]:
    """Rounded means of the metrics that were measured."""
    by_name = {name: mean(samples, name) for name in names}
    return {name: round(value, 2) for name, value in by_name.items() if value is not None}


def between(samples: Samples, start_s: float, end_s: float) -> Samples:
    """The samples of a time, start and end included."""
    return samples[(samples[:, 0] >= start_s) & (samples[:, 0] <= end_s)]


def rise(counter: Samples) -> float:
    """How far a counter rose; one that fell was reset, and counts from zero again."""
    counted = counter[~np.isnan(counter)]
    steps = np.diff(counted)
    return float(np.where(steps < 0, counted[1:], steps).sum()) if len(counted) > 1 else 0.0


BLIP_SAMPLES = 3
"""A bit that stands in fewer samples may be the change of a clock: it does not count where nothing counts the time."""
LEAST_SHARE_PCT = 5.0
"""Of the time: a reason that held for less did not keep the card from its power."""


class Limiter(Worded):
    """The reason with the largest share of the time."""

    POWER_LIMIT = "power limit", tr("the power limit, by the driver's own measurement")
    HEAT = "heat", tr("heat")
    POWER_BRAKE = "power brake", tr("the power brake of PSU or chassis")
    HARDWARE = "hardware slowdown", tr("a hardware slowdown")
    BOARD_LIMIT = "board limit", tr("a board limit")
    VOLTAGE = "reliability voltage", tr("the highest reliable voltage: its clocks could not rise further")
    CLOCKS_SET = "clocks set by user", tr("a clock setting")
    SYNC_BOOST = "sync boost", tr("sync boost with other cards")
    DISPLAY = "display clocks", tr("the clocks of the display")
    NOTHING = "nothing"
    """No reason held: the load did not ask for more."""


@dataclass(frozen=True, slots=True)
class Held:
    """`share_pct` of the time, 0 for nothing."""

    by: Limiter
    share_pct: float


_BITS = {reason.name: reason.bit for reason in THROTTLE_REASONS}
_SIGNS: tuple[tuple[Limiter, str | None, str | None], ...] = (
    (Limiter.POWER_BRAKE, "throttle_power_brake_s", "HwPowerBrakeSlowdown"),
    (Limiter.HEAT, "throttle_hw_thermal_s", "HwThermalSlowdown"),
    (Limiter.HEAT, "throttle_sw_thermal_s", "SwThermalSlowdown"),
    (Limiter.HARDWARE, None, "HwSlowdown"),
    (Limiter.POWER_LIMIT, "throttle_power_cap_s", "SwPowerCap"),
    (Limiter.BOARD_LIMIT, "throttle_board_limit_s", None),
    (Limiter.VOLTAGE, "throttle_reliability_s", None),
    (Limiter.CLOCKS_SET, None, "ApplicationsClocksSetting"),
    (Limiter.SYNC_BOOST, "throttle_sync_boost_s", "SyncBoost"),
    (Limiter.DISPLAY, None, "DisplayClockSetting"),
)
"""The driver's counter of seconds where it has one, else the bit of its mask. Where several held for as long, the first
is the cause of the others: the hardware reports its slowdown beside the heat that made it."""


def held(samples: Samples) -> Held | None:
    """What held the clocks in these samples for longest; None where nothing tells."""
    of_all = ((by, _share_pct(samples, metric, reason)) for by, metric, reason in _SIGNS)
    shares = [(by, share) for by, share in of_all if share is not None]
    if not shares:
        return None
    by, share_pct = max(shares, key=lambda one: one[1])
    return Held(by, round(share_pct, 1)) if share_pct >= LEAST_SHARE_PCT else Held(Limiter.NOTHING, 0.0)


def held_s(samples: Samples, metric: str | None, reason: str | None) -> tuple[float, float] | None:
    """Seconds of these samples, and of these under one reason: by the driver's counter where it counted, else by the
    samples in which the bit of that name stands. None where neither tells."""
    if len(samples) < BLIP_SAMPLES:
        return None
    total_s = float(samples[-1, 0] - samples[0, 0])
    if metric is not None and np.count_nonzero(~np.isnan(counter := column(samples, metric))) > 1:
        return total_s, min(rise(counter), total_s)
    masks = readings(samples, "throttle_mask").astype(np.int64)
    if reason not in _BITS or not len(masks):
        return None
    hits = int(((masks & _BITS[reason]) != 0).sum())
    return total_s, total_s * hits / len(masks) if hits >= BLIP_SAMPLES else 0.0


def _share_pct(samples: Samples, metric: str | None, reason: str | None) -> float | None:
    counted = held_s(samples, metric, reason)
    return None if counted is None or counted[0] <= 0 else 100 * counted[1] / counted[0]
