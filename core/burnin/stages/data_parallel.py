"""Data-parallel training over one device, two, and so on to all of a model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from core.burnin.record.rows import Result, ResultStatus
from core.burnin.stages.context import StageContext
from core.burnin.stages.loading import LoadStageParams
from core.burnin.stages.together import TogetherStage, alike
from core.language import plain, tr, trn
from core.loads.evidence import read
from core.loads.group.contract import DataParallelEvidence

WORST_FIRST = (ResultStatus.FAILED, ResultStatus.DIED, ResultStatus.STOPPED, ResultStatus.NOT_RUN, ResultStatus.PASSED)


class DataParallelParams(LoadStageParams):
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
        found: dict[str, dict[int, Result]] = {device.id: {} for device in able}
        models = alike(able)
        sizes = self._sizes(context, max((len(model) for model in models), default=0))
        for size in sizes:
            groups = [group for model in models for group in _split(_left(context, model), size)]
            for member, result in self.run_groups(context, groups, context.settings.seconds / len(sizes)).items():
                found[member][size] = result
        for device_id, by_size in found.items():
            context.record(device_id, joined(by_size))

    def _sizes(self, context: StageContext, most: int) -> list[int]:
        wanted = sorted(set(self.own(context.settings.params).get("sizes", ())))
        return [size for size in wanted or doubling(most) if size <= most] or ([most] if most else [])


def doubling(most: int) -> list[int]:
    """2, 4 and so on, and `most` itself."""
    return sorted({min(2**power, most) for power in range(1, most.bit_length() + 1)} - {0})


def joined(by_size: Mapping[int, Result]) -> Result:
    """One result of a device from those of all sizes: the worst, with the evidence of each."""
    if not by_size:
        return ResultStatus.NOT_RUN, tr("The other devices of its groups are out of the run."), {}
    if len(by_size) == 1:
        return next(iter(by_size.values()))
    size, (status, reason, _) = min(by_size.items(), key=lambda item: WORST_FIRST.index(item[1][0]))
    told = {number: read(DataParallelEvidence, result[2]) for number, result in by_size.items()}
    last = list(told.values())[-1]
    found = DataParallelEvidence(
        simulated=any(one.simulated for one in told.values()),
        checks=sum(one.checks or 0 for one in told.values()),
        errors=sum(one.errors or 0 for one in told.values()),
        warnings=tuple(
            tr("on {devices}: {text}", devices=_devices(number), text=text)
            for number, one in told.items()
            for text in one.warnings
        ),
        precision=last.precision,
        vouches_for=last.vouches_for,
        rates={
            plain("{name}, {devices}", name=name, devices=_devices(number)): rate
            for number, one in told.items()
            for name, rate in (one.rates or {}).items()
        },
        rate_unit=", ".join(sorted({one.rate_unit for one in told.values() if one.rate_unit})),
    )
    evidence = found.as_dict() | {"by_size": {str(number): result[2] for number, result in by_size.items()}}
    if status is ResultStatus.PASSED:
        return (
            status,
            tr("Trained on {sizes} devices: {reason}", sizes=", ".join(map(str, by_size)), reason=reason),
            evidence,
        )
    return status, tr("On {devices}: {reason}", devices=_devices(size), reason=reason), evidence


def _devices(number: int) -> str:
    return trn("{count} device", "{count} devices", count=number)


def _left(context: StageContext, model: list[str]) -> list[str]:
    return [member for member in model if context.devices[member].unusable is None]


def _split(model: list[str], size: int) -> list[list[str]]:
    """As many groups of that size as there are devices for."""
    return [model[start : start + size] for start in range(0, len(model) - size + 1, size)]
