"""The thermal soak: the number format that draws the most power, until temperature and power stand still."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from core.burnin.record.evidence import PowerEvidence, SoakEvidence, warned
from core.burnin.record.rows import EventLevel, Result, ResultStatus
from core.burnin.record.samples import Samples, between, held, mean, readings
from core.burnin.stages.loading import LoadStage, LoadStageParams, LoadTask, RunningLoads
from core.burnin.stages.stage import StageContext
from core.burnin.stages.sweep import activity_of, hottest, power_by_format, sweep_of
from core.loads.evidence import plain, read
from core.loads.products.contract import GemmEvidence
from core.machine.telemetry.throttle import ThrottleReason, reasons
from core.words import tr

LOOK_EVERY_S = 5.0
WINDOWS_TO_TELL = 3
"""A soak that was shorter than this cannot have been expected to become steady."""
FILL_PCT = 75.0
"""Of a GPU's memory that results go through, so that all of it gets warm; the profile may say otherwise."""
LEAST_WINDOW_S = 10.0
"""Fewer samples have no median."""
LONG_S = 2700.0
"""Number formats take turns in soaks that last so long, after half of it: until then it becomes steady in one."""
TOLERANCE_S = 3.0
"""The first sample comes a moment after the load has begun."""
STEPS_PER_WINDOW, MOST_STEPS = 10, 200
"""How finely the moment is looked for at which it became steady."""
EARLY = (0.4, 0.8)
"""Minutes 2 to 4 of windows of 5: warm enough to have left its first boost, far from steady."""


class SoakParams(LoadStageParams):
    """What the stage can be asked for."""

    min_seconds: Annotated[float, Field(ge=0)] = 900
    """It does not end before, however steady."""
    window_seconds: Annotated[float, Field(gt=0)] = 300
    """Medians over so long are compared with those over as long before."""
    steady_k: Annotated[float, Field(gt=0)] = 0.3
    """It is steady when the temperature changes by less than this from one window to the next."""
    steady_power_pct: Annotated[float, Field(gt=0)] = 1
    """And when the power changes by less than this."""
    rotate_formats: Annotated[int, Field(ge=1, le=16)] = 3
    """So many of the hottest number formats take turns in the second half of a soak of 45 minutes or more."""
    rotate_seconds: Annotated[float, Field(ge=1)] = 600
    """How long each turn lasts."""


class Soak(LoadStage):
    """Ends early when every device is steady; `seconds` is the longest that it takes."""

    own_params = SoakParams

    def task(self, context: StageContext, device_id: str) -> LoadTask:
        """The formats of the highest power in this run's sweep, where there was one and the profile names none."""
        assert self.load is not None
        params = {"fill_pct": FILL_PCT} | context.settings.params
        if not params.get("dtypes"):
            params |= self._hottest(context, device_id)
        load_params = self.params_on(context.devices[device_id].device, params)
        return LoadTask(self.load, load_params, context.settings.seconds, activity=activity_of(params))

    def _hottest(self, context: StageContext, device_id: str) -> dict[str, Any]:
        """The hottest format alone; in a long soak the next ones take turns with it in the second half."""
        own, long = self._own(context), context.settings.seconds >= LONG_S
        names = hottest(sweep_of(context, device_id), own.rotate_formats if long else 1)
        turns = {"rotate_s": own.rotate_seconds, "first_s": context.settings.seconds / 2} if len(names) > 1 else {}
        return {"dtypes": ",".join(names), **turns} if names else {}

    def watch(self, context: StageContext, loads: RunningLoads) -> None:
        """Ends the loads once all that still run are steady."""
        own = self._own(context)
        if context.elapsed_s < own.min_seconds or not loads.due(LOOK_EVERY_S):
            return
        samples = [context.samples(device_id) for device_id in loads.loading]
        if samples and all(is_steady(block, own) for block in samples):
            context.live.event(
                EventLevel.INFO, "steady", tr("Steady after {elapsed_s:.0f} s.", elapsed_s=context.elapsed_s)
            )
            loads.conclude()

    def conclude(self, context: StageContext, device_id: str, result: Result) -> Result:
        """Adds what was measured: the steady state, and how far the speed fell on the way to it."""
        status, reason, evidence = result
        own = self._own(context)
        samples, began_s = context.samples(device_id), context.began_s.get(device_id, context.started_s)
        first_s = self.task(context, device_id).params.get("first_s")
        alone = samples if first_s is None else between(samples, 0.0, began_s + first_s)
        shown = soak_evidence(alone, own)
        sweep = sweep_of(context, device_id)
        warnings = []
        could_tell = not context.run.shortened and context.elapsed_s >= WINDOWS_TO_TELL * own.window_seconds
        if status is ResultStatus.PASSED and could_tell and shown and shown.steady_after_s is None:
            warnings.append(
                tr("It did not become steady within {minutes:.0f} minutes.", minutes=context.elapsed_s / 60)
            )
        periods = read(GemmEvidence, evidence).periods or {}
        in_turns = power_by_format(samples, periods, began_s) if first_s is not None else None
        power = PowerEvidence(power_by_format_w=sweep or None, power_in_turns_w=in_turns or None)
        measured = evidence | (plain(shown) if shown else {}) | plain(power)
        return status, reason, warned(measured, *warnings)

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


