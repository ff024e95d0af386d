"""The worker on a real GPU: every number format, training, faults, stops. Skipped where there is no CUDA."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from core.loads.formats import FORMATS

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.process,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="needs an NVIDIA GPU and a torch built with CUDA"),
]


class GpuWorker:
    """A worker on one GPU; `beats` are the moments of its heartbeats."""

    def __init__(self, index: int = 0) -> None:
        self.device = f"GPU-{torch.cuda.get_device_properties(index).uuid}"
        command = [sys.executable, "-m", "core.loads.worker", "--device", self.device, "--kind", "gpu"]
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
    assert set(evidence["self_test"].values()) == {"seen"}
    assert set(evidence["rates"]) | set(evidence["not_available"]) == {format_.name for format_ in FORMATS}
    assert evidence["verification_pct"] < 5
    assert max(later - earlier for earlier, later in zip(worker.beats, worker.beats[1:], strict=False)) < 1.5


def test_known_answers_are_given_in_every_format(worker: GpuWorker) -> None:
    done = worker.run("known_answer", 60)
    evidence = done["evidence"]
    assert done["status"] == "passed", done["reason"]
    assert set(evidence["products"].values()) == {20}
    assert set(evidence["products"]) | set(evidence["not_available"]) == {format_.name for format_ in FORMATS}
    assert set(evidence["self_test"].values()) == {"seen"}


def test_nearly_all_memory_holds_every_pattern(worker: GpuWorker) -> None:
    done = worker.run("vram", 30, fade_s=2)
    assert done["status"] == "passed", done["reason"]
    assert done["evidence"]["coverage_pct"] >= 85
    assert done["evidence"]["largest_block_bytes"] <= 2**31
    assert done["evidence"]["passes"] >= 1
    free, total = torch.cuda.mem_get_info()
    assert free > 0.8 * total, "what was tested is given back"


@pytest.mark.parametrize("inject", ["bitflip", "stuck", "shared"])
def test_faults_of_memory_are_found_at_their_place(worker: GpuWorker, inject: str) -> None:
    done = worker.run("vram", 1, share_pct=10, inject=inject, inject_at=2)
    evidence = done["evidence"]
    assert done["status"] == "failed"
    places = evidence["injected_on_purpose"]["places"]
    assert all({"block": word["block"], "byte": word["byte"]} in places for word in evidence["first_wrong"])


def test_bandwidth_is_that_of_the_memory_and_not_of_a_cache(worker: GpuWorker) -> None:
    done = worker.run("bandwidth", 10)
    evidence = done["evidence"]
    assert done["status"] == "passed", done["reason"]
    assert evidence["buffer_bytes"] >= max(2**30, 8 * evidence["cache_bytes"])
    assert evidence["peak_gbps"] is None or max(evidence["rates"].values()) < 1.05 * evidence["peak_gbps"]


def test_the_link_is_used_each_way_and_both_at_once(worker: GpuWorker) -> None:
    done = worker.run("host_link", 10)
    rates = done["evidence"]["rates"]
    assert done["status"] == "passed", done["reason"]
    assert rates["both"] > 1.1 * min(rates["to_device"], rates["to_host"])


@pytest.mark.parametrize("load", ["bandwidth", "host_link"])
def test_a_corrupted_transfer_is_found(worker: GpuWorker, load: str) -> None:
    done = worker.run(load, 2, buffer_mib=64, inject="corrupt", inject_at=1)
    assert done["status"] == "failed"
    assert done["evidence"]["errors"] == 1


def test_load_comes_and_goes_at_the_moments_planned(worker: GpuWorker) -> None:
    done = worker.run("transients", 45)
    evidence = done["evidence"]
    assert done["status"] == "passed", done["reason"]
    assert evidence["left_out"] == []
    for kept in evidence["segments"].values():
        assert kept["duty_pct"] == pytest.approx(kept["asked_duty_pct"], abs=15)
        assert kept["median_phase_error_ms"] < 5


@pytest.mark.parametrize("load", ["resnet", "lstm", "transformer"])
def test_training_passes(worker: GpuWorker, load: str) -> None:
    done = worker.run(load, 25)
    assert done["status"] == "passed", done["reason"]
    assert done["evidence"]["rates"]["training"] > 0
    assert done["evidence"]["verification_pct"] < 3
    last = worker.metrics[-2]
    assert last["loss"] > 0
    assert last["step_ms"] > 0


@pytest.mark.parametrize("network", ["resnet", "lstm", "transformer"])
def test_training_repeats_bit_for_bit(worker: GpuWorker, network: str) -> None:
    done = worker.run("replay", 60, network=network, steps=50)
    assert done["status"] == "passed", done["reason"]
    assert done["evidence"]["runs"] >= 2


@pytest.mark.parametrize("load", ["p2p", "collectives", "data_parallel"])
def test_gpus_do_it_together(tmp_path: Path, load: str) -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("NOT RUN: this machine has fewer than two NVIDIA GPUs")
    workers = [GpuWorker(index) for index in (0, 1)]
    devices = [worker.device for worker in workers]
    try:
        for rank, worker in enumerate(workers):
            assert worker.until("ready")["backend"] == "cuda"
            group = {"rank": rank, "size": 2, "meeting": str(tmp_path / "meeting"), "devices": devices}
            worker.send("start", load=load, seconds=40, params={}, group=group)
        for worker in workers:
            done = worker.until("done")
            assert done["status"] == "passed", done["reason"]
            assert done["evidence"]["errors"] == 0
    finally:
        for worker in workers:
            with worker.process:
                worker.process.kill()


@pytest.mark.parametrize("dtype", [format_.name for format_ in FORMATS])
@pytest.mark.parametrize("inject", ["bitflip", "nan", "repeatable"])
def test_injected_faults_are_found(worker: GpuWorker, dtype: str, inject: str) -> None:
    done = worker.run("gemm", 1.0, dtypes=dtype, inject=inject, inject_at=16, size=1024)
    if done["status"] == "not_run":
        pytest.skip(done["reason"])
    assert done["status"] == "failed"
    assert done["evidence"]["injected_on_purpose"]["times"] > 0
    assert "on purpose" in done["reason"]


@pytest.mark.parametrize("load", ["gemm", "vram", "bandwidth", "host_link", "transients", "transformer"])
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
