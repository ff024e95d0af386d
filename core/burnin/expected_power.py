"""What a burn-in will draw: said before the first load starts, so that nobody learns it from a breaker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.asbuilt.recognition import same_card
from core.build.build import Build
from core.burnin.profile.profile import Profile
from core.burnin.stages.registry import BY_KIND
from core.language import lowered, plain, tr
from core.predict.conditions import LoadCase
from core.predict.prediction import predict
from core.telemetry.device import Device, DeviceKind


@dataclass(frozen=True, slots=True)
class ExpectedPower:
    """In W; None where no limit is known. `sentence` says where the figure comes from."""

    watts: float | None
    sentence: str


def expected_power(profile: Profile, burned: Sequence[Device], plan: Build | None) -> ExpectedPower:
    """Of the heaviest stage: by the plan's limits where all its cards are burned in, else by those of the devices.

    Nothing is taken off for heat: cards that are still cold draw all that they may.
    """
    kinds = [BY_KIND[stage.kind] for stage in profile.stages if stage.kind in BY_KIND]
    if not burned or not any(stage.loads for stage in kinds):
        return ExpectedPower(0.0, tr("No load will be applied."))
    simulated = any(device.simulated for device in burned)
    whole = any(stage.with_cpu for stage in kinds)
    if plan is not None and _is_all_of(plan, burned):
        wall = predict(plan).limits.wall_w[LoadCase.EVERYTHING if whole else LoadCase.TRAINING]
        told = tr(
            "Expected under load: {expected:.0f} W at the wall ({low:.0f} to {high:.0f}), as predicted for {plan} at "
            "its limits.",
            expected=wall.expected,
            low=wall.low,
            high=wall.high,
            plan=repr(plan.name),
        )
        return ExpectedPower(wall.expected, _marked(told, simulated=simulated))
    return _by_limits(burned, simulated=simulated, whole=whole)


def _marked(told: str, *, simulated: bool) -> str:
    return tr("SIMULATED devices draw nothing. Real ones: {told}", told=lowered(told)) if simulated else told


def _by_limits(burned: Sequence[Device], *, simulated: bool, whole: bool) -> ExpectedPower:
    limits = Counter(device.power_limit_w for device in burned)
    unknown = limits.pop(None, 0)
    if not limits:
        return ExpectedPower(None, tr("The power draw is not known: no device reports its power limit."))
    known = {limit: count for limit, count in limits.items() if limit is not None}
    watts = sum(limit * count for limit, count in known.items())
    terms = " + ".join(f"{count} x {limit:.0f} W" for limit, count in known.items())
    limited = plain("{watts:.0f} W", watts=watts)
    told = tr(
        "Expected under load: {power} from the devices' power limits ({terms}), plus {others}.",
        power=tr("at least {power}", power=limited) if unknown else limited,
        terms=terms,
        others=_others(with_cpu=whole and all(d.kind is DeviceKind.GPU for d in burned)),
    )
    return ExpectedPower(watts, _marked(told, simulated=simulated))


def _others(*, with_cpu: bool) -> str:
    if with_cpu:
        return tr("the CPU under load, the rest of the machine and PSU losses")
    return tr("the rest of the machine and PSU losses")


def _is_all_of(plan: Build, burned: Sequence[Device]) -> bool:
    """Whether as many GPUs are burned in as do work in the plan, and each is of the plan."""
    gpus = [device for device in burned if device.kind is DeviceKind.GPU]
    of_plan = all(any(same_card(spec, device) for _, spec in plan.gpus()) for device in gpus)
    return bool(gpus) and of_plan and len(gpus) == plan.worker_count
