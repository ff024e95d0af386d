"""Stages in which device groups run a load together, each device in its own worker: whoever fails is named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.record.evidence import warned
from core.burnin.record.rows import EventLevel, Result, ResultStatus
from core.burnin.stages import loading
from core.burnin.stages.stage import StageContext
from core.loads.evidence import read
from core.loads.group.contract import DataParallelEvidence, GroupEvidence
from core.machine.telemetry.device import Device, DeviceKind
from core.words import plain, tr, trn

GROUP_GRACE_S = 200.0
"""Ranks meet, and notice by themselves when one hangs: both have deadlines of their own that are shorter."""
LEFT_BEHIND_S = 5.0
"""When one has ended badly but in order, the others may end by themselves for so long before they are stopped."""
ERROR = "error"
"""The kind of fault that a worker also reports when another one left it; wrong results are of other kinds."""


_FOR_GOOD = {ResultStatus.FAILED, ResultStatus.DIED}


class TogetherStage(loading.LoadStage):
    """All GPUs are one group; a CPU that is burned in alone is a group by itself and makes further ranks.

    The devices of a group find each other by a file. When one of them fails, the stage ends for all of its group. A
    load may say how a group that hung can be tried once more.
    """

    def run(self, context: StageContext) -> None:
        """Every group at the same time."""
        able = [context.devices[device_id].device for device_id in self.tasks(context)]
        kinds = [[device.id for device in able if device.kind is kind] for kind in DeviceKind]
        for device_id, result in self.run_groups(context, kinds, context.settings.seconds).items():
            context.record(device_id, result)

    def run_groups(self, context: StageContext, groups: Sequence[Sequence[str]], seconds: float) -> dict[str, Result]:
        """Runs the load in each of these groups of ids, once more where it asks for it; the results of all members."""
        results = self._run_whole(context, groups, seconds)
        again = [group for group in groups if _retry(group, results)]
        if not again or context.live.cut:
            return results
        changes = {member: change for group in again for member in group if (change := _retry(group, results))}
        words = ", ".join(f"{name} = {str(value).lower()}" for name, value in next(iter(changes.values())).items())
        context.live.event(EventLevel.WARN, "group", tr("A group hung; it is retried once with {words}.", words=words))
        second = self._run_once(context, again, seconds, changes)
        return results | {member: _second(results[member], result, words) for member, result in second.items()}

    def _run_whole(self, context: StageContext, groups: Sequence[Sequence[str]], seconds: float) -> dict[str, Result]:
        """A group that a frozen process of ours ended begins anew as a whole, for the rest of its time."""
        pieces: dict[str, list[loading.Piece]] = {member: [] for group in groups for member in group}
        left_s = seconds
        while groups:
            began_s = context.live.now()
            for member, result in self._run_once(context, groups, left_s, {}).items():
                pieces[member].append(loading.Piece(began_s, context.devices[member].ran_s, result))
            parts = next((len(own) for own in pieces.values() if own), 0)
            groups = [group for group in groups if self._was_interrupted(context, group, pieces)]
            if not groups or context.live.cut or parts > loading.MOST_RESTARTS:
                break
            left_s = max(loading.rest_s(seconds, pieces[member]) for group in groups for member in group)
            text = tr("The group is started again for the remaining {seconds:.0f} s.", seconds=left_s)
            context.live.event(EventLevel.WARN, "again", text)
            context.live.wait_until_ready([context.devices[member] for group in groups for member in group])
        return {member: loading.as_one(own) for member, own in pieces.items() if own}

    def _was_interrupted(
        self, context: StageContext, group: Sequence[str], pieces: Mapping[str, Sequence[loading.Piece]]
    ) -> bool:
        """Whether nothing else ended it: nobody found a fault or died."""
        ended = {pieces[member][-1].result[0] for member in group if pieces[member]}
        return any(context.devices[member].interrupted for member in group) and not ended & _FOR_GOOD

    def _run_once(
        self,
        context: StageContext,
        groups: Sequence[Sequence[str]],
        seconds: float,
        changes: Mapping[str, Mapping[str, Any]],
    ) -> dict[str, Result]:
        usable = [group for names in groups if (group := _usable(context, names))]
        tasks = {m: self._task(context, group, m, seconds) for group in usable for m in group}
        tasks = {m: replace(task, params={**task.params, **changes.get(m, {})}) for m, task in tasks.items()}
        loads = loading.RunningLoads(context, tasks, activity=self.activity, grace_s=GROUP_GRACE_S)
        device_groups = [DeviceGroup(context, members) for members in usable]

        def watch() -> None:
            for device_group in device_groups:
                device_group.watch(loads)

        results = loads.run(watch, lambda _id, _result: None)
        for device_group in device_groups:
            results |= device_group.judged(results)
        _renew_workers(context, device_groups)
        alone = tr("The other devices of its group are out of the run.")
        return {
            member: results.get(member) or (ResultStatus.NOT_RUN, context.devices[member].unusable or alone, {})
            for group in groups
            for member in group
        }

    def _task(self, context: StageContext, group: Sequence[str], member: str, seconds: float) -> loading.LoadTask:
        assert self.load is not None
        place = {
            "rank": group.index(member),
            "size": len(group),
            "meeting": str(_meeting(context, f"{len(group)}-{group[0]}")),
            "devices": list(group),
        }
        params = self.params_on(context.devices[member].device, context.settings.params)
        return loading.LoadTask(self.load, params, seconds, place)


def _meeting(context: StageContext, name: str) -> Path:
    """A file that does not exist yet, by which the workers of a group find each other."""
    path = context.run.folder / f"meeting-{context.number}-{name}"
    for left in (path, *path.parent.glob(f"{path.name}.*")):  # the place, and the roll of who came to it before
        left.unlink(missing_ok=True)
    return path


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
    changes = (read(GroupEvidence, results[member][2]).retry_with for member in group if member in results)
    return next((change for change in changes if change), None)


def _second(first: Result, second: Result, words: str) -> Result:
    """What failed at first and works with other parameters is a finding, but the device can be used so."""
    status, reason, evidence = second
    attempt = {"first_attempt": {"status": first[0].value, "reason": first[1]}}
    if status is not ResultStatus.PASSED or first[0] is ResultStatus.PASSED:
        return status, reason, evidence | attempt
    warning = tr("It works only with {words}. Without it: {reason}", words=words, reason=first[1])
    return status, reason, warned(evidence | attempt, warning)


class DeviceGroup:
    """Devices that run a load together, by id, from its start to their results: nobody waits for one that failed."""

    def __init__(self, context: StageContext, members: Sequence[str]) -> None:
        self._context = context
        self._members = members
        self._left_since_s: float | None = None
        """When its first member ended badly."""
        self._noted = False

    def watch(self, loads: loading.RunningLoads) -> None:
        """Between turns: stops those who were left by another member."""
        bad = [m for m in self._members if m in loads.results and loads.results[m][0] is not ResultStatus.PASSED]
        if not bad:
            return
        if self._left_since_s is None:
            self._left_since_s = self._context.live.now()
        gone = any(self._device(member).unusable for member in bad)
        if gone or self._context.live.now() - self._left_since_s >= LEFT_BEHIND_S:
            self._stop(loads)

    def judged(self, results: Mapping[str, Result]) -> dict[str, Result]:
        """The members' results, in which one that was only left by another is stopped, not failed."""
        culprit = self._culprit(results)
        if culprit is None:
            return {}
        return {member: self._beside(culprit, member, results) for member in self._members if member != culprit}

    def to_renew(self) -> list[DeviceUnderTest]:
        """Members that need a new worker: the group of theirs is broken, or it had to be ended."""
        left = [self._device(member) for member in self._members if not self._is_out(member)]
        broken = len(left) < len(self._members)
        return [device for device in left if broken or device.did_not_stop]

    def _stop(self, loads: loading.RunningLoads) -> None:
        waiting = [member for member in self._members if member in loads.loading]
        for member in waiting:
            self._device(member).stop_load(self._context.live.now())
        if waiting and not self._noted:
            self._noted = True
            culprit = self._culprit(loads.results)
            text = tr("The stage was ended for the other devices.")
            if culprit:
                gone = self._device(culprit).device.title
                text = tr("{device} is gone: the stage was ended for the other devices.", device=gone)
            self._context.live.event(EventLevel.ERROR, "group", text)

    def _culprit(self, results: Mapping[str, Result]) -> str | None:
        """The member to which the end of the group is owed: gone first of all, or with wrong results of its own."""
        ended = [member for member in results if member in self._members]
        gone = [m for m in ended if self._is_out(m)]
        wrong = [m for m in ended if results[m][0] is ResultStatus.FAILED and self._computed_wrongly(m)]
        return next(iter(gone + wrong), None)

    def _beside(self, culprit: str, member: str, results: Mapping[str, Result]) -> Result:
        status, _, evidence = results[member]
        if status is ResultStatus.PASSED or self._computed_wrongly(member) or self._is_out(member):
            return results[member]
        why = results[culprit][1]
        reason = tr("It was ended because of {device}: {why}", device=self._device(culprit).device.title, why=why)
        return ResultStatus.STOPPED, reason, {**evidence, "because_of": culprit}

    def _is_out(self, member: str) -> bool:
        """Whether it died or was taken out, and not for the sake of the group."""
        device = self._device(member)
        return device.unusable is not None and not device.did_not_stop

    def _computed_wrongly(self, member: str) -> bool:
        return bool(self._device(member).fault_kinds - {ERROR})

    def _device(self, member: str) -> DeviceUnderTest:
        return self._context.devices[member]


