"""How the terminal words states, and how it lines up text of any script."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.cells import cell_len

from core.burnin.record.rows import RunStatus
from core.language import tr, trc
from core.predict.airflow.flow_paths import FanRole
from core.rules.finding import Status

UNKNOWN = tr("unknown")
STATUS_WORDS = {
    Status.FAIL: trc("status", "fail"),
    Status.WARN: trc("status", "warn"),
    Status.UNKNOWN: trc("status", "unknown"),
    Status.NOTE: trc("status", "note"),
    Status.PASS: trc("status", "pass"),
}
RUN_WORDS = {
    RunStatus.RUNNING: trc("run", "running"),
    RunStatus.FINISHED: trc("run", "finished"),
    RunStatus.INTERRUPTED: trc("run", "interrupted"),
    RunStatus.IMPORTED: trc("run", "imported, not judged"),
}
FAN_WORDS = {
    FanRole.INTAKE: trc("fans", "intake"),
    FanRole.EXHAUST: trc("fans", "exhaust"),
    FanRole.RADIATOR: trc("fans", "radiator"),
    FanRole.BESIDE: trc("fans", "radiator beside the case"),
}


def padded(text: str, width: int) -> str:
    """The text and spaces up to `width` columns of the terminal; a Chinese character takes two of them."""
    return text + " " * max(width - cell_len(text), 0)


def column(words: Mapping[Any, str], width: int) -> int:
    """The width of a column for such words: `width`, or more where a language needs it."""
    return max(width, *(cell_len(word) + 1 for word in words.values()))
