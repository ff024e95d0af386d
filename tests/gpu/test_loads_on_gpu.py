"""The worker on a real GPU: every number format, training, faults, stops. Skipped where there is no CUDA."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.process,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU and a torch built with CUDA"),
]


class GpuWorker:
    """A worker on the first GPU; `beats` are the moments of its heartbeats."""

    def __init__(self) -> None:
        device = f"GPU-{torch.cuda.get_device_properties(0).uuid}"
        command = [sys.executable, "-m", "core.loads.worker", "--device", device, "--kind", "gpu"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.beats: list[float] = []
        self.metrics: list[dict[str, float]] = []

    def send(self, type_: str, **fields: Any) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps({"type": type_, **fields}) + "\n")
        self.process.stdin.flush()

    def until(self, type_: str) -> dict[str, Any]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            message: dict[str, Any] = json.loads(line)
            if message["type"] == "progress":
                self.beats.append(time.monotonic())
                self.metrics.append(message["metrics"])
            if message["type"] == type_:
                return message
        raise AssertionError(f"the worker ended before {type_!r}")

    def run(self, load: str, seconds: float, **params: Any) -> dict[str, Any]:
        self.beats = [time.monotonic()]
        self.metrics = []
        self.send("start", load=load, seconds=seconds, params=params)
        return self.until("done")


@pytest.fixture(scope="module")
def worker() -> Iterator[GpuWorker]:
    started = GpuWorker()
    assert started.until("ready")["backend"] == "cuda"
    yield started
    with started.process:
        started.process.kill()


def test_products_in_every_format_pass(worker: GpuWorker) -> None:
    done = worker.run("gemm", 40)
    evidence = done["evidence"]
    assert done["status"] == "passed", done["reason"]
    assert evidence["errors"] == 0
    assert evidence["self_test"] == "passed"
    assert set(evidence["rates"]) | set(evidence["not_available"]) == {
        "float32",
        "tf32",
        "float16",
        "bfloat16",
        "float64",
    }
    assert evidence["verification_pct"] < 5
    assert max(later - earlier for earlier, later in zip(worker.beats, worker.beats[1:], strict=False)) < 1.5


def test_training_passes(worker: GpuWorker) -> None:
    done = worker.run("transformer", 20)
    assert done["status"] == "passed", done["reason"]
    assert done["evidence"]["tokens_per_s"] > 0
    assert worker.metrics[2]["loss"] > 0


@pytest.mark.parametrize("dtype", ["float32", "tf32", "float16", "bfloat16", "float64"])
@pytest.mark.parametrize("inject", ["bitflip", "nan", "repeatable"])
def test_injected_faults_are_found(worker: GpuWorker, dtype: str, inject: str) -> None:
    done = worker.run("gemm", 1.0, dtypes=dtype, inject=inject, inject_at=16, size=1024)
    if done["status"] == "not_run":
        pytest.skip(done["reason"])
    assert done["status"] == "failed"
    assert done["evidence"]["injected_on_purpose"]["times"] > 0
    assert "on purpose" in done["reason"]


@pytest.mark.parametrize("load", ["gemm", "transformer"])
def test_a_stop_is_heeded_within_a_second(worker: GpuWorker, load: str) -> None:
    worker.send("start", load=load, seconds=120, params={})
    for _ in range(4):
        worker.until("progress")
    asked = time.monotonic()
    worker.send("stop")
    assert worker.until("done")["status"] == "stopped"
    assert time.monotonic() - asked < 1.0


def test_memory_that_does_not_suffice_makes_the_load_smaller(worker: GpuWorker) -> None:
    """Another process holds nearly all of the memory meanwhile."""
    free, _ = torch.cuda.mem_get_info()
    hog = torch.empty(int(free - 1.2e9), dtype=torch.uint8, device="cuda")
    done = worker.run("gemm", 5, size=16384, dtypes="float32")
    del hog
    torch.cuda.empty_cache()
    assert done["status"] in ("passed", "not_run"), "short memory is no fault of the GPU"
    if done["status"] == "passed":
        assert len(done["evidence"]["sizes_tried"]) > 1
