"""Training replayed: the same losses and weights every time, cold and hot. The verdict compares cards with others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from core.burnin.record import Result, ResultStatus
from core.burnin.replays import compare_replays
from core.burnin.stages.loading import LoadStage

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext


class Replay(LoadStage):
    """Each device is compared with itself: the load does so within the stage, and here earlier replays of the run."""

    def conclude(self, context: StageContext, device_id: str, result: Result) -> Result:
        """Fails a device that gave other bits earlier in the run."""
        status, reason, evidence = result
        now, differing = _replay(evidence), []
        for number, results in context.earlier(self.kind):
            before = _replay(results[device_id].evidence) if device_id in results else None
            if now and before and compare_replays({"now": now, "before": before}):
                differing.append(str(number + 1))
        if not differing:
            return result
        text = f"Training gave other bits than in stage {', '.join(differing)} of this run on the same device."
        if status is ResultStatus.PASSED:
            return ResultStatus.FAILED, text, evidence
        return status, f"{reason} {text}", evidence


def _replay(evidence: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What the load says of a replay that came to its end."""
    found = evidence.get("replay")
    return found if found and found.get("weight_hash") is not None else None
