"""The window of somebody who ticks the CPU as soon as it is listed: where that tick is, no key of the screen tells."""

import sys

from core.machine.asbuilt.bus import BusCard
from core.machine.telemetry.device import Device
from gui.burnin.run import page
from gui.burnin.run.plan_bar import PlanBar
from gui.shell.app import main


class CpuTicked(PlanBar):
    """Ticks every device that is listed."""

    def set_devices(self, devices: list[Device], unserved: tuple[BusCard, ...] = ()) -> None:
        """Shows and ticks them."""
        super().set_devices(devices, unserved)
        for check in self.checks:
            check.setChecked(True)


if __name__ == "__main__":
    page.PlanBar = CpuTicked  # type: ignore[misc]
    sys.exit(main(sys.argv[1:]))
