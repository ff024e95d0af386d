"""When the runner stops loads by itself. Pure decisions; the runner acts on them."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from core.burnin.profile import Guards
from core.telemetry.device import Device, DeviceKind


@dataclass(slots=True)
class TemperatureGuard:
    """Breached when a device stays at its limit for the profile's duration, not by one spike."""

    device: Device
    guards: Guards
    _hot_since_s: float | None = None

    @property
    def limit_c(self) -> float | None:
        """The profile's own limit, otherwise a GPU's slowdown temperature; None: there is none to guard.

        A CPU slows itself down at its limit, where many boards run it by default: that is for the verdict.
        """
        is_gpu = self.device.kind is DeviceKind.GPU
        slowdown = self.device.temperature_slowdown_c if is_gpu else None
        known = [limit for limit in (self.guards.temperature_c, slowdown) if limit is not None]
        return min(known) if known else None

    def breach(self, now_s: float, sensors: Mapping[str, float | None]) -> str | None:
        """A sentence when the loads on the device must stop."""
        temperature, margin = sensors.get("temperature_c"), sensors.get("margin_c")
        if temperature is None and margin is None:
            return None  # a gap in the readings has not cooled it
        hot = self.limit_c is not None and temperature is not None and temperature >= self.limit_c
        if not hot and not (margin is not None and margin < 0):
            self._hot_since_s = None
            return None
        if self._hot_since_s is None:
            self._hot_since_s = now_s
        lasted_s = now_s - self._hot_since_s
        if lasted_s < self.guards.temperature_for_s:
            return None
        figure = f"{temperature:.0f} °C, limit {self.limit_c:.0f} °C" if hot else f"{margin:.0f} K of margin"
        return f"Too hot for {lasted_s:.0f} s ({figure}). The load was stopped."


def heartbeat_breach(silent_s: float, guards: Guards) -> str | None:
    """A sentence when a worker under load has been silent for too long."""
    if silent_s < guards.heartbeat_timeout_s:
        return None
    return f"No heartbeat for {silent_s:.0f} s: the device or its driver hangs. The worker was ended."


def telemetry_breach(silent_s: float, guards: Guards) -> str | None:
    """A sentence when nothing has been measured for too long: nothing burns blind."""
    if silent_s < guards.telemetry_timeout_s:
        return None
    return f"No telemetry for {silent_s:.0f} s. All loads were stopped, because nothing burns unwatched."


def blind_breach(silent_s: float, guards: Guards) -> str | None:
    """A sentence when one device has not been measured for too long, although others are."""
    if silent_s < guards.telemetry_timeout_s:
        return None
    return f"No telemetry of this device for {silent_s:.0f} s. Its load was stopped, because nothing burns unwatched."


def pause_breach(still_s: float, guards: Guards) -> str | None:
    """A sentence when the runner itself stood still for so long that nothing was guarded."""
    if still_s < guards.telemetry_timeout_s:
        return None
    return f"The runner itself stood still for {still_s:.0f} s: nothing was recorded or guarded meanwhile."


def disk_breach(folder: Path, guards: Guards) -> str | None:
    """A sentence when the recording would soon have no room."""
    free_mb = shutil.disk_usage(folder).free / 1e6
    if free_mb >= guards.free_disk_mb:
        return None
    return (
        f"The disk of {folder} is nearly full: {free_mb:.0f} MB left, {guards.free_disk_mb:.0f} MB asked for. "
        "Free some space and start again."
    )
