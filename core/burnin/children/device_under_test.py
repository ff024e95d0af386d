"""One device under test: its worker process, the load it carries, and how the current stage ended on it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.burnin.children.child import Child, FreezeWatch, Inbox
from core.burnin.record.rows import EventLevel, Result, ResultStatus
from core.loads.dead_man import EXIT_CODE, WITHIN_S
from core.loads.evidence import RunEvidence, as_recorded
from core.loads.load import StopCause
from core.loads.table import BY_NAME as LOADS
from core.machine.telemetry.device import Device
from core.machine.telemetry.metrics import LOAD_METRICS
from core.platform.protocol import Message, text_field
from core.words import tr

WORKER = "core.loads.worker"
ENDED_JUST_NOW_S = 5.0
"""So long after a worker was ended the driver may still tell that its work was cleared away."""
FROZEN_FOR_S = WITHIN_S
"""A worker that was stopped for less than this by a debugger or a slip of the hand goes on; the guards watch its device
meanwhile. After that another one takes its place."""
CLOCK_AT_LIMIT = 0.96
"""Of its boost clock: what a sound simulated card keeps at its power limit, and is at full speed with."""
COUNTED = ("checks", "errors")
"""Metrics of a load that a worker counts over its life; here they go on over all workers of the device."""
STOP_LOAD_WITHIN_S = 2.0
"""A worker that is asked to stop its load and has not done so by then is ended."""

Note = tuple[EventLevel, str, str]
"""Level, kind and sentence of an event."""


@dataclass(frozen=True, slots=True)
class Freeze:
    """A worker was frozen for so long, and what became of it, in a sentence."""

    lasted_s: float
    text: str


class DeviceUnderTest:
    """State of one burned device, and how the current stage ended on it once that is decided."""

    def __init__(  # noqa: PLR0913 - what a device keeps through a run
        self,
        device: Device,
        *,
        inbox: Inbox,
        log_dir: Path,
        companion: bool = False,
        simulated: bool = False,
        counted: Mapping[str, float] | None = None,
        unsupervised_s: float = WITHIN_S,
    ) -> None:
        """`counted` is what earlier workers of the run have counted: checks and errors go on from there.

        A load goes on for `unsupervised_s` without a sign of life of this process.
        """
        self.device = device
        self.companion = companion
        """Whether it is not burned in itself, but accompanies a stage: the CPU beside the GPUs."""
        self.ready = False
        self.loading = False
        self.fraction = 0.0
        self.metrics = {name: count for name, count in (counted or {}).items() if name in COUNTED and count}
        """What its worker reported last; without a load what was counted on the device so far."""
        self.heartbeat_s = 0.0
        self.unusable: str | None = None
        """Why no further load is started on it."""
        self._result: Result | None = None
        self._stop_load_asked_s: float | None = None
        self._abandon_told = False
        self._freeze = FreezeWatch()
        self._unsupervised_s = unsupervised_s
        self._seconds = 0.0
        self.ran_s = 0.0
        """How long the load of this stage has run, as its worker last said."""
        self.interrupted = False
        """Whether that load was ended by what befell our own processes: nothing speaks against starting it again."""
        self.stop_cause: StopCause | None = None
        """Why the load of this stage was stopped, where its worker said so."""
        self.did_not_stop = False
        """Whether it is out only because its worker did not stop a load when asked."""
        self._load = ""
        self.group: frozenset[str] = frozenset()
        """Ids of the devices that the load runs on together with this one, itself included."""
        self.fault_kinds: set[str] = set()
        """What the load of this stage has found wrong so far."""
        self._inbox = inbox
        self._log = log_dir / f"worker-{device.id.replace('/', '_')}.log"  # as older drivers name shares of a GPU
        rates = device.simulated_rates
        words = json.dumps({"title": device.name, **rates}) if rates else device.name
        self._simulated = ["--simulated", words] if device.simulated or simulated else []
        self._counted_before = {name: (counted or {}).get(name, 0.0) for name in COUNTED}
        """By the workers before this one."""
        self._counted = dict(self._counted_before)
        self.worker: Child | None = None
        """None while the device rests: nothing of ours holds its clocks or memory then."""
        self.former: list[Child] = []
        """Workers that were ended or replaced and may still be on their way out."""
        self._former_seen_s = float("-inf")
        """When one of them was last alive."""

    @property
    def starting(self) -> bool:
        """Whether its worker is still getting ready."""
        return self.worker is not None and not self.ready and self.unusable is None

    @property
    def ending(self) -> bool:
        """Whether a worker that was ended still lives; one that the kernel holds is waited for no more."""
        return any(worker.alive and not worker.abandoned for worker in self.former)

    @property
    def workers(self) -> tuple[Child, ...]:
        """Its worker, if it has one, and those that were ended."""
        return (*self.former, *([self.worker] if self.worker else []))

    def ending_a_worker(self, now_s: float) -> bool:
        """Whether a process on this device was ended by us just now, this worker or one that it has replaced."""
        stopping = self.worker is not None and self.worker.stopping
        return stopping or now_s - self._former_seen_s <= ENDED_JUST_NOW_S

    # -- its worker -----------------------------------------------------------------------------------------------

    def wake(self) -> None:
        """Starts a worker where there is none, and the device can still be loaded."""
        if self.worker is None and self.unusable is None:
            command = [WORKER, "--device", self.device.id, "--kind", self.device.kind, *self._simulated]
            self.worker = Child(f"worker {self.device.id}", command, inbox=self._inbox, log=self._log)

    def rest(self) -> None:
        """Ends the worker: one that only waits keeps clocks and memory power of many GPUs up by its CUDA context."""
        if self.worker is not None:
            self.worker.stop()
            self.former.append(self.worker)
            self.worker, self.ready = None, False
            self._counted_before = dict(self._counted)
            self._end_load()

    def renew(self) -> None:
        """A new worker in place of one that is of no use through no fault of the device."""
        self.rest()
        self.did_not_stop = False
        self.unusable = None
        self.wake()

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
        self.fraction = self.ran_s = 0.0
        self.fault_kinds = set()
        self.stop_cause = None
        self.interrupted = False
        self._stop_load_asked_s = None
        if self.unusable:
            self._decide(ResultStatus.NOT_RUN, self.unusable)
            return
        assert self.worker is not None, "a load needs a worker"
        self.heartbeat_s = now_s
        self.loading = True
        self._load, self._seconds = load, seconds
        self.group = frozenset(group["devices"]) if group else frozenset()
        place = {} if group is None else {"group": {**group, "dead_man": self._unsupervised_s}}
        self.worker.send(
            "start", load=load, seconds=seconds, params=dict(params), dead_man=self._unsupervised_s, **place
        )

    def look_for_freeze(self, now_s: float) -> Freeze | None:
        """Whether somebody has frozen its worker: no card is blamed, and one that does not wake is replaced."""
        worker = self.worker
        if self.unusable or worker is None or worker.stopping:
            self._freeze.forget()
            return None
        if woken_after_s := self._freeze.look(now_s, frozen=worker.frozen):
            text = tr(
                "Its worker (process {pid}) was frozen from outside (SIGSTOP) for {seconds:.1f} s and went on.",
                pid=worker.pid,
                seconds=woken_after_s,
            )
            return Freeze(woken_after_s, text)
        lasted_s = self._freeze.lasted_s
        if lasted_s:  # its silence is not the device's
            self.heartbeat_s = now_s
        if lasted_s < FROZEN_FOR_S:
            return None
        fields = {"pid": worker.pid, "seconds": lasted_s}
        text = tr(
            "Its worker (process {pid}) was frozen from outside (SIGSTOP) for {seconds:.1f} s and was ended.", **fields
        )
        self._freeze.forget()
        self._interrupt(text)
        worker.kill()
        self.renew()
        return Freeze(lasted_s, text)

    def _interrupt(self, reason: str) -> None:
        """The load ended, and neither the device nor anybody's wish is why. What it had found wrong stays found."""
        self.interrupted = self.loading
        if self.loading:
            self._decide(ResultStatus.FAILED if self.fault_kinds else ResultStatus.STOPPED, reason)
        self._end_load()

    def tell_pace(self, readings: Mapping[str, float | None]) -> None:
        """A simulated load computes as fast as the clock of its card allows; real ones feel that by themselves."""
        clock, fastest = readings.get("clock_mhz"), self.device.clock_max_mhz
        if self.device.simulated and self.loading and clock and fastest and readings.get("utilisation_pct"):
            self._send("pace", share=min(1.0, clock / fastest / CLOCK_AT_LIMIT))

    def refuse_load(self, status: ResultStatus, reason: str) -> None:
        """Decides about a load that is not begun after all."""
        if self.unusable:
            self._decide(ResultStatus.NOT_RUN, self.unusable)
        self._decide(status, reason)

    def conclude_load(self) -> None:
        """Tells the worker that the load's time is over: it judges what it has done."""
        if self.loading:
            self._send("conclude")

    def stop_load(self, now_s: float) -> None:
        """Asks the worker to stop; `advance` goes further when it does not."""
        if self.loading and self._stop_load_asked_s is None:
            self._stop_load_asked_s = now_s
            self._send("stop")

    def end(self, status: ResultStatus, reason: str) -> None:
        """Takes the device out of the run: the stage ends with `status`, and no further load is started."""
        self._decide(status, reason)
        self.unusable = self.unusable or reason
        self._end_load()
        if self.worker is not None:
            self.worker.stop()

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
        self._freeze.excuse(seconds)
        if self._stop_load_asked_s is not None:
            self._stop_load_asked_s += seconds

    def advance(self, now_s: float) -> list[Note]:
        """Lets time pass: climbs the stop ladder where something was asked and not done."""
        since_s = self._stop_load_asked_s
        if self.loading and since_s is not None and now_s - since_s > STOP_LOAD_WITHIN_S:
            self.did_not_stop = self.unusable is None
            self.end(ResultStatus.STOPPED, tr("The worker did not stop its load when asked and was ended."))
        self.former = [worker for worker in self.former if worker.alive]
        if self.former:
            self._former_seen_s = now_s
        for worker in self.workers:
            worker.advance()
        abandoned = next((worker for worker in self.workers if worker.abandoned), None)
        if abandoned is None or self._abandon_told:
            return []
        self._abandon_told = True
        if abandoned is not self.worker:  # the device is held by it: no other load can run
            self.end(
                ResultStatus.STOPPED, tr("A worker that was ended is still there: {ending}", ending=abandoned.ending())
            )
        return [(EventLevel.ERROR, "abandoned", about_device(self.device, abandoned.ending()))]

    # -- reports --------------------------------------------------------------------------------------------------

    def handle(self, message: Message, now_s: float) -> list[Note]:
        """Takes in a report of the worker; returns what is worth an event."""
        match message["type"]:
            case "ready":
                self.ready = True
                backend = tr("simulated") if self.device.simulated else message.get("backend")
                return [(EventLevel.INFO, "ready", tr("Its worker is ready ({backend}).", backend=backend))]
            case "progress":
                self._progress(message, now_s)
                return []
            case "fault":
                self.fault_kinds.add(str(message.get("kind")))
                return [(EventLevel.ERROR, str(message.get("kind")), text_field(message, "message"))]
            case "done":
                return self._done(message)
            case "ended":
                return self._ended()
            case _:
                return []

    def _progress(self, message: Message, now_s: float) -> None:
        self.heartbeat_s = now_s
        self.fraction = float(message.get("fraction", 0.0))
        self.ran_s = self.fraction * self._seconds
        metrics = message.get("metrics", {})
        self.metrics = {name: float(metrics[name]) for name in LOAD_METRICS if metrics.get(name) is not None}
        for name in COUNTED:
            if name in self.metrics:
                self._counted[name] = self.metrics[name] = self._counted_before[name] + self.metrics[name]

    def _done(self, message: Message) -> list[Note]:
        if not self.loading:
            return []
        self._end_load()
        self.fraction = 1.0
        status = ResultStatus(message["status"])
        self.stop_cause = StopCause(message["stop"]) if message.get("stop") else None
        self.interrupted = self.stop_cause is StopCause.UNSUPERVISED
        reason = text_field(message, "reason") if self.stop_cause is None else self.stop_cause.label
        entry = LOADS.get(self._load)
        evidence = as_recorded(entry.evidence if entry else RunEvidence, message.get("evidence", {}))
        self._decide(status, reason, evidence)
        if message.get("spent"):
            self.renew()
        level = EventLevel.ERROR if status is ResultStatus.FAILED else EventLevel.INFO
        return [(level, status, reason or tr("The load ended: {status}.", status=status.label))]

    def _ended(self) -> list[Note]:
        worker = self.worker
        if worker is None or worker.stopping:
            return []
        # Its dead-man's switch ended it, without a sign of life from the runner: not the device's doing.
        if worker.exit_code == EXIT_CODE:
            text = StopCause.UNSUPERVISED.label
            self._interrupt(text)
            self.renew()
            return [(EventLevel.WARN, "dead-man", text)]
        reason = tr("The worker died: {ending}", ending=worker.ending())
        status = ResultStatus.FAILED if self.loading and self.fault_kinds else ResultStatus.DIED
        self._decide(status, reason, {"killed_from_outside": worker.killed_from_outside})
        self.unusable = reason
        self._end_load()
        return [(EventLevel.ERROR, "died", about_device(self.device, reason))]

    def _end_load(self) -> None:
        """What it has counted stays on record."""
        self.loading = False
        self.metrics = {name: count for name, count in self._counted.items() if count or name in self.metrics}

    def _send(self, command: str, **fields: Any) -> None:
        if self.worker is not None:
            self.worker.send(command, **fields)

    def _decide(self, status: ResultStatus, reason: str, evidence: dict[str, Any] | None = None) -> None:
        """The first decision counts, but a stop never hides a failure."""
        if self._result is None or self._result[0] is ResultStatus.STOPPED:
            self._result = (status, reason, evidence or {})


def about_device(device: Device, sentence: str) -> str:
    """What is told of a device, with its name before it."""
    return tr("{device}: {finding}", device=device.title, finding=sentence)
