"""A whole burn-in of simulated cards in seconds: real runner, stages, guards, loads and verdict on a clock that jumps.

In place of processes the sampler and the workers are stepped within this one, each when its time has come; the clock
goes from one step to the next. Nothing else is stood in for: what is recorded and judged is what a run of hours gives.
"""

from __future__ import annotations

import queue
import signal
import time
from collections import deque
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.burnin.children import device_under_test, sensors
from core.burnin.record.rows import Verdict
from core.burnin.record.store import RunStore
from core.burnin.run import runner, supervision
from core.burnin.run.order import BurnOrder
from core.loads.load import Ending, LoadStatus, RankGroup, StopCause
from core.loads.loop import HEARTBEAT_S, Loop, Totals
from core.loads.simulated.load import TICK_S
from core.loads.table import open_simulated
from core.machine.telemetry.device import Device, DeviceKind
from core.machine.telemetry.simulated.simulation import Simulation, parse_simulation
from core.machine.telemetry.simulated.source import SimulatedSource
from core.machine.telemetry.source import Incident, Once
from core.platform.errors import RigwrightError
from core.platform.protocol import Message

SAMPLE_EVERY_S = 1.0
OVERDUE_AFTER_S = 2.0
REPEATED_BEAT_S = HEARTBEAT_S - TICK_S / 2
"""Ten steps a second meet the half second only to the last bit of a float."""


PROCESSOR = Device("cpu", DeviceKind.CPU, "A processor")


class PowerCut(BaseException):
    """The simulated PSU switched off: nothing of the program goes on."""


class FastClock:
    """Time that passes only where the runner waits, and then at once. It is the inbox of the runner, too."""

    def __init__(self) -> None:
        self.now_s = 1_000.0
        self._children: list[FastChild] = []
        self._reports: deque[tuple[FastChild, Message]] = deque()
        self._stepping = False

    def monotonic(self) -> float:
        return self.now_s

    def sleep(self, seconds: float) -> None:
        """A load that sleeps between two steps is stepped again when that time has passed."""
        if not self._stepping:
            self._pass_until(self.now_s + seconds, stop_at_report=False)

    def join(self, child: FastChild) -> None:
        self._children.append(child)

    def put(self, report: tuple[FastChild, Message]) -> None:
        self._reports.append(report)

    def get(self, timeout: float) -> tuple[FastChild, Message]:
        if not self._reports:
            self._pass_until(self.now_s + timeout, stop_at_report=True)
        if not self._reports:
            raise queue.Empty
        return self._reports.popleft()

    def _pass_until(self, until_s: float, *, stop_at_report: bool) -> None:
        while not (stop_at_report and self._reports):
            self._children = [child for child in self._children if child.alive]
            due = min(self._children, key=lambda child: child.due_s, default=None)
            if due is None or due.due_s > until_s:
                self.now_s = max(self.now_s, until_s)
                return
            self.now_s = max(self.now_s, due.due_s)
            self._stepping = True
            due.step()
            self._stepping = False


class FastChild:
    """What the runner asks of its children; this one ends as soon as it is told to."""

    abandoned = frozen = killed_from_outside = False
    mark, pid = None, 0

    def __init__(self, clock: FastClock) -> None:
        self.due_s = clock.now_s
        self.alive, self.stopping = True, False
        self._clock = clock
        clock.join(self)

    @property
    def exit_code(self) -> int | None:
        return None if self.alive else 0

    def report(self, type_: str, **fields: Any) -> None:
        self._clock.put((self, {"type": type_, **fields}))

    def stop(self) -> None:
        self.alive, self.stopping = False, True

    kill = stop

    def advance(self) -> None:
        """No rungs are needed."""

    def send(self, type_: str, **fields: Any) -> None:
        raise NotImplementedError

    def step(self) -> None:
        raise NotImplementedError


class FastSampler(FastChild):
    """Reports the simulated cards once a second, as core.machine.telemetry.sampler does."""

    def __init__(self, clock: FastClock, simulate: str) -> None:
        super().__init__(clock)
        order = parse_simulation(simulate)
        assert isinstance(order, Simulation)
        self._source = SimulatedSource(order, clock=clock.monotonic)
        self._hangs_since_s: float | None = None
        self._told_lost: set[str] = set()
        self._source.listen(Once(self._tell, clock.monotonic))
        self.report("devices", devices=[device.as_dict() for device in (*self._source.devices(), PROCESSOR)])

    def send(self, type_: str, **fields: Any) -> None:
        if type_ == "activity":
            self._source.set_activity(fields["device"], fields["load"])
        elif not self._source.asking():
            assert type_ == "count"
            self.report("counts", counts=self._source.count())

    def step(self) -> None:
        self.due_s += SAMPLE_EVERY_S
        for device in self._source.devices()[:1]:  # moves the cards on, and never hangs
            self._source.set_activity(device.id, self._source.cards[device.id].load)
        if self._source.asking():
            self._hang()
            return
        samples = {id_: dict(sample) for id_, sample in self._source.read().items()}
        samples[PROCESSOR.id] = {"temperature_c": 50.0}
        for id_, reason in self._source.lost().items():
            if id_ not in self._told_lost:
                self._told_lost.add(id_)
                self.report("lost", device=id_, reason=reason)
        self.report("samples", samples=samples, measured_s=self._clock.now_s)

    def _hang(self) -> None:
        if self._hangs_since_s is None:
            self._hangs_since_s = self._clock.now_s
            self.due_s = self._clock.now_s + OVERDUE_AFTER_S
        else:
            self.report("overdue", seconds=OVERDUE_AFTER_S, waiting_for=self._source.asking())
            self.due_s = float("inf")

    def _tell(self, incident: Incident) -> None:
        self.report(incident.kind, **incident.fields)


