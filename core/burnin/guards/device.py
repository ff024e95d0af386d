"""All that guards one device, tick by tick."""

from __future__ import annotations

from collections import deque
from statistics import median

from core.burnin.guards.heat import STOPPED, FanGuard, Readings, TemperatureGuard
from core.burnin.guards.limit import GuardLimit
from core.burnin.profile.profile import Guards, OwnLimit
from core.language import joined, plain, tr
from core.telemetry.device import Device
from core.telemetry.metrics import BY_NAME

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
        return tr(
            "It reports {busy:.0f} % utilisation but draws {power:.0f} W, {share_pct:.0f} % of its usual power.",
            busy=busy,
            power=power,
            share_pct=100 * share,
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
        said = [watch.breach(now_s, readings) for watch in self._watches]  # every guard sees every reading
        return next(filter(None, said), None)

    def notice(self, now_s: float, readings: Readings) -> str | None:
        """A sentence, once a stage, when the device seems to hang."""
        said = self._hang.notice(now_s, readings)
        if said is None or self._hang_told:
            return None
        self._hang_told = True
        return said
