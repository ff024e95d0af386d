"""The thermal soak: the number format that draws the most power, until temperature and power stand still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from core.burnin.record import EventLevel, Result, ResultStatus
from core.burnin.samples import between
from core.burnin.stages.loading import Loads, LoadStage, LoadStageParams, Task
from core.burnin.stages.steady import SteadyCriteria, is_steady, soak_evidence
from core.burnin.stages.sweep import activity_of, hottest, power_by_format, sweep_of

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext

LOOK_EVERY_S = 5.0
WINDOWS_TO_TELL = 3
"""A soak that was shorter than this cannot have been expected to become steady."""
FILL_PCT = 75.0
"""Of a GPU's memory that results go through, so that all of it gets warm; the profile may say otherwise."""
LEAST_WINDOW_S = 10.0
"""Fewer samples have no median."""
LONG_S = 2700.0
"""Number formats take turns in soaks that last so long, after half of it: until then it becomes steady in one."""


class SoakParams(LoadStageParams):
    """What the stage can be asked for."""

    min_seconds: Annotated[float, Field(ge=0)] = 900
    """It does not end before, however steady."""
    window_seconds: Annotated[float, Field(gt=0)] = 300
    """Medians over so long are compared with those over as long before."""
    steady_k: Annotated[float, Field(gt=0)] = 0.3
    """It is steady when the temperature changes by less than this from one window to the next,"""
    steady_power_pct: Annotated[float, Field(gt=0)] = 1
    """and the power by less than this."""
    rotate_formats: Annotated[int, Field(ge=1, le=16)] = 3
    """So many of the hottest number formats take turns in the second half of a soak of 45 minutes or more."""
    rotate_seconds: Annotated[float, Field(ge=1)] = 600
    """How long each turn lasts."""


class Soak(LoadStage):
    """Ends early when every device is steady; `seconds` is the longest that it takes."""

    own_params = SoakParams

    def task(self, context: StageContext, device_id: str) -> Task:
        """The formats of the highest power in this run's sweep, where there was one and the profile names none."""
        assert self.load is not None
        params = {"fill_pct": FILL_PCT} | context.settings.params
        if not params.get("dtypes"):
            params |= self._hottest(context, device_id)
        given = self.params_on(context.devices[device_id].device, params)
        return Task(self.load, given, context.seconds, activity=activity_of(params))

    def _hottest(self, context: StageContext, device_id: str) -> dict[str, Any]:
        """The hottest format alone; in a long soak the next ones take turns with it in the second half."""
        own, long = self._own(context), context.seconds >= LONG_S
        names = hottest(sweep_of(context, device_id), own.rotate_formats if long else 1)
        turns = {"rotate_s": own.rotate_seconds, "first_s": context.seconds / 2} if len(names) > 1 else {}
        return {"dtypes": ",".join(names), **turns} if names else {}

    def watch(self, context: StageContext, loads: Loads) -> None:
        """Ends the loads once all that still run are steady."""
        own = self._own(context)
        if context.elapsed_s < own.min_seconds or not context.due("steady", LOOK_EVERY_S):
            return
        samples = [context.samples(device_id) for device_id in loads.loading]
        if samples and all(is_steady(block, criteria(own)) for block in samples):
            context.event(EventLevel.INFO, "steady", f"Steady after {context.elapsed_s:.0f} s.")
            loads.conclude()

    def conclude(self, context: StageContext, device_id: str, result: Result) -> Result:
        """Adds what was measured: the steady state, and how far the speed fell on the way to it."""
        status, reason, evidence = result
        own = self._own(context)
        samples, began_s = context.samples(device_id), context.began_s.get(device_id, context.started_s)
        first_s = self.task(context, device_id).params.get("first_s")
        alone = samples if first_s is None else between(samples, 0.0, began_s + first_s)
        shown = soak_evidence(alone, criteria(own))
        sweep = sweep_of(context, device_id)
        warnings = list(evidence.get("warnings", []))
        could_tell = not context.run.shortened and context.elapsed_s >= WINDOWS_TO_TELL * own.window_seconds
        if status is ResultStatus.PASSED and could_tell and shown and shown["steady_after_s"] is None:
            warnings.append(f"It did not become steady within {context.elapsed_s / 60:.0f} minutes.")
        told = {"power_by_format_w": sweep} if sweep else {}
        if first_s is not None and (power := power_by_format(samples, evidence.get("periods", {}), began_s)):
            told["power_in_turns_w"] = power
        return status, reason, evidence | shown | told | ({"warnings": warnings} if warnings else {})

    def stretched(self, params: Mapping[str, Any], factor: float) -> dict[str, Any]:
        """The least time stretches with the longest; the windows never grow beyond what makes a steady state."""
        own = SoakParams(**self.own(params))
        scaled = {
            "min_seconds": own.min_seconds * factor,
            "window_seconds": max(own.window_seconds * min(factor, 1.0), min(own.window_seconds, LEAST_WINDOW_S)),
        }
        return {**params, **scaled}

    def _own(self, context: StageContext) -> SoakParams:
        return SoakParams(**self.own(context.settings.params))


def criteria(own: SoakParams) -> SteadyCriteria:
    """The parameters as what is asked of a steady state."""
    return SteadyCriteria(own.window_seconds, own.steady_k, own.steady_power_pct)
