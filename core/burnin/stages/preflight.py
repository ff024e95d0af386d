"""Preflight: whether what is here is what was planned, and fit to be burned in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.burnin.record import Result
from core.burnin.samples import Samples, mean
from core.burnin.stages.findings import Findings
from core.burnin.stages.watching import WatchingStage
from core.telemetry.device import Device
from core.telemetry.metrics import LOAD_METRICS, metrics_of

if TYPE_CHECKING:
    from core.burnin.underway import Underway


class Preflight(WatchingStage):
    """Looks before anything burns."""

    def look(self, underway: Underway, device: Device, samples: Samples) -> Result:
        """Which quantities are measured, and what speaks against burning."""
        del underway
        return look_before(device, samples)


def look_before(device: Device, samples: Samples) -> Result:
    """Pure: what is measured, what is not, and a power limit that was left lowered."""
    metrics = [metric for metric in metrics_of(device.kind) if metric.name not in LOAD_METRICS]
    measured = [metric.name for metric in metrics if mean(samples, metric.name) is not None]
    missing = [metric.title for metric in metrics if metric.name not in measured]
    found = Findings({"measured": measured, "not_measured": missing})
    limit, default = mean(samples, "power_limit_w"), device.power_limit_w
    if limit is not None and default is not None and limit < default - 0.5:
        found.warnings.append(f"The power limit is set to {limit:.0f} W, the card's default is {default:.0f} W.")
    if "temperature_c" not in measured:
        found.warnings.append("The temperature is not measured: cooling cannot be judged.")
    return found.result(f"{len(measured)} quantities are measured.")
