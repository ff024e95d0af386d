"""A predicted band against a rating: near the limit nobody knows, so only what is surely above it fails."""

from __future__ import annotations

from core.predict.band import Band
from core.rules.finding import Status

WORST_CASE = "CPU and GPU at their limits at once"
"""How the electrical worst case is named in sentences."""


def against(band: Band, limit: float) -> Status:
    """FAIL where even the low end is above the limit, WARN where the high end is, else PASS."""
    if band.low > limit:
        return Status.FAIL
    return Status.WARN if band.high > limit else Status.PASS


def for_hours(training: Band, worst: Band, limit: float) -> Status:
    """What feeds the machine for hours, against training and the electrical worst case, both without heat's share.

    FAIL where even the low end of the worst case is above the limit and training is expected to be; WARN where either
    may be above it.
    """
    if worst.low > limit and training.expected > limit:
        return Status.FAIL
    return Status.WARN if training.high > limit or worst.expected > limit else Status.PASS


def span(band: Band) -> str:
    """ "1609 W (1530 to 1670)"."""
    return f"{band.expected:.0f} {band.unit} ({band.low:.0f} to {band.high:.0f})"
