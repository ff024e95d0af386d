"""What a lower power limit costs in speed."""

from __future__ import annotations

from core.build.build import Build
from core.predict.band import Band


def speed_kept(before: Build, after: Build) -> Band | None:
    """The share of their speed that cards keep under limits that a change sets; of the slowest, None if none is set."""
    del before, after
    return None
