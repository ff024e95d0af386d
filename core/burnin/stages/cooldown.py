"""The cool-down: whether clocks, power and temperature return to rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.burnin.record import Result, ResultStatus
from core.burnin.samples import Samples, known, means
from core.burnin.stages.findings import Findings
from core.burnin.stages.watching import WatchingStage
from core.telemetry.device import Device

if TYPE_CHECKING:
    from core.burnin.underway import Underway


class Cooldown(WatchingStage):
    """Nothing runs any more."""

    def look(self, underway: Underway, device: Device, samples: Samples) -> Result:
        """Warns of a device that grows hotter."""
        del underway, device
        return look_at_cooling(samples)


def look_at_cooling(samples: Samples) -> Result:
    """Pure: first and last temperature, and the figures at the end."""
    temperature = known(samples, "temperature_c")
    if not len(temperature):
        return ResultStatus.NOT_RUN, "The temperature is not measured on this device.", {}
    first, last = float(temperature[0]), float(temperature[-1])
    found = Findings({"first_c": first, "last_c": last, **means(samples[-3:], ("power_w", "utilisation_pct"))})
    if last > first + 2:
        found.warnings.append(f"It grew hotter after the load: {first:.0f} to {last:.0f} °C.")
    return found.result(f"From {first:.0f} to {last:.0f} °C.")
