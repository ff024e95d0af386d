"""The guards' round over all devices, once a second, and what concerns the whole machine: disk, memory, silence."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import psutil

from core.burnin.children.device_under_test import DeviceUnderTest
from core.burnin.children.sensors import Sensors
from core.burnin.guards.device import DeviceGuards, GuardLimit
from core.burnin.profile.profile import Guards
from core.burnin.record.rows import EventLevel, Outcome, Reason, ResultStatus
from core.machine.telemetry.device import Device
from core.platform.errors import EnvironmentProblem, reason_of
from core.platform.whole_file import NEW_FILE
from core.words import plain, tr


class Rounds:
    """The guards of all devices of a run. `watched` are all that are present, by id.

    `event` puts on record what a guard says, `stop` ends the run.
    """

    def __init__(
        self,
        guards: Guards,
        watched: Mapping[str, Device],
        under_test: set[str],
        *,
        event: Callable[[EventLevel, str, str, str | None], None],
        stop: Callable[[Reason], None],
    ) -> None:
        self._guards = guards
        self._watched = watched
        self._event, self._stop = event, stop
        self._of = {
            device_id: DeviceGuards(device, guards, under_test=device_id in under_test)
            for device_id, device in watched.items()
        }
        self._stalled: set[str] = set()

    def new_stage(self) -> None:
        """A stage begins."""
        for guards in self._of.values():
            guards.new_stage()

    def go(self, now_s: float, devices: Mapping[str, DeviceUnderTest], sensors: Sensors) -> None:
        """Takes out of the run what must not burn on. `devices` are those with workers."""
        breaches: dict[str, str | None] = {}
        for device_id, guards in self._of.items():
            metrics = devices[device_id].metrics if device_id in devices else {}
            breaches[device_id] = guards.breach(now_s, {**sensors.fresh(device_id), **metrics})
        loading = [device for device in devices.values() if device.loading]
        ended: set[str] = set()
        for device in sorted(loading, key=lambda device: device.heartbeat_s):
            # where another of its group fell silent first, that one is the culprit
            if not device.group & ended and self._ends(now_s, device, breaches[device.device.id], sensors):
                ended.add(device.device.id)
        for device_id, breach in breaches.items():
            if loading and breach and device_id not in devices:
                text = plain("{device}: {breach}", device=self._watched[device_id].title, breach=breach)
                self._stop(Reason(Outcome.FAIL, text, source="guards of the profile"))

    def _ends(self, now_s: float, device: DeviceUnderTest, hot: str | None, sensors: Sensors) -> bool:
        """Ends the device where its load must end; else tells of what is odd."""
        device_id, silent_s = device.device.id, now_s - device.heartbeat_s
        status = ResultStatus.FAILED
        breach = hot or heartbeat_breach(silent_s, self._guards)
        if not breach:
            status = ResultStatus.STOPPED
            breach = blind_breach(sensors.device_silent_s(device.device.parent or device_id), self._guards)
        if breach:
            self._event(EventLevel.ERROR, "guard", breach, device_id)
            device.end(status, breach)
            return True
        text = stalled(silent_s, self._guards)
        if text is None:
            self._stalled.discard(device_id)
        elif device_id not in self._stalled:
            self._stalled.add(device_id)
            self._event(EventLevel.WARN, "stalled", text, device_id)
        if text := self._of[device_id].notice(now_s, sensors.fresh(device_id)):
            self._event(EventLevel.WARN, "stalled", text, device_id)
        return False


# -- silence: of a worker, of the sensors ------------------------------------------------------------------------------


def stalled(silent_s: float, guards: Guards) -> str | None:
    """A sentence when a worker under load has been silent for longer than it should."""
    if silent_s < guards.stalled_after_s:
        return None
    fields = {"silent_s": silent_s, "heartbeat_timeout_s": guards.heartbeat_timeout_s}
    return tr(
        "No heartbeat for {silent_s:.0f} s: the load is stalled. It is ended after {heartbeat_timeout_s:g} s.", **fields
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


RESERVE_BYTES = 256 * 1024
"""An event and a status take some pages of 4 KiB, their sentence in the log another."""


def disk_breach(folder: Path, guards: Guards) -> str | None:
    """A sentence when the recording would soon have no room."""
    free_mb = shutil.disk_usage(folder).free / 1e6
    if free_mb >= guards.free_disk_mb:
        return None
    fields = {"folder": folder, "free_mb": free_mb, "free_disk_mb": guards.free_disk_mb}
    return tr(
        "The disk of {folder} is nearly full: {free_mb:.0f} MB left, {free_disk_mb:.0f} MB "
        "required. Free some space and start again.",
        **fields,
    )


class MemoryGuard:
    """Breached when the host's memory stays nearly full: the system would end processes at random, the runner too."""

    def __init__(self, guards: Guards) -> None:
        self._limit = GuardLimit(guards.free_memory_mb, guards.free_memory_for_s, above=False)

    def breach(self, now_s: float, free_mb: float | None = None) -> str | None:
        """A sentence when all loads must stop; `free_mb` is read from the system unless given."""
        free_mb = psutil.virtual_memory().available / 1e6 if free_mb is None else free_mb
        lasted_s = self._limit.lasted_s(now_s, free_mb)
        if lasted_s is None:
            return None
        fields = {"lasted_s": lasted_s, "free_mb": free_mb, "bound": self._limit.bound}
        return tr(
            "The machine's memory was nearly full for {lasted_s:.0f} s: {free_mb:.0f} MB left, "
            "{bound:.0f} MB required. All loads were stopped. Close other programs and start again.",
            **fields,
        )


class DiskReserve:
    """The file of one data folder."""

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / "reserve"

    def take(self) -> None:
        """Occupies the room. Raises EnvironmentProblem when there is none."""
        try:
            if self._path.is_symlink() or not self._path.is_file() or self._path.stat().st_size < RESERVE_BYTES:
                self._path.unlink(missing_ok=True)  # never written through a link that somebody has put there
                with os.fdopen(os.open(self._path, NEW_FILE, 0o600), "wb") as stream:
                    stream.write(os.urandom(RESERVE_BYTES))  # zeros take no room where the disk compresses
        except OSError as error:
            self.give_up()
            fields = {"folder": self._path.parent, "reason": reason_of(error)}
            raise EnvironmentProblem(
                tr("{folder} has no room for a recording: {reason}. Free some space and start again.", **fields)
            ) from error

    def give_up(self) -> None:
        """Frees the room."""
        self._path.unlink(missing_ok=True)
