"""Spans of time as text and as ticks of an axis. Qt-free."""

from __future__ import annotations

import math

STEPS_S = (1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400)
"""Distances of ticks that people read as times."""


def clock(seconds: float) -> str:
    """ "4:05" or "1:02:03"; negative spans carry a minus sign."""
    whole = abs(round(seconds))
    hours, minutes, rest = whole // 3600, whole // 60 % 60, whole % 60
    text = f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
    return f"\u2212{text}" if seconds < 0 and whole else text


def time_step_s(span_s: float, most: int) -> float:
    """The smallest readable distance of ticks that gives at most `most` of them."""
    wanted = span_s / max(most, 1)
    for step in STEPS_S:
        if step >= wanted:
            return step
    return 86400 * math.ceil(wanted / 86400)


def whole_run_s(elapsed_s: float) -> float:
    """A round span that holds a growing run, so that the axis moves seldom."""
    step = time_step_s(max(elapsed_s, 60.0), 12)
    return step * math.ceil(max(elapsed_s, 60.0) / step + 1e-9)
