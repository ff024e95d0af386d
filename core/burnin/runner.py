"""The runner: one process per run. It supervises the sampler and the workers, guards, records and judges.

Started by `core.burnin.launch` as `python -m core.burnin.runner --data-dir DIR` with an order as JSON on standard
input. It answers with one JSON line, {"type": "recorded", "run": n} or {"type": "refused", ...}, and goes on alone.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import json
import os
import queue
import signal
import sys
import time
from pathlib import Path
from types import FrameType

from pydantic import ValidationError

from core.burnin.child import Child, Inbox
from core.burnin.guards import (
    TemperatureGuard,
    blind_breach,
    disk_breach,
    heartbeat_breach,
    pause_breach,
    telemetry_breach,
)
from core.burnin.lock import take_runner_lock
from core.burnin.machine import boot_id
from core.burnin.observe import observe
from core.burnin.opening import open_run, profile_of
from core.burnin.order import BurnOrder
from core.burnin.profile import StageSettings
from core.burnin.record import EventLevel, Outcome, Reason, Result, ResultStatus, StageResult, StageStatus
from core.burnin.reserve import Reserve
from core.burnin.sensors import Sensors
from core.burnin.stages import BY_KIND
from core.burnin.store import RunStore
from core.burnin.under_test import DeviceUnderTest, Note
from core.burnin.verdict import Recorded, judge
from core.errors import BadInput, EnvironmentProblem, ExitCode, RigwrightError
from core.protocol import Message

TICK_S = 1.0
REQUESTS_EVERY_S = 0.25
READY_WITHIN_S = 180.0
"""Importing torch from a cold disk on many workers at once takes its time."""
FINISH_GRACE_S = 20.0
"""A load may end this much later than planned, for instance within a long step."""
STOOD_STILL_S = 2.0
"""A turn takes a tenth of a second; after one that took longer (the runner was stopped, the disk did not answer) the
silence of the children is not counted against them."""


class Runner:
    """Records one run from its first stage to its verdict. Single-threaded; children report through one queue."""

    def __init__(self, data_dir: Path, order: BurnOrder) -> None:
        self._stop_signal = False
        signal.signal(signal.SIGTERM, self._on_signal)
        signal.signal(signal.SIGINT, self._on_signal)
        self._data_dir = data_dir
        self._boot_id = boot_id()
        self._inbox: Inbox = queue.SimpleQueue()
        self._stopped: Reason | None = None
        self._remarks: list[Reason] = []
        self._skip = False
        self._stage: tuple[int, StageSettings] | None = None
        self._stage_started_s = 0.0
        self._store = RunStore(data_dir)
        self._reserve = Reserve(data_dir)
        if breach := disk_breach(data_dir, profile_of(self._store, order).guards):
            raise EnvironmentProblem(breach)
        self._reserve.take()
        self._log_dir = data_dir / "logs"
        self._sensors = Sensors(order.simulate, inbox=self._inbox, log=self._log_dir / "sampler.log")
        opened = open_run(self._store, order, self._sensors.wait_for_devices(lambda: self._stop_signal))
        self.run_id, self._profile = opened.id, opened.profile
        self._devices, self._watched = opened.burned, opened.watched
        self._started = time.monotonic() - opened.elapsed_s
        self._turn_s = self._next_tick = self._next_requests = self._now()
        self._guards = {device.id: TemperatureGuard(device, self._profile.guards) for device in self._devices}
        self._under_test: dict[str, DeviceUnderTest] = {}

    # -- the run --------------------------------------------------------------------------------------------------

    def run(self) -> ExitCode:
        """All stages, then the verdict. Returns the exit code that fits it."""
        try:
            self._event(EventLevel.INFO, "started", f"{self._profile.title} on {len(self._devices)} device(s).")
            self._start_workers()
            for stage in self._store.stages(self.run_id):
                if stage.status is not StageStatus.DONE:
                    self._run_stage(stage.number, self._profile.stages[stage.number])
            self._end_children()
            return self._finish()
        except Exception as error:  # whatever it is: first the loads, then the last words, then the traceback
            self._end_children()
            self._give_up(error)
            raise
        finally:
            self._store.close()

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
                device.end(ResultStatus.DIED, f"Its worker was not ready within {READY_WITHIN_S:.0f} s.")

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
            self._sensors.tell_activity(device.device, 1.0 if device.loading else 0.0)
        undecided = set(self._under_test)
        late_s = self._stage_started_s + settings.seconds + FINISH_GRACE_S
        while undecided:
            self._pump()
            if self._stopped or self._skip or self._now() > late_s:
                for device in self._under_test.values():
                    device.stop_load(self._now())
            for device_id, device in self._under_test.items():
                if result := device.take_result():
                    undecided.discard(device_id)
                    self._sensors.tell_activity(device.device, 0.0)
                    self._store.add_result(self.run_id, StageResult(number, device_id, *result))

    def _watch(self, number: int, settings: StageSettings) -> None:
        end_s = self._stage_started_s + settings.seconds
        while self._now() < end_s and not self._stopped and not self._skip:
            self._pump()
        for device_id, device in self._under_test.items():
            result = device.take_result() or self._watched_result(device, settings.kind)
            self._store.add_result(self.run_id, StageResult(number, device_id, *result))

    def _watched_result(self, device: DeviceUnderTest, kind: str) -> Result:
        if self._stopped or self._skip:
            return ResultStatus.STOPPED, "It was cut short.", {}
        return observe(kind, device.device, self._store.samples(self.run_id, device.device.id, self._stage_started_s))

    def _finish(self) -> ExitCode:
        for device in self._under_test.values():
            self._note(device, device.advance(self._now()))
        reasons = [*self._remarks, *([self._stopped] if self._stopped else [])]
        verdicts = judge(Recorded.of(self._store, self.run_id), reasons)
        outcome = verdicts[0].outcome
        self._store.finish(self.run_id, verdicts)
        return {Outcome.FAIL: ExitCode.FAIL, Outcome.INCOMPLETE: ExitCode.INCOMPLETE}.get(outcome, ExitCode.PASS)

    def _give_up(self, error: Exception) -> None:
        """Last words of a run that cannot go on; the reserve makes room for them on a full disk."""
        self._reserve.give_up()
        sentence = str(error) if isinstance(error, RigwrightError) else _as_bug(error)
        print(f"Run {self.run_id} was cut short: {sentence}", file=sys.stderr)  # noqa: T201 - the runner's log
        try:
            self._store.cut_short(self.run_id, round(self._now(), 3), sentence)
        except EnvironmentProblem as problem:
            print(f"That could not be recorded: {problem}", file=sys.stderr)  # noqa: T201

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
        self._excuse_silence(now_s)
        if self._stop_signal:
            self._stop(Reason(Outcome.INCOMPLETE, "The runner was told to end by the system."))
        if now_s >= self._next_tick:
            self._tick(now_s)
        if now_s >= self._next_requests:
            self._next_requests = now_s + REQUESTS_EVERY_S
            self._heed_requests()
        for device in self._under_test.values():
            self._note(device, device.advance(now_s))

    def _excuse_silence(self, now_s: float) -> None:
        still_s, self._turn_s = now_s - self._turn_s, now_s
        if still_s < STOOD_STILL_S:
            return
        self._sensors.excuse(still_s)
        for device in self._under_test.values():
            device.excuse(still_s)
        if breach := pause_breach(still_s, self._profile.guards):
            self._remarks.append(Reason(Outcome.WARN, breach))
            self._event(EventLevel.WARN, "pause", breach)

    def _handle(self, child: Child, message: Message) -> None:
        if child is self._sensors.sampler:
            self._handle_sampler(message)
            return
        for device in self._under_test.values():
            if device.worker is child:
                self._note(device, device.handle(message, self._now()))

    def _handle_sampler(self, message: Message) -> None:
        match message["type"]:
            case "samples":
                self._sensors.take(message["samples"])
            case "lost":
                self._lose(str(message["device"]), str(message["reason"]))
            case "ended" if not self._sensors.sampler.stopping:
                self._replace_sampler()

    def _lose(self, device_id: str, reason: str) -> None:
        device = self._under_test.get(device_id)
        self._event(EventLevel.ERROR, "lost", f"The device was lost: {reason}", device_id)
        if device is not None:
            device.end(ResultStatus.FAILED, f"The device was lost: {reason}")

    def _replace_sampler(self) -> None:
        self._event(EventLevel.ERROR, "sampler", f"The sampler died: {self._sensors.sampler.ending()}")
        if self._sensors.replace():
            for device in self._under_test.values():
                self._sensors.tell_activity(device.device, 1.0 if device.loading else 0.0)

    def _tick(self, now_s: float) -> None:
        self._next_tick = max(self._next_tick + TICK_S, now_s)
        rows = {device.id: self._row(device.id) for device in self._watched}
        stage = (self._stage[0], self._fraction(now_s)) if self._stage else None
        self._store.add_tick(self.run_id, round(now_s, 3), rows, stage=stage)
        self._guard(now_s)

    def _row(self, device_id: str) -> dict[str, float | None]:
        device = self._under_test.get(device_id)
        return {**self._sensors.fresh(device_id), **(device.metrics if device else {})}

    def _fraction(self, now_s: float) -> float:
        assert self._stage is not None
        settings = self._stage[1]
        if BY_KIND[settings.kind].load:
            return min((device.fraction for device in self._under_test.values() if device.loading), default=1.0)
        return min(1.0, (now_s - self._stage_started_s) / settings.seconds)

    def _guard(self, now_s: float) -> None:
        guards = self._profile.guards
        blind = telemetry_breach(self._sensors.silent_s(), guards)
        for breach in (blind, disk_breach(self._data_dir, guards)):
            if breach:
                self._stop(Reason(Outcome.INCOMPLETE, breach))
        for device_id, device in self._under_test.items():
            if not device.loading:
                continue
            hot = self._guards[device_id].breach(now_s, self._sensors.fresh(device_id))
            if breach := hot or heartbeat_breach(now_s - device.heartbeat_s, guards):
                self._end(device, ResultStatus.FAILED, breach)
            elif not blind and (breach := blind_breach(self._sensors.device_silent_s(device_id), guards)):
                self._end(device, ResultStatus.STOPPED, breach)

    def _end(self, device: DeviceUnderTest, status: ResultStatus, breach: str) -> None:
        self._event(EventLevel.ERROR, "guard", breach, device.device.id)
        device.end(status, breach)

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

    def _note(self, device: DeviceUnderTest, notes: list[Note]) -> None:
        for level, kind, text in notes:
            self._event(level, kind, text, device.device.id)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_signal = True

    def _end_children(self) -> None:
        """Takes as long as the ladder of `Child` at most."""
        children = [self._sensors.sampler, *(device.worker for device in self._under_test.values())]
        while any(child.alive for child in children):
            for child in children:
                child.stop()
                child.advance()
            time.sleep(0.02)


def main() -> int:
    """Entry of the process; see the module's first lines."""
    faulthandler.enable()
    parser = argparse.ArgumentParser(prog="core.burnin.runner")
    parser.add_argument("--data-dir", type=Path, required=True)
    data_dir = parser.parse_args().data_dir
    try:
        lock = take_runner_lock(data_dir)
        runner = Runner(data_dir, _read_order())
    except RigwrightError as error:
        _reply({"type": "refused", "message": str(error), "exit_code": int(error.exit_code)})
        return int(error.exit_code)
    _reply({"type": "recorded", "run": runner.run_id})
    try:
        return int(runner.run())
    except EnvironmentProblem as error:
        return int(error.exit_code)
    finally:
        lock.release()


def _read_order() -> BurnOrder:
    try:
        return BurnOrder.model_validate_json(sys.stdin.read())
    except ValidationError as error:
        raise BadInput(f"The order of a burn-in did not arrive whole: {error.errors()[0]['msg']}.") from error


def _reply(message: Message) -> None:
    """Answers the viewer once and lets go of its pipe. A viewer that is gone changes nothing."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, (json.dumps(message) + "\n").encode())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


def _as_bug(error: Exception) -> str:
    return f"An error of the program ended it ({type(error).__name__}: {error}); logs/runner.log tells where."


if __name__ == "__main__":
    sys.exit(main())
