"""The runner: one process per run. It moves the run from stage to stage under supervision, and judges it.

Started by `core.burnin.run.order` as `python -m core.burnin.run.runner --data-dir DIR` with an order as JSON on
standard input. It answers with one JSON line, {"type": "recorded", "run": n} or {"type": "refused", ...}, and goes on
alone.
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
from pathlib import Path
from types import FrameType

from core.burnin.children.child import Inbox
from core.burnin.children.device_under_test import COUNTED, DeviceUnderTest
from core.burnin.children.sensors import Sensors
from core.burnin.guards.rounds import DiskReserve, disk_breach
from core.burnin.planned import read_plan
from core.burnin.profile.file import title_of
from core.burnin.profile.profile import StageSettings
from core.burnin.record.patient_store import PatientStore
from core.burnin.record.rows import EventLevel, Outcome, StageStatus
from core.burnin.run.lock import take_runner_lock
from core.burnin.run.order import BurnOrder
from core.burnin.run.recovery import judged, leave_last_words
from core.burnin.run.run_setup import open_run, settled
from core.burnin.run.supervision import Supervision
from core.burnin.sealing import UNSIGNED, finish_sealed, lack_of_key
from core.burnin.stages.registry import BY_KIND
from core.burnin.stages.stage import StageContext
from core.burnin.verdict.predicted import expected_power
from core.platform.errors import EnvironmentProblem, ExitCode, RigwrightError, reason_of
from core.platform.protocol import Message, encodable
from core.words import tr, translated, trn
from core.words.refusal import refused_as

LAST_WORDS_WITHIN_S = 5.0
"""For a recording that another program holds."""


class Runner:
    """Records one run from its first stage to its verdict."""

    def __init__(self, data_dir: Path, order: BurnOrder) -> None:
        self._stop_signal = False
        signal.signal(signal.SIGTERM, self._on_signal)
        # One that came while this process was made was meant for the viewer: ignoring it for a moment drops it.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
        signal.signal(signal.SIGINT, self._on_signal)
        self._data_dir = data_dir
        self._store = PatientStore(data_dir)
        self._disk_reserve = DiskReserve(data_dir)
        order, profile = settled(self._store, order)
        if breach := disk_breach(data_dir, profile.guards):
            raise EnvironmentProblem(breach)
        self._disk_reserve.take()
        self._log_dir = data_dir / "logs"
        self._inbox: Inbox = queue.SimpleQueue()
        microphone, log = order.microphone(data_dir), self._log_dir / "sampler.log"
        sensors = Sensors(order.simulate, inbox=self._inbox, log=log, microphone=microphone, wall=order.wall_meter())
        self._run = open_run(self._store, order, profile, sensors.wait_for_devices(lambda: self._stop_signal))
        self.run_id = self._run.id
        self._boot = self._store.run(self.run_id).boot_id
        self._burn = Supervision(data_dir, self._store, self._run, sensors, self._inbox)
        self._burn.told_to_end = lambda: self._stop_signal

    def run(self) -> ExitCode:
        """All stages, then the verdict. Returns the exit code that fits it."""
        try:
            fields = {"profile": translated(self._run.profile.title), "count": len(self._run.burned)}
            started = trn("{profile} on {count} device.", "{profile} on {count} devices.", **fields)
            self._burn.event(EventLevel.INFO, "started", started)
            plan = read_plan(self._store.run(self.run_id).build)
            expected = expected_power(self._run.profile, self._run.burned, plan)
            self._burn.event(EventLevel.INFO, "power", expected.sentence)
            if lack := lack_of_key(self._data_dir):
                self._burn.event(EventLevel.WARN, UNSIGNED, lack)
            self._list_devices()
            self._store.hurry()
            self._burn.guard_workers()
            for stage in self._store.stages(self.run_id):
                if stage.status is not StageStatus.DONE:
                    self._run_stage(stage.number, self._run.profile.stages[stage.number])
            self._burn.await_telemetry()
            self._burn.end_children()
            return self._finish()
        except Exception as error:  # whatever it is: first the loads, then the last words, then the traceback
            self._burn.end_children()
            self._give_up(error)
            raise
        finally:
            self._store.close()

    def _list_devices(self) -> None:
        """Those that carry loads. Each goes on counting where an interrupted run left off; none has a worker yet."""
        simulated = self._run.simulated
        for present in (*self._run.burned, *self._run.companions):
            companion = present in self._run.companions
            self._burn.devices[present.id] = DeviceUnderTest(
                present,
                inbox=self._inbox,
                log_dir=self._run.folder,
                companion=companion,
                simulated=companion and simulated,
                counted=self._store.counted(self.run_id, present.id, COUNTED),
                unsupervised_s=self._run.profile.guards.unsupervised_s,
            )

    def _run_stage(self, number: int, settings: StageSettings) -> None:
        stage = BY_KIND[settings.kind]
        if self._run.burned and not self._burn.stopped:  # a worker for each device that it loads, none where it watches
            if stage.load is None:
                self._burn.rest()
            else:
                self._burn.wake([d for d in self._burn.devices.values() if stage.with_cpu or not d.companion])
        if self._burn.stopped or not self._run.burned:
            self._store.end_stage(self.run_id, number, self._burn.now(), StageStatus.SKIPPED)
            return
        context = StageContext(number, settings, live=self._burn, store=self._store, run=self._run)
        self._store.start_stage(self.run_id, number, context.started_s, self._boot)
        self._burn.settle()
        self._burn.begin_stage(number, lambda: stage.fraction(context))
        self._burn.event(EventLevel.INFO, "stage", tr("{stage} started.", stage=title_of(settings)))
        stage.run(context)
        self._burn.count_errors()
        self._burn.end_stage()
        status = StageStatus.SKIPPED if self._burn.cut else StageStatus.DONE
        self._store.end_stage(self.run_id, number, self._burn.now(), status)

    def _finish(self) -> ExitCode:
        self._burn.note_endings()
        self._burn.note_cost()
        self._store.wait()
        self._store.require_in_place()
        stopped = [self._burn.stopped] if self._burn.stopped else []
        verdicts = finish_sealed(self._store, self.run_id, lambda: judged(self._store, self.run_id, stopped))
        exits = {Outcome.FAIL: ExitCode.FAIL, Outcome.INCOMPLETE: ExitCode.INCOMPLETE}
        return exits.get(verdicts[0].outcome, ExitCode.PASS)

    def _give_up(self, error: Exception) -> None:
        """Last words of a run that cannot go on; the disk reserve makes room for them on a full disk."""
        self._disk_reserve.give_up()
        if isinstance(error, RigwrightError):
            sentence = error.sentence
        else:
            fields = {"name": type(error).__name__, "told": reason_of(error) if isinstance(error, OSError) else error}
            sentence = tr("A program error ended it ({name}: {told}); see logs/runner.log.", **fields)
        print(f"Run {self.run_id} was cut short: {sentence}", file=sys.stderr)  # noqa: T201 - the runner's log
        try:
            self._store.wait(LAST_WORDS_WITHIN_S)
            self._store.cut_short(self.run_id, round(self._burn.now(), 3), sentence)
        except EnvironmentProblem as problem:
            print(f"That could not be recorded: {problem}", file=sys.stderr)  # noqa: T201
            leave_last_words(self._data_dir, self.run_id, sentence)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._stop_signal = True


def main() -> int:
    """Entry of the process; see the module's first lines."""
    faulthandler.enable()
    parser = argparse.ArgumentParser(prog="core.burnin.run.runner")
    parser.add_argument("--data-dir", type=Path, required=True)
    data_dir = parser.parse_args().data_dir
    try:
        lock = take_runner_lock(data_dir)
        runner = Runner(data_dir, _read_order())
    except RigwrightError as error:
        _reply({"type": "refused", "message": encodable(error.sentence), "exit_code": int(error.exit_code)})
        return int(error.exit_code)
    _reply({"type": "recorded", "run": runner.run_id})
    try:
        return int(runner.run())
    except EnvironmentProblem as error:
        return int(error.exit_code)
    finally:
        lock.release()


def _read_order() -> BurnOrder:
    with refused_as(
        lambda place, reason: tr("The burn-in order arrived incomplete: {place}: {reason}.", place=place, reason=reason)
    ):
        return BurnOrder.model_validate_json(sys.stdin.read())


def _reply(message: Message) -> None:
    """Answers the viewer once and lets go of its pipe. A viewer that is gone changes nothing."""
    with contextlib.suppress(BrokenPipeError):
        os.write(1, (json.dumps(message) + "\n").encode())
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.close(null)


if __name__ == "__main__":
    sys.exit(main())
