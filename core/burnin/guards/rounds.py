"""The guards' round over all devices, once a second: what must be done now, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.children.sensors import Sensors
from core.burnin.guards.device import DeviceGuards
from core.burnin.profile.profile import Guards
from core.burnin.record.rows import Outcome, Reason, ResultStatus
from core.language import plain, tr
from core.telemetry.device import Device


@dataclass(frozen=True, slots=True)
class EndDevice:
    """The load on a device must end, and the device is out of the run."""

    device_id: str
    status: ResultStatus
    text: str


@dataclass(frozen=True, slots=True)
class EndRun:
    """All loads must end."""

    reason: Reason


@dataclass(frozen=True, slots=True)
class Tell:
    """Something is odd; it is recorded and nothing ends."""

    device_id: str
    text: str


Decision = EndDevice | EndRun | Tell


class Rounds:
    """The guards of all devices of a run. `watched` are all that are present, by id."""

    def __init__(self, guards: Guards, watched: Mapping[str, Device], under_test: set[str]) -> None:
        self._guards = guards
        self._watched = watched
        self._of = {
            device_id: DeviceGuards(device, guards, under_test=device_id in under_test)
            for device_id, device in watched.items()
        }
        self._stalled: set[str] = set()

    def new_stage(self) -> None:
        """A stage begins."""
        for guards in self._of.values():
            guards.new_stage()

    def go(self, now_s: float, devices: Mapping[str, DeviceUnderTest], sensors: Sensors) -> Iterator[Decision]:
        """What is to be done. `devices` are those with workers."""
        said = {
            device_id: guards.breach(now_s, {**sensors.fresh(device_id), **_metrics(devices.get(device_id))})
            for device_id, guards in self._of.items()
        }
        loading = [device for device in devices.values() if device.loading]
        ended: set[str] = set()
        for device in sorted(loading, key=lambda device: device.heartbeat_s):
            if device.group & ended:
                continue  # another of its group fell silent first
            decisions = list(self._of_load(now_s, device, said[device.device.id], sensors))
            ended |= {decision.device_id for decision in decisions if isinstance(decision, EndDevice)}
            yield from decisions
        for device_id, breach in said.items():
            if loading and breach and device_id not in devices:
                title = self._watched[device_id].title
                yield EndRun(
                    Reason(
                        Outcome.FAIL,
                        plain("{device}: {breach}", device=title, breach=breach),
                        source="guards of the profile",
                    )
                )

    def _of_load(self, now_s: float, device: DeviceUnderTest, hot: str | None, sensors: Sensors) -> Iterator[Decision]:
        device_id, silent_s = device.device.id, now_s - device.heartbeat_s
        if breach := hot or heartbeat_breach(silent_s, self._guards):
            yield EndDevice(device_id, ResultStatus.FAILED, breach)
        elif breach := blind_breach(sensors.device_silent_s(device.device.parent or device_id), self._guards):
            yield EndDevice(device_id, ResultStatus.STOPPED, breach)
        else:
            yield from self._oddities(now_s, device, silent_s, sensors)

    def _oddities(self, now_s: float, device: DeviceUnderTest, silent_s: float, sensors: Sensors) -> Iterator[Decision]:
        device_id = device.device.id
        text = stalled(silent_s, self._guards)
        if text is None:
            self._stalled.discard(device_id)
        elif device_id not in self._stalled:
            self._stalled.add(device_id)
            yield Tell(device_id, text)
        if text := self._of[device_id].notice(now_s, sensors.fresh(device_id)):
            yield Tell(device_id, text)


def _metrics(device: DeviceUnderTest | None) -> Mapping[str, float | None]:
    return device.metrics if device else {}


# -- silence: of a worker, of the sensors ------------------------------------------------------------------------------


def stalled(silent_s: float, guards: Guards) -> str | None:
    """A sentence when a worker under load has been silent for longer than it should."""
    if silent_s < guards.stalled_after_s:
        return None
    return tr(
        "No heartbeat for {silent_s:.0f} s: the load is stalled. It is ended after {heartbeat_timeout_s:g} s.",
        silent_s=silent_s,
        heartbeat_timeout_s=guards.heartbeat_timeout_s,
    )


def heartbeat_breach(silent_s: float, guards: Guards) -> str | None:
    """A sentence when a worker under load has been silent for too long."""
    if silent_s < guards.heartbeat_timeout_s:
        return None
    return tr(
        "No heartbeat for {silent_s:.0f} s: the device or its driver is hung. The worker was ended.", silent_s=silent_s
    )


def telemetry_breach(silent_s: float, guards: Guards, waits_for: str | None = None) -> str | None:
    """A sentence when nothing has been measured for too long: nothing burns blind. `waits_for` is what hangs."""
    if silent_s < guards.telemetry_timeout_s:
        return None
    if waits_for:
        return tr(
            "No telemetry for {silent_s:.0f} s: {waits_for} does not answer. All loads were stopped: "
            "no load runs unmonitored.",
            silent_s=silent_s,
            waits_for=waits_for,
        )
    return tr("No telemetry for {silent_s:.0f} s. All loads were stopped: no load runs unmonitored.", silent_s=silent_s)


def blind_breach(silent_s: float, guards: Guards) -> str | None:
    """A sentence when one device has not been measured for too long, although others are."""
    if silent_s < guards.telemetry_timeout_s:
        return None
    return tr(
        "No telemetry from this device for {silent_s:.0f} s. Its load was stopped: no load runs unmonitored.",
        silent_s=silent_s,
    )
