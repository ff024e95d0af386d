"""What the runner knows of the sensors: the sampler process, its newest readings, and how long it has been silent."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from core.burnin.children.child import Child, FreezeWatch, Inbox
from core.machine.sound.calibration import Microphone
from core.machine.telemetry.detect import START_WITHIN_S
from core.machine.telemetry.device import Device
from core.platform.errors import EnvironmentProblem
from core.words import tr

SAMPLER = "core.machine.telemetry.sampler"
DETECT_WITHIN_S = START_WITHIN_S
MOST_REPLACED = 2
"""A sampler that fails again and again has a reason; the telemetry guard then stops the loads."""
HUNG_AFTER_S = 5.0
"""Of silence a sampler is replaced that still runs, where the telemetry guard has more patience."""
STALE_S = 2.5
"""Readings older than this are not recorded again: a gap is shown as a gap."""

Readings = Mapping[str, float | None]


class Sensors:
    """The sampler and what it reported last.

    Two clocks, in s: readings age by the monotonic one; silence is counted by one that stands still with the runner.
    """

    def __init__(
        self,
        simulate: str | None,
        *,
        inbox: Inbox,
        log: Path,
        microphone: Microphone | None = None,
        wall: str | None = None,
    ) -> None:
        self._command = [SAMPLER, "--recording", str(log.parent), *(["--simulate", simulate] if simulate else [])]
        if microphone is not None:
            self._command += ["--noise", microphone.name, "--noise-offset", str(microphone.offset_db)]
        if wall is not None:
            self._command += ["--wall", wall]
        self._inbox = inbox
        self._log = log
        self.heard_s = 0.0
        """When the sampler last reported a sample, on the monotonic clock."""
        self._newest: dict[str, tuple[float, Readings]] = {}
        self._stood_still_s = 0.0
        self._heard_s = self._begun_s = self._awake_s()
        self._replaced_s = float("-inf")
        self._measured_s: dict[str, float] = {}
        self._replaced = 0
        self._freeze = FreezeWatch()
        self.sampler = self._start()

    def wait_for_devices(self, cancelled: Callable[[], bool]) -> list[Device]:
        """The sampler's first report. Raises EnvironmentProblem when there is none, or the wait is `cancelled`."""
        deadline = time.monotonic() + DETECT_WITHIN_S
        while time.monotonic() < deadline and not cancelled():
            try:
                _, message = self._inbox.get(timeout=0.1)
            except queue.Empty:
                continue
            if message["type"] == "devices":
                self._heard_s = self._begun_s = self._awake_s()
                return [Device.from_dict(stored) for stored in message["devices"]]
            if message["type"] == "ended":
                raise EnvironmentProblem(
                    tr("The devices could not be read: the sampler's {ending}", ending=self.sampler.ending())
                )
        self.sampler.kill()
        if cancelled():
            raise EnvironmentProblem(tr("The system told the run to end before it had started."))
        raise EnvironmentProblem(
            tr("The devices did not answer within {seconds:.0f} s: a driver may be hung.", seconds=DETECT_WITHIN_S)
        )

    def take(self, samples: Mapping[str, Readings]) -> None:
        """Keeps a report. A device without a single reading is as silent as one that is missing."""
        self._heard_s = self._awake_s()
        self.heard_s = time.monotonic()
        for device_id, readings in samples.items():
            if any(value is not None for value in readings.values()):
                self._newest[device_id] = (time.monotonic(), readings)
                self._measured_s[device_id] = self._heard_s

    def ask_counts(self) -> None:
        """Has the sampler count errors now: by itself it does so every ten seconds only."""
        self.sampler.send("count")

    def take_counts(self, counts: Mapping[str, Readings]) -> None:
        """Adds them to the newest readings, which grow no younger by that."""
        for device_id, counted in counts.items():
            if device_id in self._newest:
                read_s, readings = self._newest[device_id]
                self._newest[device_id] = (read_s, {**readings, **counted})

    def fresh(self, device_id: str) -> Readings:
        """The device's readings, none if they are old."""
        read_s, readings = self._newest.get(device_id, (0.0, {}))
        return readings if time.monotonic() - read_s < STALE_S else {}

    def silent_s(self) -> float:
        """Since the sampler's last report."""
        return self._awake_s() - self._heard_s

    def device_silent_s(self, device_id: str) -> float:
        """Since the device was last measured."""
        return self._awake_s() - self._measured_s.get(device_id, self._begun_s)

    def excuse(self, seconds: float) -> None:
        """Silence while the runner itself stood still is not the sampler's."""
        self._stood_still_s += seconds
        self._freeze.excuse(seconds)

    def replace(self) -> bool:
        """A new sampler in place of one that died or hangs, a few times. The guard goes on counting the silence."""
        if self._replaced >= MOST_REPLACED:
            return False
        self._replaced += 1
        self._replaced_s = self._awake_s()
        self.sampler.kill()
        self._freeze.forget()
        self.sampler = self._start()
        return True

    def look_for_freeze(self, now_s: float) -> float | None:
        """For how long somebody had frozen the sampler, which has just woken."""
        return self._freeze.look(now_s, frozen=self.sampler.frozen)

    @property
    def hangs(self) -> bool:
        """Whether the sampler has told nothing for so long that another one is to take its place, and may."""
        since_s, patience_s = self._heard_s, HUNG_AFTER_S
        if self._replaced_s > self._heard_s:
            since_s, patience_s = self._replaced_s, DETECT_WITHIN_S
        return self._replaced < MOST_REPLACED and self._awake_s() - since_s >= patience_s

    def tell_activity(self, device: Device, load: float) -> None:
        """Simulated devices do not feel their load by themselves."""
        if device.simulated:
            self.sampler.send("activity", device=device.id, load=load)

    def _awake_s(self) -> float:
        return time.monotonic() - self._stood_still_s

    def _start(self) -> Child:
        return Child(tr("the sampler"), self._command, inbox=self._inbox, log=self._log)
