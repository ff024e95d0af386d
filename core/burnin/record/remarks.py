"""What the record says of itself: that it was resumed, changed, judged."""

from __future__ import annotations

from collections.abc import Sequence

from core.burnin.record import chain
from core.burnin.record.rows import Outcome
from core.language import joined, tr, trc
from core.phrasing import duration

KIND_WORDS = {
    "start": trc("record", "start"),
    "origin": trc("of a run", "origin"),
    "end": trc("of a run", "status"),
    "device": tr("device"),
    "as-built": tr("machine as built"),
    "libraries": tr("libraries"),
    "stage": trc("of a run", "stage"),
    "result": tr("result"),
    "event": tr("event"),
    "interruption": tr("interruption"),
    "verdict": tr("verdict"),
    chain.SAMPLES: tr("samples"),
    chain.STORED: tr("samples"),
    chain.NEWEST: tr("newest samples"),
    "link": trc("hash chain", "link"),
}
"""What is linked, each kind in words."""


def changed(what: Sequence[str]) -> str:
    """For recordings of these kinds that are not what was recorded."""
    return tr(
        "The recording ({what}) was changed in the file after it was written, during the run.", what=joined(what, ", ")
    )


def verdict(outcome: Outcome) -> str:
    """How a run ended."""
    return tr("Verdict: {outcome}.", outcome=outcome.badge)


def resumed(paused_s: float | None, *, was_stopped: bool) -> str:
    """For a run that goes on after so long a pause; None where nobody can tell."""
    if paused_s is None:
        return tr("Resumed after an unknown time. The stage that was cut off starts over.")
    pause = duration(paused_s)
    if was_stopped:
        return tr("Resumed {pause} after it was stopped. The stage that was cut off starts over.", pause=pause)
    return tr("Resumed {pause} after its last record. The stage that was cut off starts over.", pause=pause)
