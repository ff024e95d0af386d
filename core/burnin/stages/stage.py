"""What a stage is, and what it needs of devices: the one interface by which the runner drives every kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, create_model

from core.burnin.record.rows import Result, ResultStatus
from core.burnin.stages.context import StageContext
from core.loads.simulated.load import with_process_faults
from core.loads.table import BY_NAME as LOADS
from core.machine.telemetry.device import Device, DeviceKind
from core.words import plain, tr
from core.words.refusal import refused_as


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
