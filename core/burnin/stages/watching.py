"""Stages in which nothing burns: the runner watches the devices and looks at what was measured.

The idle baseline before a run, and whether the cool-down comes back to it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.burnin.record.rows import Result, ResultStatus
from core.burnin.record.samples import COLUMN, Samples, column, mean, means, readings
from core.burnin.stages.stage import WHOLE_RUN_S, Stage, StageContext
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import BY_NAME, LOAD_METRICS, METRICS, Reading
from core.words import joined, plain, tr, trc

READINGS = [index for name, index in COLUMN.items() if name not in LOAD_METRICS]
"""Columns of what sensors tell, not the loads."""
FIRST_READING_WITHIN = 3
"""Reports of the sampler after a stage's time: one comes every second, and none while the machine stands still."""


class WatchingStage(Stage):
    """No worker lives meanwhile: a CUDA context that only waits keeps clocks and memory power of many cards up.

    It lasts as long as planned, or a little longer until each device was read. Then it judges the samples of that time,
    device by device.
    """

    looks_back_s = 0.0
    """What is read within this time after the first sample may still cover what ran before the stage."""

    def run(self, context: StageContext) -> None:
        """Watches, then looks at what was measured."""
        while not context.live.cut and context.elapsed_s < context.settings.seconds:
            context.live.turn()
        reported = {context.live.sensors.heard_s}
        while not context.live.cut and len(reported) <= FIRST_READING_WITHIN and self._awaits_a_reading(context):
            context.live.turn()
            reported.add(context.live.sensors.heard_s)
        for device_id, device in context.devices.items():
            context.record(device_id, device.take_result() or self._look(context, device.device))

    def _awaits_a_reading(self, context: StageContext) -> bool:
        """Whether a device that is still in the run was not read yet during the stage.

        Samples without a reading do not count: after the machine stood still, the readings before it are too old.
        """
        blocks = [context.samples(device_id) for device_id, device in context.devices.items() if not device.unusable]
        return any(
            np.isnan(block[block[:, 0] >= block[:1, 0] + self.looks_back_s][:, READINGS]).all() for block in blocks
        )

    def _look(self, context: StageContext, device: Device) -> Result:
        if context.live.cut:
            return ResultStatus.STOPPED, "", {}
        samples = context.samples(device.id)
        if not len(samples):
            return ResultStatus.NOT_RUN, tr("Nothing was measured on this device during the stage."), {}
        return self.look(context, device, samples)

    @abstractmethod
    def look(self, context: StageContext, device: Device, samples: Samples) -> Result:
        """The result on one device from its samples of this stage, of which there is at least one."""


@dataclass(slots=True)
class StageFindings:
    """Sentences and figures. A failure fails the stage, a refusal leaves it undone, warnings become reasons."""

    evidence: dict[str, Any] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    """What keeps the device from being burned in and is no fault of it: NOT RUN, with what to do."""

    def result(self, summary: str) -> Result:
        """`summary` is the reason of a stage in which nothing failed."""
        evidence = self.evidence | {"warnings": self.warnings}
        if self.failures:
            return ResultStatus.FAILED, joined(self.failures), evidence | {"failures": self.failures}
        if self.refusals:
            return ResultStatus.NOT_RUN, joined(self.refusals), evidence
        return ResultStatus.PASSED, summary, evidence


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
    findings = StageFindings(evidence)
    power, busy = evidence.get("power_w"), evidence.get("utilisation_pct")
    is_gpu = device.kind is DeviceKind.GPU
    if is_gpu and power and device.power_limit_w and power > IDLE_POWER_SHARE_WARN * device.power_limit_w:
        text = tr("It draws {power:.0f} W at rest, a quarter of its limit or more.", power=power)
        findings.warnings.append(joined([text, tr("A display is connected to it.")]) if device.display else text)
    if busy is not None and busy > BUSY_AT_REST_PCT:
        findings.warnings.append(tr("It is {busy:.0f} % busy at rest: another program uses it.", busy=busy))
    values = readings(samples, "power_w")
    if len(values) >= FROZEN_AFTER and np.ptp(values) < 0.01:
        findings.warnings.append(tr("The power reading stays at {power:.2f} W: the sensor may be frozen.", power=power))
    figures = joined((plain(FIGURES[name], what=AT_REST[name], value=value) for name, value in evidence.items()), ", ")
    return findings.result(tr("At rest: {figures}.", figures=figures))


