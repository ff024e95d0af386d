"""The same seeded training on like devices: whether all gave the same bits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from core.burnin.record.rows import Reason
from core.burnin.stages.replay import compare_replays
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device

STAGE = "replay"


def replay_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """A device whose own two runs differ has failed its stage already; here it is held against the others."""
    for stage in recorded.stages:
        if stage.kind == STAGE:
            results = {other.id: recorded.result(stage, other) for other in recorded.burned}
            replays = {
                device_id: result.evidence["replay"]
                for device_id, result in results.items()
                if result is not None and result.evidence.get("replay")
            }
            if reason := compare_replays(replays).get(device.id):
                yield replace(reason, text=f"{stage.title}: {reason.text}")
