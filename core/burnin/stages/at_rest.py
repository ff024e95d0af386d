"""Devices at rest: the idle baseline before a run, and whether the cool-down comes back to it."""

from __future__ import annotations

from typing import Any

import numpy as np

from core.burnin.record.rows import Result, ResultStatus
from core.burnin.record.samples import Samples, column, known, mean, means
from core.burnin.stages.context import WHOLE_RUN_S, StageContext
from core.burnin.stages.watching import StageFindings, WatchingStage
from core.language import joined, plain, tr, trc
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import BY_NAME, LOAD_METRICS, METRICS, Reading

IDLE_POWER_SHARE_WARN = 0.25
"""Of the power limit; more at rest points to another program, a stuck clock or a display."""
BUSY_AT_REST_PCT = 20.0
LOOKS_BACK_S = 1.0
"""NVML's utilisation and average power cover up to so long before a reading: at first, still the load that ended."""
FROZEN_AFTER = 60
"""So many equal readings of power, to 0.01 W, are no measurement: a sensor of a card that rests still trembles."""
AT_REST = {
    "temperature_c": tr("temperature"),
    "memory_temperature_c": tr("memory temperature"),
    "power_w": tr("power"),
    "utilisation_pct": tr("utilisation"),
    "clock_mhz": tr("clock"),
    "fan_pct": trc("figure", "fan"),
    "fan_rpm": tr("fan speed"),
}
"""Metrics that are told of a device at rest, within a sentence."""
FIGURES = {name: f"{{what}} {{value:.0f}} {BY_NAME[name].unit}" for name in AT_REST}
LAST = 5
"""Samples at the end that tell whether it is at rest."""
MORE_POWER = 1.5
"""Times the power before the run, and at least so many watts more, is not at rest:"""
LEAST_W = 15.0
"""a warm card leaks a little more, and its fans still turn."""
CLOCK_SHARE = 0.75
"""Of the fastest clock of the run; a card at rest falls far below."""
ENOUGH_S = 20.0
"""Drivers keep clocks up for some seconds after the last program."""
NOT_COOLED = tr("The temperature is not measured on this device: whether it cooled down is not known.")


class Idle(WatchingStage):
    """Nothing runs, no worker of ours either; the figures of this stage are what the cool-down is compared with."""

    looks_back_s = LOOKS_BACK_S

    def look(self, context: StageContext, device: Device, samples: Samples) -> Result:
        """Warns of power without work, of other programs, and of a power reading that stands still."""
        del context
        return look_at_rest(device, samples)


def look_at_rest(device: Device, samples: Samples) -> Result:
    """Pure: the figures at rest as evidence, what is odd about them as warnings. NOT RUN where no sensor reports.

    `samples` are the stage's; the figures are means over those that no longer cover what ran before it.
    """
    resting = samples[samples[:, 0] >= samples[:1, 0] + LOOKS_BACK_S]
    evidence: dict[str, Any] = means(resting if len(resting) else samples[-1:], tuple(AT_REST))
    if not evidence:
        return ResultStatus.NOT_RUN, tr("No sensor of this device reports: nothing at rest was measured."), {}
    found = StageFindings(evidence)
    power, busy = evidence.get("power_w"), evidence.get("utilisation_pct")
    is_gpu = device.kind is DeviceKind.GPU
    if is_gpu and power and device.power_limit_w and power > IDLE_POWER_SHARE_WARN * device.power_limit_w:
        text = tr("It draws {power:.0f} W at rest, a quarter of its limit or more.", power=power)
        found.warnings.append(joined([text, tr("A display is connected to it.")]) if device.display else text)
    if busy is not None and busy > BUSY_AT_REST_PCT:
        found.warnings.append(tr("It is {busy:.0f} % busy at rest: another program uses it.", busy=busy))
    if stands_still(samples, "power_w"):
        found.warnings.append(tr("The power reading stays at {power:.2f} W: the sensor may be frozen.", power=power))
    figures = joined((plain(FIGURES[name], what=AT_REST[name], value=value) for name, value in evidence.items()), ", ")
    return found.result(tr("At rest: {figures}.", figures=figures))


