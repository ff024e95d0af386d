"""Errors that the driver told of during the run, by their Xid number."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from core.burnin.record.rows import EventLevel, Outcome, Reason
from core.burnin.verdict.recorded import Recorded
from core.telemetry.device import Device

KIND = "xid"
_OUTCOMES = {EventLevel.ERROR: Outcome.FAIL, EventLevel.WARN: Outcome.WARN}


def xid_reasons(recorded: Recorded, device: Device) -> Iterator[Reason]:
    """Each sentence once, with how often it came. The event's level is the error's weight; INFO only accompanies."""
    told = Counter(
        (event.level, event.message)
        for event in recorded.events
        if event.kind == KIND and event.device_id == device.id and event.level in _OUTCOMES
    )
    for (level, message), times in told.items():
        often = f" ({times} times)" if times > 1 else ""
        yield Reason(_OUTCOMES[level], f"{message}{often}", times, 0, source="NVIDIA's catalogue of Xid errors")
