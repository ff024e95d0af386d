"""Watches over a run while it burns: takes in reports, records a sample a second, guards, heeds requests."""

from __future__ import annotations

import queue
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from core.burnin.children.child import LOOK_EVERY_S, NOTED_S, Child, Inbox, SignOfLife
from core.burnin.children.device_under_test import DeviceUnderTest, Note
from core.burnin.children.sensors import Sensors
from core.burnin.guards.rounds import MemoryGuard, Rounds, disk_breach, telemetry_breach
from core.burnin.record.incidents import Incidents
from core.burnin.record.patient_store import OpenedRun, PatientStore
from core.burnin.record.rows import (
    REQUESTED,
    STOP_EVENT,
    EventLevel,
    InterruptionKind,
    Outcome,
    Reason,
    ReasonCriterion,
    ResultStatus,
)
from core.burnin.run.machine import is_of_run, simulate_power_cut
from core.burnin.run.pauses import SAMPLER, Pauses, RunRecording
from core.platform.protocol import Message, text_field
from core.words import tr

TICK_S = 1.0
READY_WITHIN_S = 180.0
"""Importing torch from a cold disk on many workers at once takes its time."""
SKIPPED = tr("The user skipped the rest of this stage.")
COUNT_WITHIN_S = 2.0
"""For the answer of the sampler when errors are counted at the end of a stage: a driver that hangs holds up no run."""


