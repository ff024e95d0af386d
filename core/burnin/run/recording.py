"""A run as it is put on record while it goes on: its clock, events, interruptions, samples and processes."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping

from core.burnin.children.child import NOTED_S, Child
from core.burnin.record.origin import LoadedLibraries
from core.burnin.record.patient_store import PATIENCE_S, OpenedRun, PatientStore
from core.burnin.record.rows import SOFTWARE, EventLevel, InterruptionKind
from core.platform.errors import EnvironmentProblem
from core.platform.processes import ProcessMark
from core.platform.protocol import Message
from core.words import tr


class RunRecording:
    """Times are in s since the start of the run; what lasted before an interruption counts."""

    def __init__(self, store: PatientStore, run: OpenedRun) -> None:
        self._store = store
        self._run = run
        self._started = time.monotonic() - run.elapsed_s
        self._stage: tuple[int, Callable[[], float]] | None = None
        """Number of the stage that runs now, and what tells how far it is, 0 to 1."""
        self._recorded_s = float("-inf")
        """Of the newest sample on record."""
        self._recorded_software: set[str | LoadedLibraries] = set()
        """Versions, and what processes have loaded."""
        self._recorded_processes: set[ProcessMark] = set()

    def now(self) -> float:
        """Seconds since the start of the run."""
        return self.run_s(time.monotonic())

    def run_s(self, monotonic_s: float) -> float:
        """A time of the monotonic clock as one of the run."""
        return monotonic_s - self._started

    def event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        """Records what happened."""
        self._store.add_event(self._run.id, round(self.now(), 3), level, kind, text, device_id=device_id)

    def interrupt(self, kind: InterruptionKind, lasted_s: float, text: str, *, at_s: float | None = None) -> None:
        """Records what interrupted the run. `at_s` is when it began; without it, it has just ended."""
        at_s = round(self.now() - lasted_s if at_s is None else at_s, 3)
        stage = self._stage[0] if self._stage else None
        self._store.add_interruption(self._run.id, kind, at_s, text, lasted_s=round(lasted_s, 3), stage=stage)

    def _record_sample(self, readings: Callable[[str], Mapping[str, float | None]]) -> None:
        """The newest readings of every device, at a millisecond that has none yet and is not still to come.

        A sample belongs to the stage within which its time falls, and the record keeps one for each moment.
        """
        while (time_s := math.floor(self.now() * 1000) / 1000) <= self._recorded_s:
            time.sleep(0.0005)
        self._recorded_s = time_s
        rows = {device.id: readings(device.id) for device in self._run.watched}
        stage = (self._stage[0], self._stage[1]()) if self._stage else None
        self._store.add_tick(self._run.id, time_s, rows, stage=stage)

    def _record_software(self, detail: Mapping[str, str]) -> None:
        """What computes, once a run."""
        names = {"torch": "PyTorch", "cuda": "CUDA"}
        versions = ", ".join(f"{words} {detail[name]}" for name, words in names.items() if detail.get(name))
        if versions and versions not in self._recorded_software:
            self._recorded_software.add(versions)
            self.event(EventLevel.INFO, SOFTWARE, versions)

    def _record_libraries(self, role: str, device_id: str, message: Message) -> None:
        """Once a run of each process; a simulated one loads nothing that measures."""
        loaded = LoadedLibraries.from_message(role, device_id, message)
        if (loaded.libraries or loaded.packages) and loaded not in self._recorded_software:
            self._recorded_software.add(loaded)
            self._store.add_libraries(self._run.id, round(self.now(), 3), loaded)

    def _record_processes(self, role: str, children: Iterable[Child]) -> None:
        """Names new children, for whoever must end them when this process cannot."""
        for child in children:
            if child.mark is not None and child.mark not in self._recorded_processes:
                self._recorded_processes.add(child.mark)
                self._store.add_process(self._run.id, child.mark, role)

    def _catch_up(self) -> None:
        """While another program holds the recording, what is to be written waits, and the loads go on.

        Raises EnvironmentProblem when it was held for too long, or is not in its place any more.
        """
        self._store.require_in_place()
        if self._store.held_s > PATIENCE_S:
            raise EnvironmentProblem(
                tr(
                    "Another program has held the recording for {seconds:.0f} s: the run was ended. Close that "
                    "program, then resume the run.",
                    seconds=self._store.held_s,
                )
            )
        self._store.catch_up()
        if (was_held_s := self._store.take_was_held_s()) >= NOTED_S:
            text = tr(
                "Another program held the recording for {seconds:.0f} s: what was measured meanwhile was written "
                "after it.",
                seconds=was_held_s,
            )
            self.event(EventLevel.WARN, "held", text)