class Cooldown(WatchingStage):
    """Nothing runs any more. The idle baseline of the same run, where there is one, says what rest is."""

    def look(self, context: StageContext, device: Device, samples: Samples) -> Result:
        """Warns of a device that does not come to rest, and lists what its counters gained."""
        idle = [results[device.id].evidence for _, results in context.earlier("idle") if device.id in results]
        whole = context.samples(device.id, after_s=WHOLE_RUN_S)
        findings = look_at_cooling(device, samples, idle_w=idle[-1].get("power_w") if idle else None)
        if device.kind is DeviceKind.GPU:
            _clock(samples, whole, findings)
        findings.evidence["counters_gained"] = gained(whole)
        if "last_c" not in findings.evidence:
            return ResultStatus.NOT_RUN, NOT_COOLED, findings.evidence | {"warnings": findings.warnings}
        fields = {"first_c": findings.evidence["first_c"], "last_c": findings.evidence["last_c"]}
        return findings.result(tr("From {first_c:.0f} to {last_c:.0f} °C.", **fields))


def look_at_cooling(device: Device, samples: Samples, *, idle_w: float | None) -> StageFindings:
    """Pure: first and last temperature, and the figures at the end against those before the run."""
    end = samples[-LAST:]
    findings = StageFindings()
    temperature = readings(samples, "temperature_c")
    if len(temperature):
        first, last = float(temperature[0]), float(temperature[-1])
        findings.evidence = {"first_c": first, "last_c": last}
        if last > first + 2:
            text = tr("It got hotter after the load: {first:.0f} to {last:.0f} °C.", first=first, last=last)
            findings.warnings.append(text)
    findings.evidence |= means(end, ("power_w", "utilisation_pct", "clock_mhz"))
    power = mean(end, "power_w")
    lasted_s = float(samples[-1, 0] - samples[0, 0])
    if device.kind is DeviceKind.GPU and power is not None and idle_w is not None and lasted_s >= ENOUGH_S:
        findings.evidence["power_before_w"] = idle_w
        if power > max(MORE_POWER * idle_w, idle_w + LEAST_W):
            fields = {"power": power, "idle_w": idle_w}
            findings.warnings.append(
                tr("It draws {power:.0f} W after the run; before it, at rest, {idle_w:.0f} W.", **fields)
            )
    return findings


def gained(samples: Samples) -> dict[str, float]:
    """By metric: what each counter of the device gained over these samples; those that stood still are left out.

    A counter that fell was reset, and counts from there.
    """
    gains = {}
    for metric in METRICS:
        if metric.reading is Reading.COUNTER and metric.name not in LOAD_METRICS:
            steps = np.diff(readings(samples, metric.name))
            if (rise := float(steps[steps > 0].sum())) > 0:
                gains[metric.name] = round(rise, 3)
    return gains


def _clock(samples: Samples, whole: Samples, findings: StageFindings) -> None:
    fastest, now = readings(whole, "clock_mhz"), mean(samples[-LAST:], "clock_mhz")
    lasted_s = float(samples[-1, 0] - samples[0, 0])
    busy = column(whole, "throughput_tflops")
    if not len(fastest) or now is None or lasted_s < ENOUGH_S or np.isnan(busy).all():
        return
    if now > CLOCK_SHARE * float(fastest.max()):
        fields = {"now": now, "fastest": fastest.max()}
        findings.warnings.append(
            tr("Its clock has not come down: {now:.0f} MHz of {fastest:.0f} MHz under load.", **fields)
        )