class Supervision(RunRecording):
    """One `turn` after another; between them the runner moves the run from stage to stage.

    Single-threaded: children report through one queue.
    """

    def __init__(self, data_dir: Path, store: PatientStore, run: OpenedRun, sensors: Sensors, inbox: Inbox) -> None:
        super().__init__(store, run)
        self.sensors = sensors
        self.devices: dict[str, DeviceUnderTest] = {}
        """Those that carry loads, by id, as their workers are started."""
        self.stopped: Reason | None = None
        """Why the whole run ends early."""
        self._skip = False
        """Whether the user wants the running stage to end."""
        self.incidents = Incidents()
        self._cost: Message | None = None
        self._counting = False
        """Whether the sampler was asked to count errors and has not answered yet."""
        self._waits_for: str | None = None
        """What the sampler waits for while it cannot measure."""
        self.told_to_end: Callable[[], bool] = lambda: False
        """Whether the system wants this process to end."""
        self._data_dir = data_dir
        self._inbox = inbox
        self._turn_s = self._next_tick = self._next_look = self.now()
        tested = {device.id for device in (*run.burned, *run.companions)}
        tested |= {device.parent for device in run.burned if device.parent}
        self._awake_s = time.monotonic()
        """When it turned last, on the monotonic clock."""
        self._pauses = Pauses(self, run.profile.guards)
        self._sign_of_life = SignOfLife(
            self._workers, lambda: self._awake_s, unwatched_s=run.profile.guards.telemetry_timeout_s
        )
        watched = {device.id: device for device in run.watched}
        self._rounds = Rounds(run.profile.guards, watched, tested, event=self.event, stop=self.stop)
        self._memory = MemoryGuard(run.profile.guards)

    def begin_stage(self, number: int, progress: Callable[[], float]) -> None:
        """From now on samples and interruptions belong to it; `progress` tells how far it is, 0 to 1."""
        self._stage, self._skip = (number, progress), False
        self._rounds.new_stage()

    def end_stage(self) -> None:
        """Until the next one begins nothing belongs to a stage."""
        self._stage = None

    def count_errors(self) -> None:
        """Puts on record what was counted until now, so that an error belongs to the stage in which it happened."""
        self._counting = True
        self.sensors.ask_counts()
        late_s = self.now() + COUNT_WITHIN_S
        while self._counting and self.now() < late_s and self.sensors.sampler.alive:
            self.turn()
        if not self._counting:
            self._record_sample(self._readings)

    @property
    def cut(self) -> bool:
        """Whether the running stage ends before its time."""
        return self._skip or self.stopped is not None

    @property
    def why_cut(self) -> str | None:
        """Why it does, in a sentence; None where it does not."""
        if self.stopped is not None:
            return self.stopped.text
        return SKIPPED if self._skip else None

    def stop(self, reason: Reason) -> None:
        """Ends the run early; the first reason counts."""
        if self.stopped is None:
            self.stopped = replace(reason, criterion=ReasonCriterion.STOP, time_s=round(self.now(), 3))
            self.event(EventLevel.WARN, STOP_EVENT, reason.text)

    def guard_workers(self) -> None:
        """From now on the loads end by themselves when this process stands still."""
        self._sign_of_life.start()

    def await_telemetry(self) -> None:
        """Until the sampler reports again, or the guard ends the run: no load was unwatched in its last second."""
        heard_s = self.sensors.heard_s
        while not self.stopped and self.sensors.heard_s == heard_s:
            self.turn()

    def end_children(self) -> None:
        """Ends the sampler and all workers; takes as long as the ladder of `Child` at most."""
        self._sign_of_life.end()
        self._pauses.end()
        children = [self.sensors.sampler, *(worker for device in self.devices.values() for worker in device.workers)]
        while any(child.alive for child in children):
            for child in children:
                child.stop()
                child.advance()
            time.sleep(0.02)

    def wake(self, devices: Sequence[DeviceUnderTest]) -> None:
        """Workers for these, ready before the stage that needs them begins: importing torch takes seconds."""
        for device in devices:
            device.wake()
        self.wait_until_ready(devices)

    def rest(self) -> None:
        """Ends all workers, and waits until they are gone, or have been left to the kernel."""
        for device in self.devices.values():
            device.rest()
        while not self.stopped and any(device.ending for device in self.devices.values()):
            self.turn()

    def wait_until_ready(self, devices: Sequence[DeviceUnderTest]) -> None:
        """Until the workers have started, or the run is stopped; those that do not start are out of the run."""
        late_s = self.now() + READY_WITHIN_S
        while not self.stopped and self.now() < late_s and any(device.starting for device in devices):
            self.turn()
        for device in devices:
            if device.starting and not self.stopped:
                text = tr("Its worker was not ready within {seconds:.0f} s.", seconds=READY_WITHIN_S)
                device.end(ResultStatus.DIED, text)

    def note_cost(self) -> None:
        """Tells what measuring has cost, as the sampler last said (core.platform.child_reports)."""
        if self._cost is None:
            return
        slowest, fields = self._cost.get("slowest"), {"share": self._cost.get("cpu_pct", 0.0)}
        fields |= {"usual": self._cost.get("tick_p50_ms", 0.0), "worst": self._cost.get("tick_p99_ms", 0.0)}
        text = tr(
            "Sampling took {share:.1f} % of one core, {usual:.0f} ms per sample ({worst:.0f} ms at worst).", **fields
        )
        if slowest:
            text = tr(
                "Sampling took {share:.1f} % of one core, {usual:.0f} ms per sample ({worst:.0f} ms at "
                "worst); the slowest reading: {slowest}.",
                slowest=slowest,
                **fields,
            )
        self.event(EventLevel.INFO, "cost", text)

    def note_endings(self) -> None:
        """Tells of workers that did not end."""
        for device in self.devices.values():
            self._note(device, device.advance(self.now()))

    def _workers(self) -> list[Child]:
        return [worker for device in list(self.devices.values()) if (worker := device.worker) is not None]

    def turn(self) -> None:
        """Waits for the next report or tick and deals with it."""
        self._awake_s = time.monotonic()
        if self.told_to_end():
            self.stop(Reason(Outcome.INCOMPLETE, tr("The system told the runner to end."), about=REQUESTED))
        try:
            report = self._inbox.get(timeout=max(0.0, min(0.1, self._next_tick - self.now())))
        except queue.Empty:
            report = None
        now_s = self.now()
        self._excuse_silence(now_s)
        if report:
            self._handle(*report)
        if now_s >= self._next_tick:
            self._tick(now_s)
        if now_s >= self._next_look:
            self._next_look = now_s + LOOK_EVERY_S
            self._heed_requests()
            self._look_at_sampler()
            for device in self.devices.values():
                self._pauses.take_freeze(device, now_s)
        self.note_endings()

    def _heed_requests(self) -> None:
        """Does what viewers have asked for since the last time, and answers them."""
        if self._store.behind:
            return  # what is heeded now could not be answered, and would be heeded again
        for request in self._store.pending_requests(self._run.id):
            answer = "done"
            match request.kind:
                case "stop":
                    self.stop(Reason(Outcome.INCOMPLETE, tr("Stopped by the user."), about=REQUESTED))
                case "skip" if self._stage is not None:
                    self._skip = True
                    self.event(EventLevel.WARN, "skip", SKIPPED)
                case "skip":
                    text = tr("A skip was requested while no stage was running: nothing was skipped.")
                    self.event(EventLevel.INFO, "skip", text)
                case "mark":
                    self.event(EventLevel.INFO, "mark", request.argument)
                case _:
                    answer = f"unknown request {request.kind!r}"
            self._store.answer(request.id, answer)

    def _excuse_silence(self, now_s: float) -> None:
        """A turn takes a tenth of a second; after one that took longer (the runner was stopped, the disk did not
        answer) the silence of the children is not counted against them."""
        still_s, self._turn_s = now_s - self._turn_s, now_s
        if still_s < NOTED_S:
            return
        self.sensors.excuse(still_s)
        for device in self.devices.values():
            device.excuse(still_s)
        loading = [device_id for device_id, device in self.devices.items() if device.loading]
        signless_s = self._sign_of_life.take_longest_s()
        self._pauses.take_turn(still_s, signless_s, loaded=bool(loading), witnesses=[SAMPLER, *loading])

    def _handle(self, child: Child, message: Message) -> None:
        if child is self.sensors.sampler:
            self._handle_sampler(message)
            return
        if message["type"] == "ready":
            self._record_software(message.get("detail", {}))
        for device in self.devices.values():
            if device.worker is child:
                was_loading = device.loading
                if message["type"] == "libraries":
                    self._record_libraries("worker", device.device.id, message)
                self._note(device, device.handle(message, self.now()))
                self._pauses.take_report(device, message, was_loading=was_loading)

    def _handle_sampler(self, message: Message) -> None:
        match message["type"]:
            case "libraries":
                self._record_libraries("sampler", "", message)
            case "samples":
                self._waits_for = None
                self._pauses.take_stamp(SAMPLER, message.get("measured_s"))
                self._pauses.unmeasured(self.sensors.silent_s())
                self.sensors.take(message["samples"])
                for device in self.devices.values():
                    device.tell_pace(message["samples"].get(device.device.id, {}))
            case "counts":
                self.sensors.take_counts(message["counts"])
                self._counting = False
            case "overdue":
                self._waits_for = text_field(message, "waiting_for")
                self._tell_incident(message)
            case "xid" | "sxid" | "driver" | "aer" | "mce" | "edac" | "drill":
                self._tell_incident(message)
            case "noise" | "wall" as kind:
                self.event(EventLevel.WARN, kind, text_field(message, "text"))
            case "cost":
                self._cost = message
            case "reset" if self._run.simulated:
                simulate_power_cut(self._data_dir)
            case "lost":
                self._lose(str(message["device"]), message["reason"])
            case "ended" if not self.sensors.sampler.stopping:
                ending = self.sensors.sampler.ending()
                self._replace_sampler(tr("The sampler died: {ending}", ending=ending))

    def _tell_incident(self, message: Message) -> None:
        device = self.devices.get(str(message.get("device")))
        we_ended_it = device is not None and device.ending_a_worker(self.now())
        event = self.incidents.take(message, self.now(), we_ended_it=we_ended_it, is_ours=self._is_ours)
        if event.incident is None:
            self.event(event.level, event.kind, event.text)
        else:
            self._store.add_incident(self._run.id, round(self.now(), 3), event.level, event.text, event.incident)

    def _is_ours(self, pid: int, program: str) -> bool:
        return is_of_run(pid, program, (mark.pid for mark in self._recorded_processes))

    def _lose(self, device_id: str, reason: str) -> None:
        text = tr("The device was lost: {reason}", reason=reason)
        self.event(EventLevel.ERROR, "lost", text, device_id)
        if device_id in self.devices:
            self.devices[device_id].end(ResultStatus.FAILED, text)

    def _look_at_sampler(self) -> None:
        """Whether somebody has frozen it, and whether it hangs. While it tells that a driver does, another one would
        hang in that, too."""
        if woken_after_s := self.sensors.look_for_freeze(self.now()):
            text = tr(
                "The sampler was frozen from outside (SIGSTOP) for {seconds:.1f} s and went on.", seconds=woken_after_s
            )
            self.interrupt(InterruptionKind.FROZEN, woken_after_s, text)
        if not self.sensors.hangs or not self.sensors.sampler.alive:
            return
        seconds = self.sensors.silent_s()
        if self.sensors.sampler.frozen:
            text = tr(
                "The sampler was frozen from outside (SIGSTOP) for {seconds:.1f} s: another one took its place.",
                seconds=seconds,
            )
            self._replace_sampler(text)
        elif not self._waits_for:
            text = tr("The sampler told nothing for {seconds:.1f} s: another one took its place.", seconds=seconds)
            self._replace_sampler(text)

    def _replace_sampler(self, why: str) -> None:
        self._waits_for = None
        self.event(EventLevel.ERROR, "sampler", why)
        if self.sensors.replace():
            for device in self.devices.values():
                self.sensors.tell_activity(device.device, 1.0 if device.loading else 0.0)

    def _tick(self, now_s: float) -> None:
        self._next_tick = max(self._next_tick + TICK_S, now_s)
        self._catch_up()
        self._record_sample(self._readings)
        self._record_processes(SAMPLER, [self.sensors.sampler])
        self._record_processes("worker", self._workers())
        self._pauses.look()
        self._guard(now_s)

    def settle(self) -> None:
        """Until everything is on record, or the run is stopped."""
        while self._store.behind and not self.stopped:
            self.turn()

    def _readings(self, device_id: str) -> dict[str, float | None]:
        device = self.devices.get(device_id)
        return {**self.sensors.fresh(device_id), **(device.metrics if device else {})}

    def _guard(self, now_s: float) -> None:
        guards = self._run.profile.guards
        blind = telemetry_breach(self.sensors.silent_s(), guards, self._waits_for)
        for breach in (blind, disk_breach(self._data_dir, guards), self._memory.breach(now_s)):
            if breach:
                self.stop(Reason(Outcome.INCOMPLETE, breach))
        if not blind:
            self._rounds.go(now_s, self.devices, self.sensors)

    def _note(self, device: DeviceUnderTest, notes: list[Note]) -> None:
        for level, kind, text in notes:
            self.event(level, kind, text, device.device.id)