def _renew_workers(context: StageContext, groups: Sequence[DeviceGroup]) -> None:
    """New workers for those that were left, unless the run ends."""
    if context.live.stopped is not None:
        return
    left = [device for group in groups for device in group.to_renew()]
    for device in left:
        device.renew()
    context.live.wait_until_ready(left)


WORST_FIRST = (ResultStatus.FAILED, ResultStatus.DIED, ResultStatus.STOPPED, ResultStatus.NOT_RUN, ResultStatus.PASSED)


class DataParallelParams(loading.LoadStageParams):
    """What the stage can be asked for."""

    sizes: tuple[Annotated[int, Field(ge=1, le=64)], ...] = ()
    """On how many devices one after another; without it on two, four and so on, and at last on all of a model.

    While fewer than all train together, several groups of that size do so at the same time. What one device does alone
    is part of every size.
    """


class DataParallel(TogetherStage):
    """The time is shared evenly among the sizes. A CPU alone is one group, whose size the load chooses."""

    own_params = DataParallelParams

    def run(self, context: StageContext) -> None:
        """One size after another."""
        able = [context.devices[device_id].device for device_id in self.tasks(context)]
        by_device: dict[str, dict[int, Result]] = {device.id: {} for device in able}
        models = alike(able)
        sizes = self._sizes(context, max((len(model) for model in models), default=0))
        for size in sizes:
            groups = [group for model in models for group in _split(_left(context, model), size)]
            for member, result in self.run_groups(context, groups, context.settings.seconds / len(sizes)).items():
                by_device[member][size] = result
        for device_id, by_size in by_device.items():
            context.record(device_id, joint_result(by_size))

    def _sizes(self, context: StageContext, most: int) -> list[int]:
        sizes = sorted(set(self.own(context.settings.params).get("sizes", ())))
        return [size for size in sizes or doubling(most) if size <= most] or ([most] if most else [])


