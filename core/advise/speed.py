"""What a lower power limit costs in speed."""

from __future__ import annotations

from core.build.build import Build, Line
from core.predict.band import Band
from core.predict.power_limit import speed_at_limit


def speed_kept(before: Build, after: Build) -> Band | None:
    """The share of their speed that cards keep under limits that a change sets; of the slowest, None if none is set."""
    kept = [speed_at_limit(line.part, line.limit_w or 0) for line in after.lines if _is_limited(before, line)]
    return min(kept, key=lambda band: band.expected, default=None)


def _is_limited(before: Build, line: Line) -> bool:
    old = before.line(line.part.id)
    return old is not None and line.power_limit_w is not None and line.power_limit_w != old.power_limit_w
