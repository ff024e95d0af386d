"""Stages in which several devices run one load together, each in its own worker."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.burnin.record import Result, ResultStatus
from core.burnin.stages.fellows import Fellows
from core.burnin.stages.loading import Loads, LoadStage, Task
from core.telemetry.device import Device, DeviceKind

if TYPE_CHECKING:
    from core.burnin.underway import Underway


class TogetherStage(LoadStage):
    """All GPUs are one group; a CPU that is burned in alone is a group by itself and makes further ranks.

    The devices of a group find each other by a file. When one of them fails, the stage ends for all of its group.
    """

    def run(self, underway: Underway) -> None:
        """Every group at the same time."""
        able = [underway.devices[device_id].device for device_id in self.tasks(underway)]
        kinds = [[device.id for device in able if device.kind is kind] for kind in DeviceKind]
        for device_id, result in self.run_groups(underway, kinds, underway.seconds).items():
            underway.record(device_id, result)

    def run_groups(self, underway: Underway, wanted: Sequence[Sequence[str]], seconds: float) -> dict[str, Result]:
        """Runs the load once in each of these groups of ids, and gives the results when all are in."""
        groups = [group for names in wanted if (group := _usable(underway, names))]
        tasks = {m: self._task(underway, group, m, seconds) for group in groups for m in group}
        loads, fellows = Loads(underway, tasks, activity=self.activity), Fellows(underway, groups)
        results = fellows.judged(loads.run(lambda: fellows.watch(loads), lambda _id, _result: None))
        fellows.renew_workers()
        alone = "The other devices of its group are out of the run."
        return {
            member: results.get(member) or (ResultStatus.NOT_RUN, underway.devices[member].unusable or alone, {})
            for group in wanted
            for member in group
        }

    def _task(self, underway: Underway, group: Sequence[str], member: str, seconds: float) -> Task:
        assert self.load is not None
        place = {
            "rank": group.index(member),
            "size": len(group),
            "meeting": str(underway.meeting(f"{len(group)}-{group[0]}")),
            "devices": list(group),
        }
        params = self.params_on(underway.devices[member].device, underway.settings.params)
        return Task(self.load, params, seconds, place)


def alike(devices: Sequence[Device]) -> list[list[str]]:
    """The ids of devices of one model together, in the order of the devices."""
    names = list(dict.fromkeys(device.name for device in devices))
    return [[device.id for device in devices if device.name == name] for name in names]


def _usable(underway: Underway, group: Sequence[str]) -> list[str]:
    """Without the members that are out of the run; nobody where that leaves one of several."""
    left = [member for member in group if underway.devices[member].unusable is None]
    return left if len(left) > 1 or len(left) == len(group) else []
