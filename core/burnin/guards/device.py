"""All that guards one device, tick by tick: limits that must last, heat, fans, what hangs."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median

from core.burnin.profile.profile import Guards, OwnLimit
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.metrics import BY_NAME
from core.words import joined, plain, tr


@dataclass(slots=True)
class GuardLimit:
    """Breached when a reading stays beyond `bound` for `for_s`.

    One that came back less than `hysteresis` inside the bound has not come back: a value that swings around its bound
    counts from its first passing. A gap in the readings neither ends the time nor is a breach.
    """

    bound: float
    for_s: float
    hysteresis: float = 0.0
    above: bool = True
    """Whether the bound is the highest value allowed; otherwise the lowest."""
    _since_s: float | None = None

    def lasted_s(self, now_s: float, value: float | None) -> float | None:
        """For how long the reading has been beyond the bound, where that is too long; otherwise None."""
        if value is None:
            return None
        beyond = value - self.bound if self.above else self.bound - value
        if beyond < 0:
            if beyond <= -self.hysteresis:
                self._since_s = None
            return None
        if self._since_s is None:
            self._since_s = now_s
        lasted_s = now_s - self._since_s
        return lasted_s if lasted_s >= self.for_s else None


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
        # A CPU slows itself down at its limit, where many boards run it by default: that is for the verdict.
        slowdown = device.temperature_slowdown_c if device.kind is DeviceKind.GPU else None
        self.limit_c = min((limit for limit in (guards.temperature_c, slowdown) if limit is not None), default=None)
        """The profile's own limit, otherwise a GPU's slowdown temperature; None: there is none to guard."""
        for_s, hysteresis = guards.temperature_for_s, guards.hysteresis_c
        self._hot = None if self.limit_c is None else GuardLimit(self.limit_c, for_s, hysteresis)
        below = math.nextafter(guards.margin_c, -math.inf)  # at a margin of 0 the driver does not yet lower clocks
        self._margin = GuardLimit(below, for_s, hysteresis, above=False)

    def breach(self, now_s: float, readings: Readings) -> str | None:
        """A sentence when the loads on the device must stop."""
        temperature, margin = readings.get("temperature_c"), readings.get("margin_c")
        if self._hot is not None and (lasted_s := self._hot.lasted_s(now_s, temperature)) is not None:
            fields = {"lasted_s": lasted_s, "temperature": temperature, "limit_c": self.limit_c}
            text = tr("Too hot for {lasted_s:.0f} s ({temperature:.0f} °C, limit {limit_c:.0f} °C).", **fields)
            return joined([text, STOPPED])
        if (lasted_s := self._margin.lasted_s(now_s, margin)) is not None:
            text = tr("Too hot for {lasted_s:.0f} s ({margin:.0f} K of margin).", lasted_s=lasted_s, margin=margin)
            return joined([text, STOPPED])
        return None


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
        return None if lasted_s is None else joined([_fan_words(rpm, told_pct, lasted_s), STOPPED])

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


BUSY_PCT = 95.0
WEAK_SHARE = 0.4
"""Of its usual power in the stage: a device that says it is busy and draws less than this may hang in a kernel."""
HANG_FOR_S = 10.0
USUAL_OVER = 600
"""Readings of power that tell what is usual."""


class OwnLimitGuard:
    """A limit that the profile sets on any metric."""

    def __init__(self, own: OwnLimit) -> None:
        self._own = own
        above = own.above is not None
        bound = own.above if own.above is not None else own.below
        assert bound is not None
        self._limit = GuardLimit(bound, own.for_s, own.hysteresis, above=above)

    def breach(self, now_s: float, readings: Readings) -> str | None:
        """A sentence when the loads on the device must stop."""
        value = readings.get(self._own.metric)
        lasted_s = self._limit.lasted_s(now_s, value)
        if lasted_s is None:
            return None
        metric = BY_NAME[self._own.metric]
        bound = plain(f"{{bound:g}} {metric.unit}".rstrip(), bound=self._limit.bound)
        fields = {"metric": metric.title, "bound": bound, "lasted_s": lasted_s, "value": value}
        text = tr("{metric} was above {bound} for {lasted_s:.0f} s ({value:g}): a limit of the profile.", **fields)
        if not self._limit.above:
            text = tr("{metric} was below {bound} for {lasted_s:.0f} s ({value:g}): a limit of the profile.", **fields)
        return joined([text, STOPPED])


class HangWatch:
    """Notices a device that calls itself busy and draws far less than it did: reported, for the heartbeat decides."""

    def __init__(self) -> None:
        self._limit = GuardLimit(WEAK_SHARE, HANG_FOR_S, above=False)
        self._power: deque[float] = deque(maxlen=USUAL_OVER)

    def notice(self, now_s: float, readings: Readings) -> str | None:
        """A sentence when it has lasted."""
        power, busy = readings.get("power_w"), readings.get("utilisation_pct")
        if power is None or busy is None:
            return None
        self._power.append(power)
        usual = median(self._power)
        share = power / usual if busy >= BUSY_PCT and usual > 0 else 1.0
        if self._limit.lasted_s(now_s, share) is None:
            return None
        fields = {"busy": busy, "power": power, "share_pct": 100 * share}
        return tr(
            "It reports {busy:.0f} % utilisation but draws {power:.0f} W, {share_pct:.0f} % of its usual power.",
            **fields,
        )


class DeviceGuards:
    """The guards of one device. Those under test carry loads; of others only fan and own limits are guarded."""

    def __init__(self, device: Device, guards: Guards, *, under_test: bool) -> None:
        limits = [limit for limit in guards.limits if limit.device in ("all", device.kind)]
        self._watches: list[TemperatureGuard | FanGuard | OwnLimitGuard] = [FanGuard(guards)]
        self._watches += [TemperatureGuard(device, guards)] if under_test else []
        self._watches += [OwnLimitGuard(limit) for limit in limits]
        self.new_stage()

    def new_stage(self) -> None:
        """Another load has another usual power."""
        self._hang = HangWatch()
        self._hang_told = False

    def breach(self, now_s: float, readings: Readings) -> str | None:
        """A sentence when the loads on the device must stop."""
        breaches = [watch.breach(now_s, readings) for watch in self._watches]  # every guard sees every reading
        return next(filter(None, breaches), None)

    def notice(self, now_s: float, readings: Readings) -> str | None:
        """A sentence, once a stage, when the device seems to hang."""
        text = None if self._hang_told else self._hang.notice(now_s, readings)
        self._hang_told = self._hang_told or text is not None
        return text