class FastWorker(FastChild):
    """Runs the simulated loads of one card, as core.loads.worker does; it is the channel of their loop, too."""

    silent_s = 0.0

    def __init__(self, clock: FastClock, words: str, device_id: str) -> None:
        super().__init__(clock)
        self.due_s = float("inf")
        self._bench = open_simulated(words, device_id=device_id)
        self._commands: deque[Message] = deque()
        self._totals = Totals()
        self._running: Iterator[None] = iter(())
        self.report("ready", backend=self._bench.backend, detail=self._bench.detail)

    def send(self, type_: str, **fields: Any) -> None:
        if type_ == "start":
            self._running = self._answer(fields)
            self.due_s = self._clock.now_s
        else:
            self._commands.append({"type": type_, **fields})

    def receive(self) -> Message | None:
        return self._commands.popleft() if self._commands else None

    def step(self) -> None:
        self.due_s = self._clock.now_s + TICK_S
        if next(self._running, self) is self:
            self.due_s = float("inf")

    def _answer(self, start: Message) -> Iterator[None]:
        group = start.get("group")
        place = None if group is None else RankGroup(**{**group, "devices": tuple(group["devices"])})
        try:
            load = self._bench.make(start["load"], start["params"], place)
        except RigwrightError as refusal:
            ending = Ending(LoadStatus.NOT_RUN, refusal.sentence)
        else:
            loop = SteppedLoop(load, _OfLoop(self), seconds=start["seconds"], totals=self._totals)  # type: ignore[arg-type]
            yield from loop.stepped()
            ending = loop.ending
        answer = {"status": ending.status.value, "reason": ending.reason, "evidence": ending.evidence.as_dict()}
        self.report("done", **answer, spent=ending.spent, stop=ending.stop)


class _OfLoop:
    """The loop's end of the line."""

    silent_s = 0.0

    def __init__(self, worker: FastWorker) -> None:
        self.send, self.receive = worker.report, worker.receive


class SteppedLoop(Loop):
    """The loop of a worker, one step at a time."""

    ending: Ending

    def stepped(self) -> Iterator[None]:
        stopped = None
        self._beat()
        for report in self._load.steps(self._seconds):
            self._count(report)
            if time.monotonic() - self._beat_at >= REPEATED_BEAT_S:
                self._beat()
            if command := self._ending_command():
                stopped = StopCause.REQUESTED if command == "stop" else None
                break
            yield
        self.ending = self._conclude(stopped=stopped)
        self._beat()


@contextmanager
def _fast() -> Iterator[None]:
    clock = FastClock()

    def child(_name: str, command: list[str], **_: Any) -> FastChild:
        if command[0] == sensors.SAMPLER:
            return FastSampler(clock, command[command.index("--simulate") + 1])
        return FastWorker(clock, command[command.index("--simulated") + 1], command[command.index("--device") + 1])

    def cut(_folder: Path) -> None:
        raise PowerCut

    no_threads = SimpleNamespace(start=lambda: None, end=lambda: None, take_longest_s=lambda: 0.0)
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    with pytest.MonkeyPatch.context() as during:
        during.setattr(time, "monotonic", clock.monotonic)
        during.setattr(time, "sleep", clock.sleep)
        during.setattr(runner, "queue", SimpleNamespace(SimpleQueue=lambda: clock))
        during.setattr(sensors, "Child", child)
        during.setattr(device_under_test, "Child", child)
        during.setattr(supervision, "SignOfLife", lambda *_, **__: no_threads)
        during.setattr(supervision, "simulate_power_cut", cut)
        yield
    for number, handler in before.items():
        signal.signal(number, handler)


def burned(folder: Path, order: BurnOrder) -> dict[str, Verdict]:
    """Verdicts by device, the machine's among them. Raises PowerCut where the simulated PSU switched off."""
    with _fast():
        burn = runner.Runner(folder, order)
        burn._store._db.execute("PRAGMA synchronous = off")  # nothing here outlives the machine's power
        burn.run()
    with closing(RunStore(folder)) as store:
        return {verdict.device_id: verdict for verdict in store.verdicts(burn.run_id)}
