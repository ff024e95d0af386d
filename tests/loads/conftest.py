"""A worker as a real process, spoken to as the runner does; a channel that only remembers; a clock that work moves."""

import itertools
import json
import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest
import torch

from core.loads.backend import make_load
from core.loads.load import Ending, Load, StepReport
from core.loads.loop import Loop, Totals
from core.loads.memory.host_link import HostLinkLoad, try_transfers
from core.platform.protocol import decode
from tests.fake_cuda.stand_in import FakeCuda, build
from tests.loads import lacking_products
from tests.patience import PATIENCE_S

Message = dict[str, Any]
Result = TypeVar("Result")
READING_S = 5e-4


class WorkerProcess:
    """Sends commands and collects every line with the moment at which it came."""

    def __init__(self, *arguments: str, script: str | None = None, program: Path | None = None) -> None:
        own = ["-m", "core.loads.worker"] if program is None else [str(program)]
        command = ["-c", script] if script is not None else own
        self.process = subprocess.Popen(
            [sys.executable, *command, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            bufsize=1,
        )
        self.lines: list[tuple[float, str]] = []
        self.errors: list[str] = []
        self._news: queue.SimpleQueue[str] = queue.SimpleQueue()
        self._threads = [
            threading.Thread(target=self._listen, daemon=True),
            threading.Thread(target=self._listen_to_errors, daemon=True),
        ]
        for thread in self._threads:
            thread.start()

    def send(self, type_: str, **fields: Any) -> None:
        self.process.stdin.write(json.dumps({"type": type_, **fields}) + "\n")
        self.process.stdin.flush()

    def next(self, type_: str, *, within_s: float = PATIENCE_S) -> Message:
        """The next report of this type; others are passed over."""
        deadline = time.monotonic() + within_s
        while True:
            line = self._news.get(timeout=max(deadline - time.monotonic(), 0.001))
            message = decode(line)
            assert message is not None, line
            if message["type"] == type_:
                return message

    def run(self, load: str, seconds: float, **params: Any) -> Message:
        """Runs a load to its end; the `done` report."""
        self.send("start", load=load, seconds=seconds, params=params)
        return self.next("done")

    def close_stdin(self) -> None:
        self.process.stdin.close()

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(5)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            assert pipe is not None
            try:
                pipe.close()
            except BrokenPipeError:
                continue

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self.lines.append((time.monotonic(), line))
            self._news.put(line)

    def _listen_to_errors(self) -> None:
        assert self.process.stderr is not None
        self.errors.extend(self.process.stderr)


def driven(load: Load, channel: Any, seconds: float) -> Ending:
    """Through the loop of the worker, to its end."""
    return Loop(load, channel, seconds=seconds, totals=Totals()).run()


def running(name: str, *, seconds: float, **usual: Any) -> Callable[..., Ending]:
    """`run(channel, seconds=..., **params)` of a load on the CPU, with parameters that are usual in a test."""

    def run(channel: Any, *, seconds: float = seconds, **params: Any) -> Ending:
        return driven(make_load(name, {**usual, **params}, device=torch.device("cpu")), channel, seconds)

    return run


def result_of(steps: Generator[Any, None, Result]) -> Result:
    """What a generator returns in the end."""
    while True:
        try:
            next(steps)
        except StopIteration as ended:
            result: Result = ended.value
            return result


@pytest.fixture(autouse=True, scope="module")
def _one_thread() -> Iterator[None]:
    """Small products in this process do not wait for other threads; workers use all processors."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="session")
def fake_cuda(request: pytest.FixtureRequest) -> FakeCuda:
    """Compiled once for each torch, and kept with what pytest keeps."""
    return build(request.config.cache.mkdir("fake_cuda"))


@pytest.fixture
def what_cpus_lack(monkeypatch: pytest.MonkeyPatch) -> None:
    """4-bit and sparse products, computed slowly."""
    lacking_products.offer(monkeypatch)


@pytest.fixture
def start_worker() -> Iterator[Callable[..., WorkerProcess]]:
    """Starts workers and ends them after the test."""
    started: list[WorkerProcess] = []

    def start(*arguments: str, script: str | None = None) -> WorkerProcess:
        started.append(WorkerProcess(*arguments, script=script))
        return started[-1]

    yield start
    for worker in started:
        worker.end()


@pytest.fixture(scope="module")
def cpu_worker() -> Iterator[WorkerProcess]:
    """One worker on the CPU for the tests of a module: importing torch takes a second."""
    worker = WorkerProcess("--device", "cpu", "--kind", "cpu")
    worker.next("ready")
    yield worker
    worker.end()


class OverTheLink(HostLinkLoad):
    """The load on the link with both ends on the host: all of it but the hardware."""

    def _prepare(self) -> Iterator[StepReport]:
        return try_transfers(self._self_test, self._device, seed=self._params.seed)


class WorkClock:
    """Passes by work alone, however fast the machine: each reading takes half a millisecond, and rests cost nothing."""

    def __init__(self) -> None:
        self._readings = itertools.count()
        self._rested_s = 1_000.0

    def read(self) -> float:
        return self._rested_s + READING_S * next(self._readings)

    def rest(self, seconds: float) -> None:
        self._rested_s += seconds


@pytest.fixture(autouse=True)
def clock(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A load within this process has so much time as it makes use of. Processes share the clock of the machine."""
    if request.node.get_closest_marker("process"):
        return
    work = WorkClock()
    monkeypatch.setattr(time, "monotonic", work.read)
    monkeypatch.setattr(time, "perf_counter", work.read)
    monkeypatch.setattr(time, "sleep", work.rest)


class MemoryChannel:
    """Stands in for the line to the runner: keeps reports, hands out commands."""

    def __init__(self) -> None:
        self.sent: list[tuple[float, Message]] = []
        self.commands: queue.SimpleQueue[Message] = queue.SimpleQueue()
        self._later: list[tuple[int, Message]] = []
        self._calls = 0

    def later(self, steps: int, type_: str) -> None:
        """A command that comes when the load has taken so many steps."""
        self._later.append((steps, {"type": type_}))

    def send(self, type_: str, **fields: Any) -> None:
        json.dumps(fields)
        self.sent.append((time.monotonic(), {"type": type_, **fields}))

    def receive(self, timeout_s: float | None = 0.0) -> Message | None:
        self._calls += 1
        for due in [one for one in self._later if one[0] <= self._calls]:
            self._later.remove(due)
            self.commands.put(due[1])
        try:
            return self.commands.get(block=timeout_s != 0.0, timeout=timeout_s)
        except queue.Empty:
            return None

    def of(self, type_: str) -> list[Message]:
        return [message for _, message in self.sent if message["type"] == type_]


@pytest.fixture
def channel() -> MemoryChannel:
    return MemoryChannel()
