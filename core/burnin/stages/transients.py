"""Transients: all devices under the same steps of load at the same moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.burnin.stages.loading import LoadStage

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext


class Transients(LoadStage):
    """The loads step together: each goes by the monotonic clock, which the workers of a machine share."""

    def apart_s(self, context: StageContext, loads: int) -> float:
        """All start at once: loads that step together are what a supply must stand."""
        del context, loads
        return 0.0
