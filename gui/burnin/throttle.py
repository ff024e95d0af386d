"""When the driver held clocks down for a reason that is not normal. Qt-free."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from core.telemetry.throttle import THROTTLE_REASONS, Severity, ThrottleReason, reasons

NORMAL = sum(reason.bit for reason in THROTTLE_REASONS if reason.severity is Severity.NORMAL)
"""A loaded card runs at its power limit; that is what a burn-in wants."""

Spans = list[tuple[float, float]]


def abnormal(mask: float | None) -> list[ThrottleReason]:
    """The reasons that a healthy loaded card does not show."""
    return [reason for reason in reasons(mask) if reason.severity is not Severity.NORMAL]


def throttled(masks: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 where a mask holds an abnormal bit, 0 where it does not, NaN where it is unknown."""
    known = np.isfinite(masks)
    bits = np.where(known, masks, 0).astype(np.int64) & ~NORMAL
    return np.where(known, (bits != 0).astype(np.float64), np.nan)


def spans(time_s: NDArray[np.float64], flags: NDArray[np.floating]) -> Spans:
    """From each first sample or bucket in which the flag is set to the one after the last."""
    edges = np.flatnonzero(np.diff((flags > 0).astype(np.int8), prepend=0, append=0)).reshape(-1, 2)
    if not len(edges):
        return []
    ends = time_s[np.minimum(edges[:, 1], len(time_s) - 1)]
    return list(zip(time_s[edges[:, 0]].tolist(), ends.tolist(), strict=True))


def union(several: list[Spans]) -> Spans:
    """The spans in which any of several holds."""
    joined: Spans = []
    for start, end in sorted(span for one in several for span in one):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return joined
