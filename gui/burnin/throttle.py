"""The spans of time in which the driver held clocks down for a reason that is not normal. Qt-free."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.telemetry.throttle import THROTTLE_REASONS, Severity, ThrottleReason, reasons

NORMAL = sum(reason.bit for reason in THROTTLE_REASONS if reason.severity is Severity.NORMAL)
"""A loaded card runs at its power limit; that is what a burn-in wants."""
JOINED_WITHIN_S = 5.0


@dataclass(slots=True)
class Span:
    """From the first to the last sample in which the same abnormal reasons held."""

    start_s: float
    end_s: float
    mask: int


def abnormal(mask: float | None) -> list[ThrottleReason]:
    """The reasons that a healthy loaded card does not show."""
    return [reason for reason in reasons(mask) if reason.severity is not Severity.NORMAL]


def extend(spans: list[Span], time_s: NDArray[np.float64], masks: NDArray[np.float64]) -> None:
    """Adds the spans of new samples; the last one goes on while its reasons hold."""
    bits = np.where(np.isfinite(masks), masks, 0).astype(np.int64) & ~NORMAL
    firsts = np.flatnonzero(np.diff(bits, prepend=~bits[:1]))
    lasts = np.append(firsts[1:], len(bits)) - 1
    for first, last in zip(firsts.tolist(), lasts.tolist(), strict=True):
        mask = int(bits[first])
        if not mask:
            continue
        if spans and spans[-1].mask == mask and time_s[first] - spans[-1].end_s <= JOINED_WITHIN_S:
            spans[-1].end_s = float(time_s[last])
        else:
            spans.append(Span(float(time_s[first]), float(time_s[last]), mask))
