"""The runner: one process per run. It supervises the sampler and the workers, guards, records and judges.

Started by `core.burnin.launch` as `python -m core.burnin.runner --data-dir DIR` with an order as JSON on standard
input. It answers with one JSON line, {"type": "recorded", "run": n} or {"type": "refused", ...}, and goes on alone.
"""

from __future__ import annotations

import argparse
import json
import os
import queue
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from core import __version__
from core.burnin.child import Child, Inbox
from core.burnin.guards import TemperatureGuard, disk_breach, heartbeat_breach, telemetry_breach
from core.burnin.lock import take_runner_lock
from core.burnin.machine import boot_id, describe_machine
from core.burnin.observe import Result, observe
from core.burnin.order import BurnOrder, choose_devices
from core.burnin.profile import Profile, StageSettings
from core.burnin.record import EventLevel, Outcome, Reason, ResultStatus, RunDevice, StageResult, StageStatus
from core.burnin.stages import BY_KIND
from core.burnin.store import RunStore
from core.burnin.under_test import DeviceUnderTest
from core.burnin.verdict import Recorded, judge
from core.errors import EnvironmentProblem, ExitCode, RigwrightError
from core.protocol import Message
from core.telemetry.device import Device

SAMPLER = "core.telemetry.sampler"
TICK_S = 1.0
REQUESTS_EVERY_S = 0.25
STALE_S = 2.5
"""Sensor values older than this are not recorded again: a gap is shown as a gap."""
DETECT_WITHIN_S = 30.0
READY_WITHIN_S = 180.0
"""Importing torch from a cold disk on many workers at once takes its time."""
FINISH_GRACE_S = 20.0
"""A load may end this much later than planned, for instance within a long step."""


