"""Follows a recording from a cursor: the one code path for watching live, re-attaching, replaying and reporting."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import Event, Run, RunDevice, StageResult, StageRow, Verdict
from core.burnin.run.outside import silent_s
from core.telemetry.metrics import NAMES


@dataclass(frozen=True, slots=True)
class Update:
    """What a poll brought: the run as it is now, and only the new samples and events."""

    run: Run
    stages: list[StageRow]
    results: list[StageResult]
    samples: dict[str, NDArray[np.float64]]
    """By device id, shape (n, 1 + len(names)); devices without news are absent."""
    events: list[Event]
    verdicts: list[Verdict]
    names: tuple[str, ...] = NAMES
    """The metrics of the samples, in the order of their columns."""
    silent_s: float | None = None
    """For how long the runner of a run that goes on has not answered; None where it does."""


class Follower:
    """A viewer's place in a run. The first poll brings everything recorded so far, of the metrics `names`."""

    def __init__(self, store: RunReader, run_id: int, names: tuple[str, ...] = NAMES) -> None:
        self._store = store
        self._names = names
        self.run_id = run_id
        self.devices: list[RunDevice] = store.devices(run_id)
        self._sample_cursor = {row.device.id: -1.0 for row in self.devices}
        self._event_cursor = 0

    def poll(self) -> Update:
        """Reads what is new. Raises BadInput when the run was deleted."""
        run = self._store.run(self.run_id)
        events = self._store.events(self.run_id, self._event_cursor)
        if events:
            self._event_cursor = events[-1].id
        return Update(
            run=run,
            stages=self._store.stages(self.run_id),
            results=self._store.results(self.run_id),
            samples=self._new_samples(),
            events=events,
            verdicts=self._store.verdicts(self.run_id),
            names=self._names,
            silent_s=silent_s(self._store, run),
        )

    def _new_samples(self) -> dict[str, NDArray[np.float64]]:
        news: dict[str, NDArray[np.float64]] = {}
        for device_id, cursor in self._sample_cursor.items():
            block = self._store.samples(self.run_id, device_id, cursor, self._names)
            if len(block):
                news[device_id] = block
                self._sample_cursor[device_id] = float(block[-1, 0])
        return news
