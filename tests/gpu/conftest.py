"""One test at a time has the cards, in however many processes the tests run; and what all of them speak to.

These tests also run by `make gpu` on machines that lack most packages: what needs one of them is skipped with its name,
and so is what has not begun when the time is over.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from core.lab.measure.cost_process import visible_cards
from core.platform.protocol import decode

NEEDED = ("torch", "numpy", "pydantic", "psutil")
LAST = ("test_faults_on_gpu", "test_burnin_on_gpu")
"""Modules whose tests come last: the time is short in `make gpu`, which burns in by itself."""
SMALL_MB = 4096
BEGAN_S = time.monotonic()
ANSWER_WITHIN_S = 150.0


@dataclass(frozen=True, slots=True)
class GpuCard:
    """A card that CUDA sees. A small one, or a stand-in, is given small work."""

    id: str
    name: str
    memory_mb: int

    @property
    def small(self) -> bool:
        return self.memory_mb < SMALL_MB


class GpuWorker:
    """A worker on one card; `beats` are the moments of its heartbeats, `metrics` what they told."""

    def __init__(self, card: GpuCard, *arguments: str) -> None:
        self.card = card
        command = [sys.executable, "-m", "core.loads.worker", "--device", card.id, "--kind", "gpu", *arguments]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        self.beats: list[float] = []
        self.metrics: list[dict[str, float]] = []
        self._reports: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()
        threading.Thread(target=self._listen, daemon=True).start()

    def send(self, type_: str, **fields: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"type": type_, **fields}) + "\n")
        self.process.stdin.flush()

    def until(self, type_: str) -> dict[str, Any]:
        """The next report of a type."""
        deadline = time.monotonic() + ANSWER_WITHIN_S
        while True:
            message = self._reports.get(timeout=max(deadline - time.monotonic(), 0.001))
            if message is None:
                raise AssertionError(f"the worker ended before {type_!r}")
            if message["type"] == type_:
                return message

    def run(self, load: str, seconds: float, **params: Any) -> dict[str, Any]:
        """A load to its end: the `done` report."""
        self.beats, self.metrics = [time.monotonic()], []
        self.send("start", load=load, seconds=seconds, params=params)
        return self.until("done")

    def end(self) -> None:
        self.process.kill()
        self.process.wait(30)

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if (message := decode(line)) is None:
                continue
            if message["type"] == "progress":
                self.beats.append(time.monotonic())
                self.metrics.append(message["metrics"])
            self._reports.put(message)
        self._reports.put(None)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    items.sort(key=lambda item: next((place for place, name in enumerate(LAST, 1) if name in item.nodeid), 0))


@pytest.fixture(scope="module", autouse=True)
def _the_gpu(cards: list[GpuCard]) -> Iterator[None]:
    """The cards for one module: nobody waits for a process that has other tests to run."""
    del cards  # without them nothing is to be waited for
    try:
        from filelock import FileLock
    except ImportError:
        yield  # nobody runs them in several processes without it
        return
    with FileLock(Path(tempfile.gettempdir()) / "rigwright-tests-gpu.lock"):
        yield


@pytest.fixture(autouse=True)
def _within_the_time() -> None:
    limit = os.environ.get("RIGWRIGHT_GPU_TESTS_S")
    if limit is not None and time.monotonic() - BEGAN_S > float(limit):
        pytest.skip("NOT RUN: the time was over")


@pytest.fixture(scope="session")
def cards() -> list[GpuCard]:
    """What CUDA sees; without a card, or what a worker needs, the test is skipped."""
    lacking = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if lacking:
        pytest.skip(f"NOT RUN: it needs {', '.join(lacking)}")
    visible = visible_cards()
    if not visible["cards"]:
        pytest.skip(f"NOT RUN: {visible['problem'] or 'there is no NVIDIA GPU'}")
    return [GpuCard(one["id"], one["name"], one["memory_mb"]) for one in visible["cards"]]


@pytest.fixture(scope="module")
def start(cards: list[GpuCard]) -> Iterator[Callable[..., GpuWorker]]:
    """Starts a worker on a card, by its place, and ends it after the tests."""
    started: list[GpuWorker] = []

    def on(place: int = 0) -> GpuWorker:
        started.append(GpuWorker(cards[place]))
        return started[-1]

    yield on
    for worker in started:
        worker.end()


@pytest.fixture(scope="module")
def worker(start: Callable[..., GpuWorker], taken_mb: int) -> GpuWorker:
    """One worker for all tests of a module that leave it as it was: it takes up to ten seconds to start."""
    one = start()
    ready = one.until("ready")
    if "problem" in ready["detail"]:
        pytest.skip(f"NOT RUN: {ready['detail']['problem']}")
    assert ready["backend"] == "cuda"
    return one


@pytest.fixture(scope="module")
def taken_mb(cards: list[GpuCard]) -> int:
    """Of the first card's memory by others, before anything of ours is on it; 0 where nobody tells."""
    return int(_described(cards[0].id).get("memory_used_mb") or 0)


def _described(card: str) -> dict[str, Any]:
    """What the power meter tells of a card."""
    with contextlib.suppress(OSError):
        command = [sys.executable, "-m", "core.machine.telemetry.nvml.power_meter"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as meter:
            assert meter.stdout is not None
            readings: dict[str, Any] = json.loads(meter.stdout.readline() or "{}")
            assert meter.stdin is not None
            meter.stdin.close()
            return dict(readings.get("cards", {}).get(card, {}))
    return {}
