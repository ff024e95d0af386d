"""Follows the recording of a run beside the window, finds the run that goes on, and ends one that is silent."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass, replace
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Signal

from core.burnin.record.rows import RunStatus
from core.burnin.record.store import RunStore, in_store
from core.burnin.run.follow import Follower, Update, end_from_outside, not_ended
from core.burnin.run.order import active_run
from core.burnin.run.recovery import find_interrupted
from core.platform.errors import EnvironmentProblem, RigwrightError
from gui.burnin.recording import WATCHED, Recording, run_plan

log = logging.getLogger(__name__)

POLL_S = 0.25
QUIET_POLL_S = 2.0
"""A run that is over changes only when somebody closes or resumes it."""


class RecordingReader(QObject):
    """Follows one run until `stop`, on a thread of its own: neither a long run nor a slow disk holds up the window.
    Signals arrive in the window's thread.

    The first poll may bring a day; the recording is built up before it is handed over. From then on it belongs to the
    window, which applies the updates.
    """

    opened = Signal(object)
    """The Recording so far."""
    updated = Signal(object)
    """The next Update, only when it brings something."""
    failed = Signal(object)
    """Why the run cannot be read, in a sentence. Reading has ended."""

    def __init__(self, data_dir: Path, run_id: int) -> None:
        super().__init__(QCoreApplication.instance())
        self.run_id = run_id
        self._data_dir = data_dir
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._read, name=f"reader of run {run_id}", daemon=True)

    def start(self) -> None:
        """Begins to read."""
        self._thread.start()

    def stop(self) -> None:
        """Ends soon; nothing more is handed over once the window has dealt with what is under way."""
        self._stopped.set()

    def wait(self, timeout_s: float = 5.0) -> None:
        """Waits for the end of the thread."""
        self._thread.join(timeout_s)

    def _read(self) -> None:
        try:
            in_store(self._data_dir, self._follow)
        except RigwrightError as error:
            if not self._stopped.is_set():
                log.warning("run %d cannot be read: %s", self.run_id, error)
                self.failed.emit(str(error))
        finally:
            self.deleteLater()

    def _follow(self, store: RunStore) -> None:
        follower = Follower(store, self.run_id, WATCHED)
        update = follower.poll()
        plan = run_plan(update.run, store.as_built(self.run_id), follower.devices)
        recording = Recording(update.run, follower.devices, plan)
        recording.apply(update)
        if self._stopped.is_set():
            return
        self.opened.emit(recording)
        before = update
        while not self._stopped.wait(POLL_S if update.run.status is RunStatus.RUNNING else QUIET_POLL_S):
            update = follower.poll()
            if _differs(update, before) and not self._stopped.is_set():
                self.updated.emit(update)
            before = update


def _differs(update: Update, before: Update) -> bool:
    changed = update != replace(before, samples=update.samples, events=update.events)
    return changed or bool(update.samples or update.events)


@dataclass(frozen=True, slots=True)
class RunsNow:
    """The run that is being recorded, and the newest one that was interrupted."""

    active: int | None
    interrupted: int | None


def find_runs_now(data_dir: Path) -> RunsNow:
    """What `data_dir` has now; runs whose runner vanished are marked as interrupted. Raises EnvironmentProblem."""
    active = active_run(data_dir)
    interrupted = in_store(data_dir, lambda store: [run.run_id for run in find_interrupted(store, data_dir)])
    return RunsNow(active, next(iter(interrupted), None))


def end_silent(store: RunStore, run_id: int) -> None:
    """Ends the processes of a run whose runner does not answer. Takes seconds; raises EnvironmentProblem."""
    if left := end_from_outside(store, run_id):
        raise EnvironmentProblem(not_ended(left))
