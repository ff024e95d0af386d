"""The idle baseline: what each device draws and how warm it is at rest, and whether its sensors live."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from core.burnin.record import Result
from core.burnin.samples import Samples, known, means
from core.burnin.stages.findings import Findings
from core.burnin.stages.watching import WatchingStage
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import BY_NAME

if TYPE_CHECKING:
    from core.burnin.stage_context import StageContext

IDLE_POWER_SHARE_WARN = 0.25
"""Of the power limit; more at rest points to another program, a stuck clock or a display."""
BUSY_AT_REST_PCT = 20.0
FROZEN_AFTER = 60
"""So many equal readings of power, to 0.01 W, are no measurement: a sensor of a card that rests still trembles."""
AT_REST = ("temperature_c", "memory_temperature_c", "power_w", "utilisation_pct", "clock_mhz", "fan_pct", "fan_rpm")


class Idle(WatchingStage):
    """Nothing runs, no worker of ours either; the figures of this stage are what the cool-down is compared with."""

    def look(self, context: StageContext, device: Device, samples: Samples) -> Result:
        """Warns of power without work, of other programs, and of a power reading that stands still."""
        del context
        return look_at_rest(device, samples)


def look_at_rest(device: Device, samples: Samples) -> Result:
    """Pure: the figures at rest as evidence, what is odd about them as warnings."""
    evidence: dict[str, Any] = means(samples, AT_REST)
    found = Findings(evidence)
    power, busy = evidence.get("power_w"), evidence.get("utilisation_pct")
    is_gpu = device.kind is DeviceKind.GPU
    if is_gpu and power and device.power_limit_w and power > IDLE_POWER_SHARE_WARN * device.power_limit_w:
        display = " A display is connected to it." if device.display else ""
        found.warnings.append(f"It draws {power:.0f} W at rest, a quarter of its limit or more.{display}")
    if busy is not None and busy > BUSY_AT_REST_PCT:
        found.warnings.append(f"It is {busy:.0f} % busy at rest: another program uses it.")
    if stands_still(samples, "power_w"):
        found.warnings.append(f"The power reading stays at {power:.2f} W: the sensor may be frozen.")
    figures = ", ".join(
        f"{BY_NAME[name].title.lower()} {value:.0f} {BY_NAME[name].unit}".rstrip() for name, value in evidence.items()
    )
    return found.result(f"At rest: {figures or 'no sensor reports'}.")


def stands_still(samples: Samples, name: str) -> bool:
    """Whether a metric was read often enough to tell, and gave the same to 0.01 every time."""
    values = known(samples, name)
    return len(values) >= FROZEN_AFTER and bool(np.ptp(values) < 0.01)
