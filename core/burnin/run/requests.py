"""What viewers ask of a run that goes on: to stop, to skip the rest of a stage, to keep a remark."""

from __future__ import annotations

from typing import Protocol

from core.burnin.record.patient_store import PatientStore
from core.burnin.record.rows import REQUESTED, EventLevel, Outcome, Reason
from core.burnin.run import sentences


class Steered(Protocol):
    """The run that heeds them."""

    def stop(self, reason: Reason) -> None:
        """Ends it early."""

    def skip_stage(self) -> bool:
        """Ends the running stage early; False where none runs."""

    def event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        """Records what happened."""


def heed(store: PatientStore, run_id: int, run: Steered) -> None:
    """Does what was asked since the last time, and answers it."""
    if store.behind:
        return  # what is heeded now could not be answered, and would be heeded again
    for request in store.pending_requests(run_id):
        answer = "done"
        match request.kind:
            case "stop":
                run.stop(Reason(Outcome.INCOMPLETE, sentences.STOPPED_BY_USER, about=REQUESTED))
            case "skip" if run.skip_stage():
                run.event(EventLevel.WARN, "skip", sentences.SKIPPED)
            case "skip":
                run.event(EventLevel.INFO, "skip", sentences.NOTHING_SKIPPED)
            case "mark":
                run.event(EventLevel.INFO, "mark", request.argument)
            case _:
                answer = f"unknown request {request.kind!r}"
        store.answer(request.id, answer)