def is_steady(samples: Samples, params: SoakParams) -> bool:
    """Whether the last two windows are alike in all of temperature and power that is measured; one of them must be."""
    if not len(samples) or samples[-1, 0] - samples[0, 0] < 2 * params.window_seconds - TOLERANCE_S:
        return False
    end_s = float(samples[-1, 0])
    middle_s = end_s - params.window_seconds
    before, after = between(samples, middle_s - params.window_seconds, middle_s), between(samples, middle_s, end_s)
    warmer = _change(before, after, "temperature_c")
    power, stronger = _median(before, "power_w"), _change(before, after, "power_w")
    alike = [
        *([abs(warmer) < params.steady_k] if warmer is not None else []),
        *([100 * abs(stronger) < params.steady_power_pct * power] if stronger is not None and power else []),
    ]
    return bool(alike) and all(alike)


def steady_after_s(samples: Samples, params: SoakParams) -> float | None:
    """Seconds from the first sample until it was steady for the first time; None where it never was."""
    if not len(samples):
        return None
    start_s, end_s = float(samples[0, 0]), float(samples[-1, 0])
    step_s = max(params.window_seconds / STEPS_PER_WINDOW, (end_s - start_s) / MOST_STEPS)
    for moment_s in np.arange(start_s + 2 * params.window_seconds, end_s + step_s, step_s):
        if is_steady(samples[samples[:, 0] <= moment_s], params):
            return round(float(min(moment_s, end_s)) - start_s, 1)
    return None


def soak_evidence(samples: Samples, params: SoakParams) -> SoakEvidence | None:
    """What the soak shows of cooling and power; None without samples."""
    if not len(samples):
        return None
    start_s, end_s = float(samples[0, 0]), float(samples[-1, 0])
    last = between(samples, end_s - params.window_seconds, end_s)
    early = between(samples, *(start_s + share * params.window_seconds for share in EARLY))
    limit, power = mean(last, "power_limit_w"), mean(last, "power_w")
    limiter, throttled = held(last), held_back_by(last)
    return SoakEvidence(
        steady_after_s=_rounded(steady_after_s(samples, params)),
        steady_temperature_c=_rounded(_median(last, "temperature_c")),
        steady_memory_temperature_c=_rounded(_median(last, "memory_temperature_c")),
        steady_margin_c=_rounded(_median(last, "margin_c")),
        steady_power_w=_rounded(power),
        share_of_limit_pct=_rounded(100 * power / limit if limit and power is not None else None),
        drift_pct=_rounded(_fall_pct(early, last, "throughput_tflops")),
        clock_drift_pct=_rounded(_fall_pct(early, last, "clock_mhz")),
        power_held_by=None if limiter is None else limiter.by.value,
        power_held_pct=None if limiter is None else limiter.share_pct,
        held_back_by=tuple(sorted(reason.title for reason in throttled)),
        held_back_codes=tuple(reason.name for reason in throttled),
    )


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, 2)


def held_back_by(samples: Samples) -> list[ThrottleReason]:
    """Why clocks were lowered in these samples, each reason once."""
    masks = np.unique(readings(samples, "throttle_mask")).astype(np.int64)
    return reasons(float(np.bitwise_or.reduce(masks)))


def _median(samples: Samples, name: str) -> float | None:
    values = readings(samples, name)
    return float(np.median(values)) if len(values) else None


def _change(before: Samples, after: Samples, name: str) -> float | None:
    first, second = _median(before, name), _median(after, name)
    return None if first is None or second is None else second - first


def _fall_pct(early: Samples, late: Samples, name: str) -> float | None:
    first, second = _median(early, name), _median(late, name)
    return None if not first or second is None else 100 * (first - second) / first
