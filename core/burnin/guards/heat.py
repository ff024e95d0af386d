"""Heat: a device at its limit, and a fan that does not turn as it is told."""

from __future__ import annotations

import math
from collections.abc import Mapping

from core.burnin.guards.limit import GuardLimit
from core.burnin.profile.profile import Guards
from core.language import joined, tr
from core.telemetry.device import Device, DeviceKind

Readings = Mapping[str, float | None]

TURNING_PCT = 30.0
"""A fan that is told to turn faster than this turns: below it many stand still by design."""
STOPPED = tr("The load was stopped.")
WARM_C = 60.0
"""A processor as warm as this needs its fan."""
SPIN_UP_S = 10.0
"""A fan that stood still by design takes some seconds to reach its speed."""
SLOW_SHARE = 0.5
"""Of the speed that the fan had before under the same command."""


class TemperatureGuard:
    """Breached when a device stays at its limit for the profile's duration, not by one spike."""

    def __init__(self, device: Device, guards: Guards) -> None:
        self.limit_c = _limit_c(device, guards)
        for_s, hysteresis = guards.temperature_for_s, guards.hysteresis_c
        self._hot = None if self.limit_c is None else GuardLimit(self.limit_c, for_s, hysteresis)
        below = math.nextafter(guards.margin_c, -math.inf)  # at a margin of 0 the driver does not yet lower clocks
        self._margin = GuardLimit(below, for_s, hysteresis, above=False)

    def breach(self, now_s: float, readings: Readings) -> str | None:
        """A sentence when the loads on the device must stop."""
        temperature, margin = readings.get("temperature_c"), readings.get("margin_c")
        if self._hot is not None and (lasted_s := self._hot.lasted_s(now_s, temperature)) is not None:
            text = tr(
                "Too hot for {lasted_s:.0f} s ({temperature:.0f} °C, limit {limit_c:.0f} °C).",
                lasted_s=lasted_s,
                temperature=temperature,
                limit_c=self.limit_c,
            )
            return joined([text, STOPPED])
        if (lasted_s := self._margin.lasted_s(now_s, margin)) is not None:
            text = tr("Too hot for {lasted_s:.0f} s ({margin:.0f} K of margin).", lasted_s=lasted_s, margin=margin)
            return joined([text, STOPPED])
        return None


def _limit_c(device: Device, guards: Guards) -> float | None:
    """The profile's own limit, otherwise a GPU's slowdown temperature; None: there is none to guard.

    A CPU slows itself down at its limit, where many boards run it by default: that is for the verdict.
    """
    slowdown = device.temperature_slowdown_c if device.kind is DeviceKind.GPU else None
    known = [limit for limit in (guards.temperature_c, slowdown) if limit is not None]
    return min(known) if known else None


def _fan_words(rpm: float | None, told_pct: float | None, lasted_s: float) -> str:
    fields = {"rpm": rpm, "told_pct": told_pct, "lasted_s": lasted_s}
    if told_pct is None and not rpm:
        return tr("The fan has not turned for {lasted_s:.0f} s.", **fields)
    if told_pct is None:
        return tr("The fan has run at only {rpm:.0f} rpm for {lasted_s:.0f} s.", **fields)
    if not rpm:
        return tr("The fan has not turned for {lasted_s:.0f} s, although it is set to {told_pct:.0f} %.", **fields)
    return tr(
        "The fan has run at only {rpm:.0f} rpm for {lasted_s:.0f} s, although it is set to {told_pct:.0f} %.", **fields
    )


class FanGuard:
    """Breached when a fan stands still, or turns at half the speed that the same command gave before.

    Drivers of GPUs tell the speed that they command, so that a stuck fan shows only where its speed is measured.
    """

    def __init__(self, guards: Guards) -> None:
        self._limit = GuardLimit(SLOW_SHARE, guards.fan_for_s, 0.1, above=False)
        self._rpm_per_pct = 0.0
        self._turned = False
        self._told_to_turn_s: float | None = None
        """When it was told to turn after it was allowed to stand still."""
        self._may_stand = False

    def breach(self, now_s: float, readings: Readings) -> str | None:
        """A sentence when the loads on the device must stop."""
        rpm, told_pct = readings.get("fan_rpm"), readings.get("fan_pct")
        lasted_s = self._limit.lasted_s(now_s, self._share(now_s, readings))
        if lasted_s is None:
            return None
        return joined([_fan_words(rpm, told_pct, lasted_s), STOPPED])

    def _share(self, now_s: float, readings: Readings) -> float | None:
        """The speed as a share of what it should be; 1 where nothing is asked of the fan, None where unknown."""
        rpm, told_pct, temperature = (readings.get(name) for name in ("fan_rpm", "fan_pct", "temperature_c"))
        if rpm is None:
            return None
        if told_pct is None:
            self._turned = self._turned or rpm > 0
            needed = self._turned and temperature is not None and temperature >= WARM_C
            return 0.0 if needed and rpm == 0 else 1.0
        if told_pct < TURNING_PCT:
            self._may_stand, self._told_to_turn_s = True, None
            return 1.0
        if self._spins_up(now_s):
            return 1.0
        self._rpm_per_pct = max(self._rpm_per_pct, rpm / told_pct)
        return rpm / (self._rpm_per_pct * told_pct) if self._rpm_per_pct > 0 else 0.0

    def _spins_up(self, now_s: float) -> bool:
        """Whether it was told to turn only just now, after it was allowed to stand still."""
        if self._told_to_turn_s is None:
            if not self._may_stand:
                return False
            self._told_to_turn_s = now_s
        return now_s - self._told_to_turn_s < SPIN_UP_S
