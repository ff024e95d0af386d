"""What a stage is, what it needs of devices, what it sees of its run, and what it may do to it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

from pydantic import BaseModel, ConfigDict, create_model

from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.children.sensors import Sensors
from core.burnin.planned import read_plan
from core.burnin.profile.profile import StageSettings
from core.burnin.record.incidents import Incidents
from core.burnin.record.patient_store import OpenedRun
from core.burnin.record.rows import EventLevel, Reason, Result, ResultStatus, StageResult
from core.burnin.record.samples import Samples
from core.burnin.record.store import RunStore
from core.loads.simulated.load import with_process_faults
from core.loads.table import BY_NAME as LOADS
from core.machine.asbuilt.as_built import AsBuilt
from core.machine.telemetry.device import Device, DeviceKind
from core.plan.build import Build
from core.words import plain, tr
from core.words.refusal import refused_as

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


class StageParams(BaseModel):
    """What a stage can be asked for by itself, beside the parameters of its load."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class Stage(ABC):
    """One kind of stage. It holds no state of a run: that is in `StageContext`."""

    own_params: ClassVar[type[StageParams]] = StageParams
    with_cpu: ClassVar[bool] = False
    """Whether the CPU takes part even where only GPUs are burned in."""

    def __init__(
        self,
        kind: str,
        title: str,
        *,
        finds: str,
        seconds: float,
        load: str | None = None,
        needs: tuple[Need, ...] = (),
    ) -> None:
        self.kind = kind
        self.title = title
        self.finds = finds
        """The faults that it is there for."""
        self.seconds = seconds
        """How long it takes where nobody says otherwise."""
        self.load = load
        """Name in the table of loads; None where the runner only watches."""
        self.needs = needs

    @property
    def loads(self) -> tuple[str, ...]:
        """Names of all loads that it puts on."""
        return () if self.load is None else (self.load,)

    @abstractmethod
    def run(self, context: StageContext) -> None:
        """Runs to its end, or until `context.live.cut`, and records a result for every burned device."""

    def fraction(self, context: StageContext) -> float:
        """Progress, 0 to 1."""
        return min(1.0, context.elapsed_s / context.settings.seconds)

    def lacks(self, device: Device, burned: Sequence[Device]) -> Result | None:
        """The result on a device that lacks what the stage needs: NOT RUN with the reason. None where it can run."""
        for need in self.needs:
            if reason := need.lacking(device, burned):
                return ResultStatus.NOT_RUN, reason, {"needs": need.words}
        return None

    def stretched(self, params: Mapping[str, Any], factor: float) -> dict[str, Any]:
        """The parameters for a stage that takes `factor` times as long."""
        del factor
        return dict(params)

    # -- parameters -----------------------------------------------------------------------------------------------

    @cached_property
    def params(self) -> type[BaseModel]:
        """All that `params` of the profile may hold: the stage's own and its load's."""
        if self.load is None:
            return self.own_params
        bases = (self.own_params, LOADS[self.load].params)
        return create_model(f"{type(self).__name__} {self.kind}", __base__=bases, __doc__=f"Parameters of {self.kind}.")

    def check(self, params: Mapping[str, Any], *, simulated: bool = False) -> None:
        """Raises BadInput that names the first wrong parameter. Simulated loads can also die and hang on purpose."""
        model: Any = self.params
        check_params(with_process_faults(model) if simulated and self.load else model, params, "params")

    def own(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The stage's own among the parameters."""
        return {name: value for name, value in params.items() if name in self.own_params.model_fields}

    def of_load(self, params: Mapping[str, Any]) -> dict[str, Any]:
        """The load's among the parameters."""
        return {name: value for name, value in params.items() if name not in self.own_params.model_fields}


def check_params(model: type[BaseModel], params: Mapping[str, Any], stage: str) -> None:
    """Raises BadInput with the place of the first wrong parameter."""
    with refused_as(lambda place, reason: plain("{stage}.{place}: {reason}.", stage=stage, place=place, reason=reason)):
        model.model_validate(params)


@dataclass(frozen=True, slots=True)
class Need:
    """`lacking` gives the reason why a device among the burned ones cannot run the stage; None where it can."""

    words: str
    lacking: Callable[[Device, Sequence[Device]], str | None]


def _no_gpu(device: Device, _: Sequence[Device]) -> str | None:
    return None if device.kind is DeviceKind.GPU else tr("It needs a GPU; this is the machine's CPU.")


def _no_peer(device: Device, burned: Sequence[Device]) -> str | None:
    gpus = [other for other in burned if other.kind is DeviceKind.GPU and not other.parent]
    if device.kind is not DeviceKind.GPU:
        return _no_gpu(device, burned)
    if device.parent:
        return tr("It needs whole GPUs: MIG instances have no link to each other.")
    return None if len(gpus) > 1 else tr("It needs at least two GPUs; only one is burned in.")


def _no_ranks(device: Device, burned: Sequence[Device]) -> str | None:
    """A CPU that is burned in alone shares itself among several ranks."""
    if device.kind is DeviceKind.GPU:
        return _no_peer(device, burned)
    alone = all(other.kind is DeviceKind.CPU for other in burned)
    return None if alone else tr("The GPUs do this together; the CPU has no part in it.")


def _no_twin(device: Device, burned: Sequence[Device]) -> str | None:
    is_whole = device.kind is DeviceKind.GPU and not device.parent
    if is_whole and not any(o.name == device.name and o.id != device.id for o in burned):
        return tr("It needs at least two devices of one model; there is only one {name}.", name=device.name)
    return _no_ranks(device, burned)


GPU = Need("a GPU", _no_gpu)
SEVERAL_RANKS = Need(tr("two GPUs, or a CPU alone"), _no_ranks)
SEVERAL_ALIKE = Need(tr("two GPUs of one model, or a CPU alone"), _no_twin)
