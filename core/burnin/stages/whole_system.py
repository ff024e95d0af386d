"""What strains the PSU: steps of load on all devices at once, and the whole system at its limit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from core.burnin.stages.context import StageContext
from core.burnin.stages.loading import LoadStage, LoadStageParams, LoadTask
from core.burnin.stages.stage import check_params
from core.burnin.stages.sweep import activity_of, with_hottest_format
from core.loads.table import BY_NAME as LOADS
from core.telemetry.device import Device, DeviceKind

MACHINE = "machine"
"""The load of the CPU."""


class WholeSystemParams(LoadStageParams):
    """What the stage can be asked for."""

    machine: dict[str, Any] = Field(default_factory=dict)
    """Parameters of the load on the CPU, memory and disk."""


class WholeSystem(LoadStage):
    """Matrix products in the hottest format on GPUs, the load of the machine on the CPU, burned in otherwise or not."""

    own_params = WholeSystemParams
    with_cpu = True

    @property
    def loads(self) -> tuple[str, ...]:
        """Of the GPUs and of the CPU."""
        return (*super().loads, MACHINE)

    def check(self, given: Mapping[str, Any], *, simulated: bool = False) -> None:
        """Raises BadInput that names the first wrong parameter, of either load."""
        super().check(given, simulated=simulated)
        check_params(LOADS[MACHINE].params, given.get("machine", {}), "params.machine")

    def tasks(self, context: StageContext) -> dict[str, LoadTask]:
        """For all that are burned in, and the CPU in any case."""
        return super().tasks(context) | {device_id: self.task(context, device_id) for device_id in context.companions}

    def params_on(self, device: Device, params: Mapping[str, Any]) -> dict[str, Any]:
        """The fault to inject is the products', which a CPU does not compute: that of its load is among `machine`."""
        found = super().params_on(device, params)
        if device.kind is DeviceKind.CPU:
            found.pop("inject", None)
        return found

    def task(self, context: StageContext, device_id: str) -> LoadTask:
        """What one device shall do."""
        device = context.live.devices[device_id].device
        if device.kind is DeviceKind.CPU:
            params = {"folder": str(context.run.folder)} | context.settings.params.get("machine", {})
            return LoadTask(MACHINE, params, context.settings.seconds)
        assert self.load is not None
        params = with_hottest_format(context, device_id)
        return LoadTask(
            self.load, self.params_on(device, params), context.settings.seconds, activity=activity_of(params)
        )


class Transients(LoadStage):
    """The loads step together: each goes by the monotonic clock, which the workers of a machine share."""

    def apart_s(self, context: StageContext, loads: int) -> float:
        """All start at once: loads that step together are what a PSU must stand."""
        del context, loads
        return 0.0
