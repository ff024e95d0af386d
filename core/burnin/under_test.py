"""One device under test: its worker process, the load it carries, and how the current stage ended on it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.burnin.child import Child, Inbox
from core.burnin.record import EventLevel, Result, ResultStatus
from core.loads.dead_man import EXIT_CODE, SILENT
from core.protocol import Message
from core.telemetry.device import Device, DeviceKind
from core.telemetry.metrics import LOAD_METRICS

WORKER = "core.loads.worker"
ENDED_JUST_NOW_S = 5.0
"""So long after a worker was ended the driver may still tell that its work was cleared away."""
FROZEN_FOR_S = 1.5
"""A worker that was stopped for less than this by a debugger or a slip of the hand goes on."""
STOP_LOAD_WITHIN_S = 2.0
"""A worker that is asked to stop its load and has not done so by then is ended."""

Note = tuple[EventLevel, str, str]
"""Level, kind and sentence of an event."""


class DeviceUnderTest:
    """State of one burned device, and how the current stage ended on it once that is decided."""

    def __init__(
        self, device: Device, *, inbox: Inbox, log_dir: Path, companion: bool = False, simulated: bool = False
    ) -> None:
        self.device = device
        self.companion = companion
        """Whether it is not burned in itself, but accompanies a stage: the CPU beside the GPUs."""
        self.ready = False
        self.loading = False
        self.fraction = 0.0
        self.metrics: dict[str, float] = {}
        self.heartbeat_s = 0.0
        self.unusable: str | None = None
        """Why no further load is started on it."""
        self._result: Result | None = None
        self._stop_load_asked_s: float | None = None
        self._abandon_told = False
        self._frozen_since_s: float | None = None
        self.did_not_stop = False
        """Whether it is out only because its worker did not stop a load when asked."""
        self.fellows: frozenset[str] = frozenset()
        """Ids of the devices that the load runs on together with this one, itself included."""
        self.fault_kinds: set[str] = set()
        """What the load of this stage has found wrong so far."""
        self._inbox = inbox
        self._log = log_dir / f"worker-{device.id}.log"
        self._simulated = ["--simulated", device.name] if device.simulated or simulated else []
        self.worker = self._start()
        self.former: list[Child] = []
        """Workers that were replaced and may still be on their way out."""
        self._former_seen_s = float("-inf")
        """When one of them was last alive."""

    @property
    def starting(self) -> bool:
        """Whether its worker is still getting ready."""
        return not self.ready and self.unusable is None

    @property
    def holds_context(self) -> bool:
        """Whether our own worker keeps a real GPU awake: many cards hold clocks and memory power up for it."""
        is_real = self.device.kind is DeviceKind.GPU and not self.device.simulated
        return is_real and self.ready and self.worker.alive

    def ending_a_worker(self, now_s: float) -> bool:
        """Whether a process on this device was ended by us just now, this worker or one that it has replaced."""
        return self.worker.stopping or now_s - self._former_seen_s <= ENDED_JUST_NOW_S

    # -- commands -------------------------------------------------------------------------------------------------

    def start_load(
        self,
        now_s: float,
        load: str,
        seconds: float,
        params: Mapping[str, Any],
        *,
        group: Mapping[str, Any] | None = None,
    ) -> None:
        """Begins a load on this device."""
        self.fraction = 0.0
        self.fault_kinds = set()
        self._stop_load_asked_s = None
        if self.unusable:
            self._decide(ResultStatus.NOT_RUN, self.unusable)
            return
        self.heartbeat_s = now_s
        self.loading = True
        self.fellows = frozenset(group["devices"]) if group else frozenset()
        place = {} if group is None else {"group": dict(group)}
        self.worker.send("start", load=load, seconds=seconds, params=dict(params), dead_man=True, **place)

    def look_for_freeze(self, now_s: float) -> str | None:
        """Whether somebody has frozen its worker: whatever it did then, it is ended, and no card is blamed."""
        if self.unusable or self.worker.stopping or not self.worker.frozen:
            self._frozen_since_s = None
            return None
        self._frozen_since_s = now_s if self._frozen_since_s is None else self._frozen_since_s
        if now_s - self._frozen_since_s < FROZEN_FOR_S:
            return None
        reason = f"Its worker (process {self.worker.pid}) was frozen from outside (SIGSTOP) and was ended."
        self.end(ResultStatus.STOPPED, reason)
        self.worker.kill()
        return reason

    def refuse_load(self, status: ResultStatus, reason: str) -> None:
        """Decides about a load that is not begun after all."""
        if self.unusable:
            self._decide(ResultStatus.NOT_RUN, self.unusable)
        self._decide(status, reason)

    def conclude_load(self) -> None:
        """Tells the worker that the load's time is over: it judges what it has done."""
        if self.loading:
            self.worker.send("conclude")

    def stop_load(self, now_s: float) -> None:
        """Asks the worker to stop; `advance` goes further when it does not."""
        if self.loading and self._stop_load_asked_s is None:
            self._stop_load_asked_s = now_s
            self.worker.send("stop")

    def end(self, status: ResultStatus, reason: str) -> None:
        """Takes the device out of the run: the stage ends with `status`, and no further load is started."""
        self._decide(status, reason)
        self.unusable = self.unusable or reason
        self.loading = False
        self.metrics = {}
        self.worker.stop()

    def renew(self) -> None:
        """A new worker in place of one that is of no use through no fault of the device."""
        self.worker.stop()
        self.ready = self.did_not_stop = False
        self.unusable = None
        self._abandon_told = False
        self.former.append(self.worker)
        self.worker = self._start()

    def take_result(self) -> Result | None:
        """How the stage ended on this device, once; None while that is undecided.

        A device that ends outside a load (while it starts, at rest, after its own load) is charged to the stage in
        which that is taken.
        """
        result, self._result = self._result, None
        return result

    def excuse(self, seconds: float) -> None:
        """Silence while the runner itself stood still is not the worker's."""
        self.heartbeat_s += seconds
        if self._stop_load_asked_s is not None:
            self._stop_load_asked_s += seconds

    def advance(self, now_s: float) -> list[Note]:
        """Lets time pass: climbs the stop ladder where something was asked and not done."""
        asked = self._stop_load_asked_s
        if self.loading and asked is not None and now_s - asked > STOP_LOAD_WITHIN_S:
            self.did_not_stop = self.unusable is None
            self.end(ResultStatus.STOPPED, "The worker did not stop its load when asked and was ended.")
        if any(worker.alive for worker in self.former):
            self._former_seen_s = now_s
        for worker in (*self.former, self.worker):
            worker.advance()
        if self.worker.abandoned and not self._abandon_told:
            self._abandon_told = True
            return [(EventLevel.ERROR, "abandoned", f"{self.device.title}: {self.worker.ending()}")]
        return []

    # -- reports --------------------------------------------------------------------------------------------------

    def handle(self, message: Message, now_s: float) -> list[Note]:
        """Takes in a report of the worker; returns what is worth an event."""
        match message["type"]:
            case "ready":
                self.ready = True
                return [(EventLevel.INFO, "ready", f"Its worker is ready ({message.get('backend')}).")]
            case "progress":
                self._progress(message, now_s)
                return []
            case "fault":
                self.fault_kinds.add(str(message.get("kind")))
                return [(EventLevel.ERROR, str(message.get("kind")), str(message.get("message")))]
            case "done":
                return self._done(message)
            case "ended":
                return self._ended()
            case _:
                return []

    def _progress(self, message: Message, now_s: float) -> None:
        self.heartbeat_s = now_s
        self.fraction = float(message.get("fraction", 0.0))
        metrics = message.get("metrics", {})
        self.metrics = {name: float(metrics[name]) for name in LOAD_METRICS if metrics.get(name) is not None}

    def _done(self, message: Message) -> list[Note]:
        if not self.loading:
            return []
        self.loading = False
        self.fraction = 1.0
        status = ResultStatus(message["status"])
        reason = str(message.get("reason", ""))
        self._decide(status, reason, message.get("evidence", {}))
        self.metrics = {name: value for name, value in self.metrics.items() if name in ("checks", "errors")}
        if message.get("spent"):
            self.renew()
        level = EventLevel.ERROR if status is ResultStatus.FAILED else EventLevel.INFO
        return [(level, status, reason or f"The load ended: {status}.")]

    def _ended(self) -> list[Note]:
        if self.worker.stopping:
            return []
        if self.worker.exit_code == EXIT_CODE:
            return self._ended_unsupervised()
        reason = f"The worker died: {self.worker.ending()}"
        status = ResultStatus.FAILED if self.loading and self.fault_kinds else ResultStatus.DIED
        self._decide(status, reason, {"killed_from_outside": self.worker.killed_from_outside})
        self.unusable = reason
        self.loading = False
        self.metrics = {}
        return [(EventLevel.ERROR, "died", f"{self.device.title}: {reason}")]

    def _ended_unsupervised(self) -> list[Note]:
        """The dead-man's switch ended the worker while the runner gave no sign of life: no doing of the device."""
        if self.loading:
            self._decide(ResultStatus.STOPPED, SILENT)
        self.loading = False
        self.metrics = {}
        self.renew()
        return [(EventLevel.WARN, "dead-man", SILENT)]

    def _decide(self, status: ResultStatus, reason: str, evidence: dict[str, Any] | None = None) -> None:
        """The first decision counts, but a stop never hides a failure."""
        if self._result is None or self._result[0] is ResultStatus.STOPPED:
            self._result = (status, reason, evidence or {})

    def _start(self) -> Child:
        command = [WORKER, "--device", self.device.id, "--kind", self.device.kind, *self._simulated]
        return Child(f"worker {self.device.id}", command, inbox=self._inbox, log=self._log)
