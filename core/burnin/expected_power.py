"""What a burn-in will draw: said before the first load starts, so that nobody learns it from a breaker."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.asbuilt.recognition import same_card
from core.build.build import Build
from core.burnin.profile.profile import Profile
from core.burnin.stages.registry import BY_KIND
from core.parts.vocabulary import Category
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
    if not any(stage.loads for stage in kinds):
        return ExpectedPower(0.0, "No load will be put on.")
    simulated = "SIMULATED devices draw nothing; real ones: " if any(device.simulated for device in burned) else ""
    whole = any(stage.with_cpu for stage in kinds)
    if plan is not None and _is_all_of(plan, burned):
        wall = predict(plan).limits.wall_w[LoadCase.EVERYTHING if whole else LoadCase.TRAINING]
        figures = f"{wall.expected:.0f} W at the wall ({wall.low:.0f} to {wall.high:.0f})"
        told = f"{figures}, as predicted for {plan.name!r} at its limits"
        return ExpectedPower(wall.expected, f"{simulated}Expected under load: {told}.")
    return _by_limits(burned, simulated, whole=whole)


def _by_limits(burned: Sequence[Device], simulated: str, *, whole: bool) -> ExpectedPower:
    limits = Counter(device.power_limit_w for device in burned)
    unknown = limits.pop(None, 0)
    if not limits:
        return ExpectedPower(None, "What will be drawn is not known: no device reports its power limit.")
    known = {limit: count for limit, count in limits.items() if limit is not None}
    watts = sum(limit * count for limit, count in known.items())
    terms = " + ".join(f"{count} x {limit:.0f} W" for limit, count in known.items())
    least = "at least " if unknown else ""
    others = "the CPU under load, " if whole and all(d.kind is DeviceKind.GPU for d in burned) else ""
    return ExpectedPower(
        watts,
        f"{simulated}Expected under load: {least}{watts:.0f} W by the devices' power limits ({terms}); {others}"
        "the rest of the machine and the losses of its supply come on top.",
    )


def _is_all_of(plan: Build, burned: Sequence[Device]) -> bool:
    """Whether as many cards are burned in as the plan has, and each is of the plan."""
    gpus = [device for device in burned if device.kind is DeviceKind.GPU]
    of_plan = all(any(same_card(spec, device) for _, spec in plan.gpus()) for device in gpus)
    return bool(gpus) and of_plan and len(gpus) == plan.count(Category.GPU)
