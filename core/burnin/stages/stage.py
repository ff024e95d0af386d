"""What a stage is: the one interface by which the runner drives every kind of stage."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError, create_model

from core.burnin.record import Result, ResultStatus
from core.burnin.stages.needs import Need
from core.errors import BadInput
from core.loads.simulated.series import with_process_faults
from core.loads.table import BY_NAME as LOADS
from core.refusal import first_refusal
from core.telemetry.device import Device

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext


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
        """Runs to its end, or until `context.cut`, and records a result for every burned device."""

    def fraction(self, context: StageContext) -> float:
        """Progress, 0 to 1."""
        return min(1.0, context.elapsed_s / context.seconds)

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

    def check(self, given: Mapping[str, Any], *, simulated: bool = False) -> None:
        """Raises BadInput that names the first wrong parameter. Simulated loads can also die and hang on purpose."""
        model: Any = self.params
        check_params(with_process_faults(model) if simulated and self.load else model, given, "params")

    def own(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The stage's own among the parameters."""
        return {name: value for name, value in given.items() if name in self.own_params.model_fields}

    def of_load(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The load's among the parameters."""
        return {name: value for name, value in given.items() if name not in self.own_params.model_fields}


def check_params(model: type[BaseModel], given: Mapping[str, Any], place: str) -> None:
    """Raises BadInput with the place of the first wrong parameter."""
    try:
        model.model_validate(given)
    except ValidationError as error:
        field, reason = first_refusal(error)
        raise BadInput(f"{place}.{field}: {reason}.") from error
