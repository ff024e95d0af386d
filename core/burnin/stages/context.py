"""The stage that runs now: what it may see of the run, and what it may do to it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from core.build.build import Build
from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.planned import read_plan
from core.burnin.profile.profile import StageSettings
from core.burnin.record.rows import EventLevel, Result, StageResult
from core.burnin.record.samples import Samples
from core.burnin.record.store import RunStore
from core.burnin.run.run_setup import OpenedRun
from core.burnin.stages.stage import Stage

if TYPE_CHECKING:
    from core.burnin.run.supervision import Supervision


class StageContext:
    """One stage of one run, from its start to its results. Times in s; `started_s` counts from the start of the run."""

    def __init__(
        self, number: int, settings: StageSettings, stage: Stage, *, burn: Supervision, store: RunStore, run: OpenedRun
    ) -> None:
        self.number = number
        self.settings = settings
        self.stage = stage
        self.run = run
        self.started_s = burn.now()
        self.results: dict[str, Result] = {}
        """How it ended, by device, so far."""
        self.began_s: dict[str, float] = {}
        """When the load of each device was started, since the start of the run."""
        self._done_s: dict[str, float] = {}
        self._burn = burn
        self._store = store

    # -- what it sees ---------------------------------------------------------------------------------------------

    @property
    def seconds(self) -> float:
        """How long it shall take."""
        return self.settings.seconds

    @property
    def elapsed_s(self) -> float:
        """Since its start."""
        return self._burn.now() - self.started_s

    @property
    def fraction(self) -> float:
        """Progress, 0 to 1."""
        return self.stage.fraction(self)

    @property
    def now_s(self) -> float:
        """Since the start of the run."""
        return self._burn.now()

    @property
    def cut(self) -> bool:
        """Whether it shall end before its time."""
        return self._burn.cut

    @property
    def why_cut(self) -> str | None:
        """Why it ends before its time; None where it does not."""
        if self._burn.stopped is not None:
            return self._burn.stopped.text
        return "The user skipped the rest of this stage." if self._burn.skip else None

    @cached_property
    def plan(self) -> Build | None:
        """The build that the run is compared with; None without one, or where it cannot be read any more."""
        return read_plan(self._store.run(self.run.id).build)

    @property
    def run_ends(self) -> bool:
        """Whether no further stage will come."""
        return self._burn.stopped is not None

    @property
    def devices(self) -> dict[str, DeviceUnderTest]:
        """Those that are burned in, by id."""
        return {device_id: device for device_id, device in self._burn.devices.items() if not device.companion}

    @property
    def companions(self) -> dict[str, DeviceUnderTest]:
        """Those that only accompany a stage, by id: the CPU where GPUs are burned in."""
        return {device_id: device for device_id, device in self._burn.devices.items() if device.companion}

    def due(self, what: str, every_s: float) -> bool:
        """Whether it is time again for something that is not done in every turn."""
        if self.now_s - self._done_s.get(what, -every_s) < every_s:
            return False
        self._done_s[what] = self.now_s
        return True

    @property
    def everybody(self) -> dict[str, DeviceUnderTest]:
        """All that have a worker, by id."""
        return self.devices | self.companions

    def samples(self, device_id: str) -> Samples:
        """What was recorded of a device since the stage began."""
        return self._store.samples(self.run.id, device_id, self.started_s)

    def samples_of_run(self, device_id: str) -> Samples:
        """What was recorded of a device since the run began."""
        return self._store.samples(self.run.id, device_id)

    def earlier(self, kind: str) -> list[tuple[int, Mapping[str, StageResult]]]:
        """Stages of a kind before this one in their order: their numbers, and their results by device."""
        numbers = [n for n, settings in enumerate(self.run.profile.stages[: self.number]) if settings.kind == kind]
        results = self._store.results(self.run.id)
        return [(n, {result.device_id: result for result in results if result.number == n}) for n in numbers]

    def meeting(self, name: str) -> Path:
        """A file that does not exist yet, by which the workers of a group find each other."""
        path = self.run.folder / f"meeting-{self.number}-{name}"
        for left in (path, *path.parent.glob(f"{path.name}.*")):  # the place, and the roll of who came to it before
            left.unlink(missing_ok=True)
        return path

    # -- what it does ---------------------------------------------------------------------------------------------

    def turn(self) -> None:
        """Lets the supervision do its work for a moment."""
        self._burn.turn()

    def tell_activity(self, device: DeviceUnderTest, load: float) -> None:
        """Tells the sensors of a simulated device how busy it is from now on, 0 to 1."""
        self._burn.sensors.tell_activity(device.device, load)

    def wait_until_ready(self, devices: Iterable[DeviceUnderTest]) -> None:
        """Until the workers have started; those that do not are taken out of the run."""
        self._burn.wait_until_ready(list(devices))

    def record(self, device_id: str, result: Result) -> None:
        """Keeps how the stage ended on a device, with what driver and kernel told of it meanwhile."""
        if incidents := self._burn.incidents.of(device_id, self.started_s):
            status, reason, evidence = result
            result = status, reason, evidence | {"incidents": incidents}
        self.results[device_id] = result
        self._store.add_result(self.run.id, StageResult(self.number, device_id, *result))

    def event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        """Records what happened."""
        self._burn.event(level, kind, text, device_id)
