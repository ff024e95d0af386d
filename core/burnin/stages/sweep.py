"""The sweep over number formats, with the power that each draws; what strains the PSU: steps of load on all devices at
once, and the whole system in the hottest format.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pydantic import Field

from core.burnin.record.evidence import PowerEvidence
from core.burnin.record.rows import Result
from core.burnin.record.samples import Samples, between, mean
from core.burnin.stages.loading import LoadStage, LoadStageParams, LoadTask
from core.burnin.stages.stage import StageContext, check_params
from core.loads.evidence import plain, read
from core.loads.products.contract import GemmEvidence
from core.loads.products.turns import BESIDE_MEMORY, beside_memory
from core.loads.table import BY_NAME as LOADS
from core.machine.telemetry.device import Device, DeviceKind
from core.words.phrasing import names_in

KIND = "gemm"
WARM_UP_SHARE = 0.25
"""Of a format's time is left out: power is a mean over the last second or so, and clocks settle."""
BESIDE_PCT = 25.0
"""Of a format's time a memory stream runs beside the products, to see whether the card draws more with it."""
RAISES = 1.02
"""A memory stream that raises the power by less is not worth the speed that it takes from the products."""
BESIDE_ACTIVITY = 1.1
"""How busy products beside a memory stream keep a simulated card."""
NEARLY_AS_HOT = 0.85
"""Of the power of the hottest format, that others must draw to take turns with it."""


class Sweep(LoadStage):
    """Matrix products in one number format after another; the evidence of the load tells when each of them ran."""

    def task(self, context: StageContext, device_id: str) -> LoadTask:
        """On GPUs also beside a memory stream, where the profile does not say for how long."""
        task = super().task(context, device_id)
        if context.devices[device_id].device.kind is not DeviceKind.GPU:
            return task
        return replace(task, params={"beside_memory_pct": BESIDE_PCT} | dict(task.params))

    def conclude(self, context: StageContext, device_id: str, result: Result) -> Result:
        """Adds the mean power by format, where power is measured."""
        status, reason, evidence = result
        began_s = context.began_s.get(device_id, context.started_s)
        power = power_by_format(context.samples(device_id), read(GemmEvidence, evidence).periods or {}, began_s)
        return status, reason, evidence | plain(PowerEvidence(power_by_format_w=power or None))


def power_by_format(samples: Samples, periods: Mapping[str, Sequence[float]], began_s: float) -> dict[str, float]:
    """Mean power in W by format. `periods` are start and end of each in s after the load began."""
    by_format = {}
    for name, (start_s, end_s) in periods.items():
        settled_s = start_s + WARM_UP_SHARE * (end_s - start_s)
        power = mean(between(samples, began_s + settled_s, began_s + end_s), "power_w")
        if power is not None:
            by_format[name] = round(power, 1)
    return by_format


def sweep_of(context: StageContext, device_id: str) -> dict[str, float]:
    """Mean power in W by number format, from the last sweep of this run on the device; empty where there was none."""
    for _, results in reversed(context.earlier(KIND)):
        if device_id in results and (by_format := results[device_id].evidence_as(PowerEvidence).power_by_format_w):
            return dict(by_format)
    return {}


def hottest(power_w: Mapping[str, float], most: int = 1) -> list[str]:
    """The formats of the highest power, hottest first, each beside a memory stream where that raised its power."""
    best = {}
    for name, plain_w in power_w.items():
        if not name.endswith(BESIDE_MEMORY):
            beside_w = power_w.get(beside_memory(name), 0.0)
            raised = beside_w >= RAISES * plain_w
            best[beside_memory(name) if raised else name] = beside_w if raised else plain_w
    order = sorted(best, key=lambda name: -best[name])
    return [name for name in order if best[name] >= NEARLY_AS_HOT * best[order[0]]][:most]


def with_hottest_format(context: StageContext, device_id: str) -> dict[str, Any]:
    """The stage's parameters, with the format that drew the most power in the sweep where the profile names none."""
    params = dict(context.settings.params)
    if not params.get("dtypes") and (formats := hottest(sweep_of(context, device_id))):
        params["dtypes"] = formats[0]
    return params


def activity_of(params: Mapping[str, Any]) -> float | None:
    """How busy products with these parameters keep a simulated card, where that is more than products alone do."""
    names = names_in(str(params.get("dtypes", "")))
    return BESIDE_ACTIVITY if names and names[0].endswith(BESIDE_MEMORY) else None


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

    def check(self, params: Mapping[str, Any], *, simulated: bool = False) -> None:
        """Raises BadInput that names the first wrong parameter, of either load."""
        super().check(params, simulated=simulated)
        check_params(LOADS[MACHINE].params, params.get("machine", {}), "params.machine")

    def tasks(self, context: StageContext) -> dict[str, LoadTask]:
        """For all that are burned in, and the CPU in any case."""
        return super().tasks(context) | {device_id: self.task(context, device_id) for device_id in context.companions}

    def params_on(self, device: Device, params: Mapping[str, Any]) -> dict[str, Any]:
        """The fault to inject is the products', which a CPU does not compute: that of its load is among `machine`."""
        load_params = super().params_on(device, params)
        if device.kind is DeviceKind.CPU:
            load_params.pop("inject", None)
        return load_params

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
