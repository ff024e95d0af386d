"""Stages in which nothing burns: the runner watches the devices and looks at what was measured."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from core.burnin.record import Result, ResultStatus
from core.burnin.samples import Samples
from core.burnin.stages.stage import Stage
from core.telemetry.device import Device

if TYPE_CHECKING:
    from core.burnin.underway import Underway


class WatchingStage(Stage):
    """Lasts as long as planned, and then judges the samples of that time, device by device."""

    def run(self, underway: Underway) -> None:
        """Watches, then looks at what was measured."""
        while underway.elapsed_s < underway.seconds and not underway.cut:
            underway.turn()
        for device_id, device in underway.devices.items():
            underway.record(device_id, device.take_result() or self._look(underway, device.device))

    def _look(self, underway: Underway, device: Device) -> Result:
        if underway.cut:
            return ResultStatus.STOPPED, "", {}
        samples = underway.samples(device.id)
        if not len(samples):
            return ResultStatus.NOT_RUN, "Nothing was measured on this device during the stage.", {}
        return self.look(underway, device, samples)

    @abstractmethod
    def look(self, underway: Underway, device: Device, samples: Samples) -> Result:
        """The result on one device from its samples of this stage, of which there is at least one."""