def doubling(most: int) -> list[int]:
    """2, 4 and so on, and `most` itself."""
    return sorted({min(2**power, most) for power in range(1, most.bit_length() + 1)} - {0})


def joint_result(by_size: Mapping[int, Result]) -> Result:
    """One result of a device from those of all sizes: the worst, with the evidence of each."""
    if not by_size:
        return ResultStatus.NOT_RUN, tr("The other devices of its groups are out of the run."), {}
    if len(by_size) == 1:
        return next(iter(by_size.values()))
    size, (status, reason, _) = min(by_size.items(), key=lambda item: WORST_FIRST.index(item[1][0]))
    by_number = {number: read(DataParallelEvidence, result[2]) for number, result in by_size.items()}
    last = list(by_number.values())[-1]
    joint = DataParallelEvidence(
        simulated=any(one.simulated for one in by_number.values()),
        checks=sum(one.checks or 0 for one in by_number.values()),
        errors=sum(one.errors or 0 for one in by_number.values()),
        warnings=tuple(
            tr("on {devices}: {text}", devices=_devices(number), text=text)
            for number, one in by_number.items()
            for text in one.warnings
        ),
        precision=last.precision,
        vouches_for=last.vouches_for,
        rates={
            plain("{name}, {devices}", name=name, devices=_devices(number)): rate
            for number, one in by_number.items()
            for name, rate in (one.rates or {}).items()
        },
        rate_unit=", ".join(sorted({one.rate_unit for one in by_number.values() if one.rate_unit})),
    )
    evidence = joint.as_dict() | {"by_size": {str(number): result[2] for number, result in by_size.items()}}
    if status is ResultStatus.PASSED:
        fields = {"sizes": ", ".join(map(str, by_size)), "reason": reason}
        return status, tr("Trained on {sizes} devices: {reason}", **fields), evidence
    return status, tr("On {devices}: {reason}", devices=_devices(size), reason=reason), evidence


def _devices(number: int) -> str:
    return trn("{count} device", "{count} devices", count=number)


def _left(context: StageContext, model: list[str]) -> list[str]:
    return [member for member in model if context.devices[member].unusable is None]


def _split(model: list[str], size: int) -> list[list[str]]:
    """As many groups of that size as there are devices for."""
    return [model[start : start + size] for start in range(0, len(model) - size + 1, size)]
