"""What a stage sees of its run, and what it may do to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Protocol

from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.children.sensors import Sensors
from core.burnin.planned import read_plan
from core.burnin.profile.profile import StageSettings
from core.burnin.record.incidents import Incidents
from core.burnin.record.patient_store import OpenedRun
from core.burnin.record.rows import EventLevel, Reason, Result, StageResult
from core.burnin.record.samples import Samples
from core.burnin.record.store import RunStore
from core.machine.asbuilt.as_built import AsBuilt
from core.plan.build import Build

WHOLE_RUN_S = -1.0
"""Before the first sample."""


class LiveRun(Protocol):
    """The run while it goes on; the runner's supervision is one. Times in s since the start of the run."""

    devices: dict[str, DeviceUnderTest]
    """All that carry loads, by id."""
    sensors: Sensors
    incidents: Incidents
    stopped: Reason | None
    """Why no further stage will come; None while one may."""

    @property
    def cut(self) -> bool:
        """Whether the stage shall end before its time."""

    @property
    def why_cut(self) -> str | None:
        """Why it ends before its time, in a sentence; None where it does not."""

    def now(self) -> float:
        """Since the start of the run."""

    def turn(self) -> None:
        """Lets the supervision do its work for a moment."""

    def settle(self) -> None:
        """Until everything that was recorded can be read, or the run is stopped."""

    def wait_until_ready(self, devices: Sequence[DeviceUnderTest]) -> None:
        """Until the workers have started; those that do not are taken out of the run."""

    def event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        """Records what happened."""


class StageContext:
    """One stage of one run, from its start to its results. Times in s; `started_s` counts from the start of the run."""

    def __init__(self, number: int, settings: StageSettings, *, live: LiveRun, store: RunStore, run: OpenedRun) -> None:
        self.number = number
        self.settings = settings
        self.live = live
        self.run = run
        self.started_s = live.now()
        self.began_s: dict[str, float] = {}
        """When the load of each device was started, since the start of the run."""
        self._store = store

    @property
    def elapsed_s(self) -> float:
        """Since its start."""
        return self.live.now() - self.started_s

    @cached_property
    def plan(self) -> Build | None:
        """The build that the run is compared with; None without one, or where it cannot be read any more."""
        return read_plan(self._store.run(self.run.id).build)

    @cached_property
    def as_built(self) -> AsBuilt | None:
        """The machine as it was found before the run; None of a run that did not look."""
        return self._store.as_built(self.run.id)

    @property
    def accepted(self) -> bool:
        """Whether somebody accepted every planned card that is missing or another one, before the run."""
        as_built = self.as_built
        return as_built is not None and bool(as_built.accepted) and not as_built.blocking

    @property
    def devices(self) -> dict[str, DeviceUnderTest]:
        """Those that are burned in, by id."""
        return {device_id: device for device_id, device in self.live.devices.items() if not device.companion}

    @property
    def companions(self) -> dict[str, DeviceUnderTest]:
        """Those that only accompany a stage, by id: the CPU where GPUs are burned in."""
        return {device_id: device for device_id, device in self.live.devices.items() if device.companion}

    def samples(self, device_id: str, *, after_s: float | None = None) -> Samples:
        """What was recorded of a device after a moment of the run, by default since the stage began."""
        self.live.settle()
        return self._store.samples(self.run.id, device_id, self.started_s if after_s is None else after_s)

    def earlier(self, kind: str) -> list[tuple[int, Mapping[str, StageResult]]]:
        """Stages of a kind before this one in their order: their numbers, and their results by device."""
        numbers = [n for n, settings in enumerate(self.run.profile.stages[: self.number]) if settings.kind == kind]
        self.live.settle()
        results = self._store.results(self.run.id)
        return [(n, {result.device_id: result for result in results if result.number == n}) for n in numbers]

    def record(self, device_id: str, result: Result) -> None:
        """Keeps how the stage ended on a device, with what driver and kernel told of it meanwhile."""
        status, reason, evidence = result
        if incidents := self.live.incidents.of(device_id, self.started_s):
            evidence = evidence | {"incidents": incidents}
        self._store.add_result(self.run.id, StageResult(self.number, device_id, status, reason, evidence))