class Runner:
    """Records one run from its first stage to its verdict. Single-threaded; children report through one queue."""

    def __init__(self, data_dir: Path, order: BurnOrder) -> None:
        self._data_dir = data_dir
        self._boot_id = boot_id()
        self._inbox: Inbox = queue.SimpleQueue()
        self._stop_signal = False
        self._stopped: Reason | None = None
        self._skip = False
        self._stage: tuple[int, StageSettings] | None = None
        self._stage_started_s = 0.0
        self._sensors: dict[str, tuple[float, dict[str, float | None]]] = {}
        self._restarts = 0
        self._simulate = order.simulate
        self._store = RunStore(data_dir)
        if breach := disk_breach(data_dir, order.wanted_profile().guards):
            raise EnvironmentProblem(breach)
        self._log_dir = data_dir / "logs"
        self._sampler = self._start_sampler()
        present = self._wait_for_devices()
        self.run_id, self._profile, self._devices = self._open_run(order, present)
        self._started = time.monotonic() - self._elapsed_before()
        self._next_tick = self._next_requests = self._now()
        self._telemetry_s = self._now()
        self._guards = {device.id: TemperatureGuard(device, self._profile.guards) for device in self._devices}
        self._under_test: dict[str, DeviceUnderTest] = {}
        self._watched = [row.device for row in self._store.devices(self.run_id)]

    # -- beginning ------------------------------------------------------------------------------------------------

    def _start_sampler(self) -> Child:
        simulate = ["--simulate", self._simulate] if self._simulate else []
        return Child("sampler", SAMPLER, simulate, inbox=self._inbox, log=self._log_dir / "sampler.log")

    def _wait_for_devices(self) -> list[Device]:
        deadline = time.monotonic() + DETECT_WITHIN_S
        while (left_s := deadline - time.monotonic()) > 0:
            try:
                _, message = self._inbox.get(timeout=left_s)
            except queue.Empty:
                break
            if message["type"] == "devices":
                return [Device.from_dict(stored) for stored in message["devices"]]
            if message["type"] == "ended":
                raise EnvironmentProblem(f"The devices could not be read: the sampler's {self._sampler.ending()}")
        self._sampler.stop(time.monotonic() - DETECT_WITHIN_S)
        raise EnvironmentProblem(f"The devices did not answer within {DETECT_WITHIN_S:.0f} s: a driver may hang.")

    def _open_run(self, order: BurnOrder, present: list[Device]) -> tuple[int, Profile, list[Device]]:
        for run in self._store.runs():
            if run.status == "running":
                self._store.mark_interrupted(run.id)
        if order.resume is not None:
            return self._reopen_run(order.resume, present)
        profile = order.wanted_profile()
        chosen = choose_devices(present, order.devices)
        run_id = self._store.create_run(
            title=profile.title,
            profile=profile,
            devices=[RunDevice(device, position, device in chosen) for position, device in enumerate(present)],
            stage_titles=[BY_KIND[stage.kind].title for stage in profile.stages],
            boot_id=self._boot_id,
            machine=describe_machine(),
            version=__version__,
            build=order.build,
        )
        self._store.set_runner(run_id, os.getpid(), self._boot_id)
        return run_id, profile, chosen

    def _reopen_run(self, run_id: int, present: list[Device]) -> tuple[int, Profile, list[Device]]:
        run = self._store.run(run_id)
        if run.status != "interrupted":
            raise EnvironmentProblem(f"Run {run_id} was not interrupted: there is nothing to go on with.")
        burned = [row.device for row in self._store.devices(run_id) if row.burned]
        gone = [device.title for device in burned if device.id not in {other.id for other in present}]
        if gone:
            raise EnvironmentProblem(f"Run {run_id} cannot go on: {', '.join(gone)} is not present any more.")
        self._store.set_runner(run_id, os.getpid(), self._boot_id)
        return run_id, run.profile, burned

    def _elapsed_before(self) -> float:
        """A resumed run goes on after its last second."""
        last_s = self._store.last_time_s(self.run_id)
        return last_s + 1.0 if last_s else 0.0

    # -- the run --------------------------------------------------------------------------------------------------

    def run(self) -> ExitCode:
        """All stages, then the verdict. Returns the exit code that fits it."""
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)
        try:
            self._event(EventLevel.INFO, "started", f"{self._profile.title} on {len(self._devices)} device(s).")
            self._start_workers()
            for stage in self._store.stages(self.run_id):
                if stage.status is StageStatus.DONE:
                    continue
                self._run_stage(stage.number, self._profile.stages[stage.number])
            return self._finish()
        finally:
            self._end_children()

    def _start_workers(self) -> None:
        log_dir = self._log_dir / f"run-{self.run_id}"
        self._under_test = {
            device.id: DeviceUnderTest(device, inbox=self._inbox, log_dir=log_dir) for device in self._devices
        }
        deadline = self._now() + READY_WITHIN_S
        while (
            not self._stopped
            and self._now() < deadline
            and any(not device.ready and device.unusable is None for device in self._under_test.values())
        ):
            self._pump()
        for device in self._under_test.values():
            if not device.ready and device.unusable is None and not self._stopped:
                device.end(self._now(), ResultStatus.DIED, f"Its worker was not ready within {READY_WITHIN_S:.0f} s.")

    def _run_stage(self, number: int, settings: StageSettings) -> None:
        if self._stopped:
            self._store.end_stage(self.run_id, number, self._now(), StageStatus.SKIPPED)
            return
        stage = BY_KIND[settings.kind]
        self._skip = False
        self._store.start_stage(self.run_id, number, self._now(), self._boot_id)
        self._stage, self._stage_started_s = (number, settings), self._now()
        self._event(EventLevel.INFO, "stage", f"{stage.title} started.")
        if stage.load:
            self._run_load(number, settings, stage.load)
        else:
            self._watch(number, settings)
        cut = self._stopped is not None or self._skip
        self._stage = None
        self._store.end_stage(self.run_id, number, self._now(), StageStatus.SKIPPED if cut else StageStatus.DONE)

    def _run_load(self, number: int, settings: StageSettings, load: str) -> None:
        for device in self._under_test.values():
            device.start_load(self._now(), load, settings.seconds, settings.params)
            self._tell_activity(device, 1.0 if device.loading else 0.0)
        recorded: set[str] = set()
        late_s = self._stage_started_s + settings.seconds + FINISH_GRACE_S
        while len(recorded) < len(self._under_test):
            self._pump()
            if self._stopped or self._skip or self._now() > late_s:
                for device in self._under_test.values():
                    device.stop_load(self._now())
            for device_id, device in self._under_test.items():
                if device.result is not None and device_id not in recorded:
                    recorded.add(device_id)
                    self._tell_activity(device, 0.0)
                    self._store.add_result(self.run_id, StageResult(number, device_id, *device.result))

    def _watch(self, number: int, settings: StageSettings) -> None:
        end_s = self._stage_started_s + settings.seconds
        while self._now() < end_s and not self._stopped and not self._skip:
            self._pump()
        for device_id, device in self._under_test.items():
            result = self._watched_result(device, settings.kind)
            self._store.add_result(self.run_id, StageResult(number, device_id, *result))

    def _watched_result(self, device: DeviceUnderTest, kind: str) -> Result:
        if self._stopped or self._skip:
            return ResultStatus.STOPPED, "It was cut short.", {}
        if device.unusable and kind == "preflight":
            return ResultStatus.FAILED, device.unusable, {}
        return observe(kind, device.device, self._store.samples(self.run_id, device.device.id, self._stage_started_s))

    def _finish(self) -> ExitCode:
        verdicts = judge(Recorded.of(self._store, self.run_id), [self._stopped] if self._stopped else [])
        outcome = verdicts[0].outcome
        self._store.finish(self.run_id, verdicts)
        return {Outcome.FAIL: ExitCode.FAIL, Outcome.INCOMPLETE: ExitCode.INCOMPLETE}.get(outcome, ExitCode.PASS)

    # -- one turn -------------------------------------------------------------------------------------------------

    def _pump(self) -> None:
        """Waits for the next report or tick and deals with it."""
        try:
            child, message = self._inbox.get(timeout=max(0.0, min(0.1, self._next_tick - self._now())))
        except queue.Empty:
            pass
        else:
            self._handle(child, message)
        now_s = self._now()
        if self._stop_signal:
            self._stop(Reason(Outcome.INCOMPLETE, "The runner was told to end by the system."))
        if now_s >= self._next_tick:
            self._tick(now_s)
        if now_s >= self._next_requests:
            self._next_requests = now_s + REQUESTS_EVERY_S
            self._heed_requests()
        for device in self._under_test.values():
            self._note(device, device.advance(now_s))

    def _handle(self, child: Child, message: Message) -> None:
        if child is self._sampler:
            self._handle_sampler(message)
            return
        for device in self._under_test.values():
            if device.worker is child:
                self._note(device, device.handle(message, self._now()))

    def _handle_sampler(self, message: Message) -> None:
        match message["type"]:
            case "samples":
                self._telemetry_s = self._now()
                for device_id, values in message["samples"].items():
                    self._sensors[device_id] = (self._now(), values)
            case "lost":
                self._lose(str(message["device"]), str(message["reason"]))
            case "ended" if not self._sampler.stopping:
                self._replace_sampler()

    def _lose(self, device_id: str, reason: str) -> None:
        device = self._under_test.get(device_id)
        self._event(EventLevel.ERROR, "lost", f"The device was lost: {reason}", device_id)
        if device is not None:
            device.end(self._now(), ResultStatus.FAILED, f"The device was lost: {reason}")

    def _replace_sampler(self) -> None:
        """Once: a sampler that dies again has a reason, and the telemetry guard then stops the loads."""
        self._event(EventLevel.ERROR, "sampler", f"The sampler died: {self._sampler.ending()}")
        if self._restarts == 0:
            self._restarts += 1
            self._sampler = self._start_sampler()
            for device in self._under_test.values():
                self._tell_activity(device, 1.0 if device.loading else 0.0)

    def _tick(self, now_s: float) -> None:
        self._next_tick = max(self._next_tick + TICK_S, now_s)
        rows = {device.id: self._row(device.id, now_s) for device in self._watched}
        stage = (self._stage[0], self._fraction(now_s)) if self._stage else None
        self._store.add_tick(self.run_id, round(now_s, 3), rows, stage=stage)
        self._guard(now_s)

    def _row(self, device_id: str, now_s: float) -> dict[str, float | None]:
        measured_s, sensors = self._sensors.get(device_id, (-STALE_S, {}))
        fresh = sensors if now_s - measured_s < STALE_S else {}
        device = self._under_test.get(device_id)
        return {**fresh, **(device.metrics if device else {})}

    def _fraction(self, now_s: float) -> float:
        assert self._stage is not None
        settings = self._stage[1]
        if BY_KIND[settings.kind].load:
            return min((device.fraction for device in self._under_test.values() if device.loading), default=1.0)
        return min(1.0, (now_s - self._stage_started_s) / settings.seconds)

    def _guard(self, now_s: float) -> None:
        guards = self._profile.guards
        for breach in (telemetry_breach(now_s, self._telemetry_s, guards), disk_breach(self._data_dir, guards)):
            if breach:
                self._stop(Reason(Outcome.INCOMPLETE, breach))
        for device_id, device in self._under_test.items():
            if not device.loading:
                continue
            measured_s, sensors = self._sensors.get(device_id, (-STALE_S, {}))
            hot = self._guards[device_id].breach(now_s, sensors) if now_s - measured_s < STALE_S else None
            late = heartbeat_breach(now_s, device.heartbeat_s, guards)
            if breach := hot or late:
                self._event(EventLevel.ERROR, "guard", breach, device_id)
                device.end(now_s, ResultStatus.FAILED, breach)

    def _heed_requests(self) -> None:
        for request in self._store.pending_requests(self.run_id):
            match request.kind:
                case "stop":
                    self._stop(Reason(Outcome.INCOMPLETE, "Stopped by the user."))
                case "skip":
                    self._skip = True
                    self._event(EventLevel.WARN, "skip", "The user skipped the rest of this stage.")
                case "mark":
                    self._event(EventLevel.INFO, "mark", request.argument)
                case _:
                    self._store.answer(request.id, f"unknown request {request.kind!r}")
                    continue
            self._store.answer(request.id, "done")

    def _stop(self, reason: Reason) -> None:
        if self._stopped is None:
            self._stopped = reason
            self._event(EventLevel.WARN, "stop", reason.text)

    # -- small things ---------------------------------------------------------------------------------------------

    def _now(self) -> float:
        """Seconds since the start of the run."""
        return time.monotonic() - self._started

    def _event(self, level: EventLevel, kind: str, text: str, device_id: str | None = None) -> None:
        self._store.add_event(self.run_id, round(self._now(), 3), level, kind, text, device_id=device_id)

    def _note(self, device: DeviceUnderTest, notes: list[tuple[EventLevel, str, str]]) -> None:
        for level, kind, text in notes:
            self._event(level, kind, text, device.device.id)

    def _tell_activity(self, device: DeviceUnderTest, load: float) -> None:
        if device.device.simulated:
            self._sampler.send("activity", device=device.device.id, load=load)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_signal = True

    def _end_children(self) -> None:
        children = [self._sampler, *(device.worker for device in self._under_test.values())]
        while any(child.alive for child in children):
            for child in children:
                child.stop(time.monotonic())
                child.advance(time.monotonic())
            time.sleep(0.02)
        self._store.close()


def main() -> int:
    """Entry of the process; see the module's first lines."""
    parser = argparse.ArgumentParser(prog="core.burnin.runner")
    parser.add_argument("--data-dir", type=Path, required=True)
    data_dir = parser.parse_args().data_dir
    try:
        lock = take_runner_lock(data_dir)
        runner = Runner(data_dir, BurnOrder.model_validate_json(sys.stdin.read()))
    except RigwrightError as error:
        _reply({"type": "refused", "message": str(error), "exit_code": int(error.exit_code)})
        return int(error.exit_code)
    _reply({"type": "recorded", "run": runner.run_id})
    try:
        return int(runner.run())
    except EnvironmentProblem as error:
        print(f"The run was cut short: {error}", file=sys.stderr)  # noqa: T201 - the runner's log
        return int(error.exit_code)
    finally:
        lock.release()


def _reply(message: Message) -> None:
    """Answers the viewer once and lets go of its pipe."""
    os.write(1, (json.dumps(message) + "\n").encode())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


if __name__ == "__main__":
    sys.exit(main())
