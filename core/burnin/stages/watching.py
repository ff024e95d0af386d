"""Stages in which nothing burns: the runner watches the devices and looks at what was measured."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from core.burnin.record.rows import Result, ResultStatus
from core.burnin.record.samples import COLUMN, Samples
from core.burnin.stages.context import StageContext
from core.burnin.stages.stage import Stage
from core.language import joined, tr
from core.telemetry.device import Device
from core.telemetry.metrics import LOAD_METRICS

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
