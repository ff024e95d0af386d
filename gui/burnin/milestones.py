"""What is worth telling somebody who does not look: how far a run is, its first failure, its end. Each once."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.burnin.record.rows import Outcome, RunStatus
from core.language import capital, tr
from gui.burnin.recording import Recording
from gui.burnin.run_words import error_words, state_word
from gui.burnin.stage_strip import remaining_s
from gui.burnin.verdict_banner import machine_outcome


class Milestones(QObject):
    """Given each state of the recordings that a page shows."""

    progressed = Signal(object)
    """How far the run is, 0 to 1; None where none goes on."""
    first_failure = Signal(str)
    """The first device of the run that goes on has failed, in a few words."""
    run_ended = Signal(str, bool)
    """The run that was seen going on is over: in a few words, and whether it passed."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._watched: int | None = None
        """The run that was seen going on."""
        self._told_failure: int | None = None
        """The run whose first failure was told."""

    def take(self, recording: Recording) -> None:
        """A recording has grown."""
        if recording.running:
            self._watched = recording.run.id
            self.progressed.emit(1 - remaining_s(recording.stages) / max(recording.planned_s, 1e-9))
            self._tell_failure(recording)
        elif self._watched == recording.run.id:
            self._watched = None
            self.progressed.emit(None)
            self._tell_end(recording)

    def _tell_failure(self, recording: Recording) -> None:
        run_id = recording.run.id
        failed = next((record for record in recording.devices if record.burned and record.errors), None)
        if failed is None or self._told_failure == run_id:
            return
        self._told_failure = run_id
        state, errors = state_word(failed.state), error_words(failed.errors)
        words = tr(
            "Run {number}: {device} {state}, {errors}", number=run_id, device=failed.label, state=state, errors=errors
        )
        self.first_failure.emit(words)

    def _tell_end(self, recording: Recording) -> None:
        outcome = machine_outcome(recording.verdicts)
        over = recording.run.status is RunStatus.FINISHED
        word = outcome.label if over else capital(RunStatus.INTERRUPTED.label)
        good = over and outcome in (Outcome.PASS, Outcome.WARN)
        self.run_ended.emit(tr("Run {number}: {verdict}", number=recording.run.id, verdict=word), good)