def stands_still(samples: Samples, name: str) -> bool:
    """Whether a metric was read often enough to tell, and gave the same to 0.01 every time."""
    values = known(samples, name)
    return len(values) >= FROZEN_AFTER and bool(np.ptp(values) < 0.01)


class Cooldown(WatchingStage):
    """Nothing runs any more. The idle baseline of the same run, where there is one, says what rest is."""

    def look(self, context: StageContext, device: Device, samples: Samples) -> Result:
        """Warns of a device that does not come to rest, and lists what its counters gained."""
        idle = [results[device.id].evidence for _, results in context.earlier("idle") if device.id in results]
        whole = context.samples(device.id, after_s=WHOLE_RUN_S)
        found = look_at_cooling(device, samples, idle_w=idle[-1].get("power_w") if idle else None)
        if device.kind is DeviceKind.GPU:
            _clock(samples, whole, found)
        found.evidence["counters_gained"] = gained(whole)
        if "last_c" not in found.evidence:
            return ResultStatus.NOT_RUN, NOT_COOLED, found.evidence | {"warnings": found.warnings}
        return found.result(
            tr(
                "From {first_c:.0f} to {last_c:.0f} °C.",
                first_c=found.evidence["first_c"],
                last_c=found.evidence["last_c"],
            )
        )


def look_at_cooling(device: Device, samples: Samples, *, idle_w: float | None) -> StageFindings:
    """Pure: first and last temperature, and the figures at the end against those before the run."""
    end = samples[-LAST:]
    found = StageFindings({**_first_and_last(samples), **means(end, ("power_w", "utilisation_pct", "clock_mhz"))})
    first, last = found.evidence.get("first_c"), found.evidence.get("last_c")
    if first is not None and last is not None and last > first + 2:
        found.warnings.append(tr("It got hotter after the load: {first:.0f} to {last:.0f} °C.", first=first, last=last))
    power = mean(end, "power_w")
    lasted_s = float(samples[-1, 0] - samples[0, 0])
    if device.kind is DeviceKind.GPU and power is not None and idle_w is not None and lasted_s >= ENOUGH_S:
        found.evidence["power_before_w"] = idle_w
        if power > max(MORE_POWER * idle_w, idle_w + LEAST_W):
            found.warnings.append(
                tr(
                    "It draws {power:.0f} W after the run; before it, at rest, {idle_w:.0f} W.",
                    power=power,
                    idle_w=idle_w,
                )
            )
    return found


def gained(samples: Samples) -> dict[str, float]:
    """By metric: what each counter of the device gained over these samples; those that stood still are left out.

    A counter that fell was reset, and counts from there.
    """
    found = {}
    for metric in METRICS:
        if metric.reading is Reading.COUNTER and metric.name not in LOAD_METRICS:
            steps = np.diff(known(samples, metric.name))
            if (rise := float(steps[steps > 0].sum())) > 0:
                found[metric.name] = round(rise, 3)
    return found


def _clock(samples: Samples, whole: Samples, found: StageFindings) -> None:
    fastest, now = known(whole, "clock_mhz"), mean(samples[-LAST:], "clock_mhz")
    lasted_s = float(samples[-1, 0] - samples[0, 0])
    busy = column(whole, "throughput_tflops")
    if not len(fastest) or now is None or lasted_s < ENOUGH_S or np.isnan(busy).all():
        return
    if now > CLOCK_SHARE * float(fastest.max()):
        found.warnings.append(
            tr(
                "Its clock has not come down: {now:.0f} MHz of {fastest:.0f} MHz under load.",
                now=now,
                fastest=fastest.max(),
            )
        )


def _first_and_last(samples: Samples) -> dict[str, float]:
    temperature = known(samples, "temperature_c")
    return {"first_c": float(temperature[0]), "last_c": float(temperature[-1])} if len(temperature) else {}
