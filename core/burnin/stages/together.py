"""Stages in which several devices run one load together, each in its own worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from core.burnin.record import EventLevel, Result, ResultStatus
from core.burnin.stages.fellows import Fellows
from core.burnin.stages.loading import Loads, LoadStage, Task
from core.telemetry.device import Device, DeviceKind

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext


GROUP_GRACE_S = 200.0
"""Ranks meet, and notice by themselves when one hangs: both have deadlines of their own that are shorter."""


class TogetherStage(LoadStage):
    """All GPUs are one group; a CPU that is burned in alone is a group by itself and makes further ranks.

    The devices of a group find each other by a file. When one of them fails, the stage ends for all of its group. A
    load may say how a group that hung can be tried once more.
    """

    def run(self, context: StageContext) -> None:
        """Every group at the same time."""
        able = [context.devices[device_id].device for device_id in self.tasks(context)]
        kinds = [[device.id for device in able if device.kind is kind] for kind in DeviceKind]
        for device_id, result in self.run_groups(context, kinds, context.seconds).items():
            context.record(device_id, result)

    def run_groups(self, context: StageContext, wanted: Sequence[Sequence[str]], seconds: float) -> dict[str, Result]:
        """Runs the load in each of these groups of ids, once more where it asks for it; the results of all members."""
        results = self._run_once(context, wanted, seconds, {})
        again = [group for group in wanted if _retry(group, results)]
        if not again or context.cut:
            return results
        changes = {member: change for group in again for member in group if (change := _retry(group, results))}
        words = ", ".join(f"{name} = {str(value).lower()}" for name, value in next(iter(changes.values())).items())
        context.event(EventLevel.WARN, "group", f"A group hung; it is tried once more with {words}.")
        second = self._run_once(context, again, seconds, changes)
        return results | {member: _second(results[member], result, words) for member, result in second.items()}

    def _run_once(
        self,
        context: StageContext,
        wanted: Sequence[Sequence[str]],
        seconds: float,
        changes: Mapping[str, Mapping[str, Any]],
    ) -> dict[str, Result]:
        groups = [group for names in wanted if (group := _usable(context, names))]
        tasks = {m: self._task(context, group, m, seconds) for group in groups for m in group}
        tasks = {m: replace(task, params={**task.params, **changes.get(m, {})}) for m, task in tasks.items()}
        loads = Loads(context, tasks, activity=self.activity, grace_s=GROUP_GRACE_S)
        fellows = Fellows(context, groups)
        results = fellows.judged(loads.run(lambda: fellows.watch(loads), lambda _id, _result: None))
        fellows.renew_workers()
        alone = "The other devices of its group are out of the run."
        return {
            member: results.get(member) or (ResultStatus.NOT_RUN, context.devices[member].unusable or alone, {})
            for group in wanted
            for member in group
        }

    def _task(self, context: StageContext, group: Sequence[str], member: str, seconds: float) -> Task:
        assert self.load is not None
        place = {
            "rank": group.index(member),
            "size": len(group),
            "meeting": str(context.meeting(f"{len(group)}-{group[0]}")),
            "devices": list(group),
        }
        params = self.params_on(context.devices[member].device, context.settings.params)
        return Task(self.load, params, seconds, place)


def alike(devices: Sequence[Device]) -> list[list[str]]:
    """The ids of devices of one model together, in the order of the devices."""
    names = list(dict.fromkeys(device.name for device in devices))
    return [[device.id for device in devices if device.name == name] for name in names]


def _usable(context: StageContext, group: Sequence[str]) -> list[str]:
    """Without the members that are out of the run; nobody where that leaves one of several."""
    left = [member for member in group if context.devices[member].unusable is None]
    return left if len(left) > 1 or len(left) == len(group) else []


def _retry(group: Sequence[str], results: Mapping[str, Result]) -> Mapping[str, Any] | None:
    """The parameters with which a group shall be tried again, where one of its members says so."""
    asked = (results[member][2].get("retry_with") for member in group if member in results)
    return next((change for change in asked if change), None)


def _second(first: Result, second: Result, words: str) -> Result:
    """What failed at first and works with other parameters is a finding, but the device can be used so."""
    status, reason, evidence = second
    told = {"first_attempt": {"status": first[0].value, "reason": first[1]}}
    if status is not ResultStatus.PASSED or first[0] is ResultStatus.PASSED:
        return status, reason, evidence | told
    warning = f"It works only with {words}. Without it: {first[1]}"
    return status, reason, evidence | told | {"warnings": [*evidence.get("warnings", []), warning]}
