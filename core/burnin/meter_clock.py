"""The clock of a meter's file against a run: when the file may be from, and which of its times is the run's start."""

from __future__ import annotations

from datetime import datetime, timedelta

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import InterruptionKind

DAY_S = 86_400.0


def times_near(store: RunReader, run_id: int) -> datetime:
    """When a meter's file of a run may have been recorded: for dates that may be read in two ways."""
    start = datetime.fromisoformat(store.run(run_id).started_at)
    return (start + timedelta(days=1)).astimezone().replace(tzinfo=None)


def has_pauses(store: RunReader, run_id: int) -> bool:
    """Whether a run was interrupted: then times of a clock do not match its seconds."""
    interruptions = store.interruptions(run_id)
    return any(interruption.kind is not InterruptionKind.SHORTENED for interruption in interruptions)


def start_on_clock(
    store: RunReader, run_id: int, *, dated: bool, of_day: bool, last_s: float, offset_s: float = 0.0
) -> float:
    """The start of a run in the seconds of a table whose last time is `last_s`: since 1970 if `dated`, since midnight
    if `of_day`, else since its own beginning, which is the run's.

    `offset_s` is by how much the table's times are shifted.
    """
    start = datetime.fromisoformat(store.run(run_id).started_at)
    if dated:
        return start.timestamp() - offset_s
    if not of_day:
        return -offset_s
    midnight = start.astimezone().replace(hour=0, minute=0, second=0, microsecond=0)
    start_s = (start - midnight).total_seconds() - offset_s
    return start_s if last_s >= start_s else start_s - DAY_S  # the table begins after midnight
