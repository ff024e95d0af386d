"""Transients: all devices under the same steps of load at the same moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.burnin.stages.loading import LoadStage

if TYPE_CHECKING:
    from core.burnin.underway import Underway


class Transients(LoadStage):
    """The loads step together: each goes by the monotonic clock, which the workers of a machine share."""

    def apart_s(self, underway: Underway, loads: int) -> float:
        """All start at once: loads that step together are what a supply must stand."""
        del underway, loads
        return 0.0
