"""The worker's conduct on a real GPU: prompt stops, short memory, an exclusive card, sticky errors, power."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

for _name in ("torch", "numpy", "pydantic", "psutil"):
    pytest.importorskip(_name, reason=f"NOT RUN: it needs {_name}")

from tests.gpu.conftest import GpuCard, GpuWorker
from tests.gpu.test_loads_on_gpu import ALONE, params_of

pytestmark = [pytest.mark.gpu, pytest.mark.process, pytest.mark.timeout(300)]

STOP_WITHIN_S = 1.0
METER = [sys.executable, "-m", "core.machine.telemetry.nvml.power_meter", "--interval", "0.1"]
BREAKS = """
import torch


def factory(device):
    network = torch.nn.Embedding(4, 4)

    def make_batch():
        return torch.zeros(8, dtype=torch.int64)

    def loss(network, batch):
        return network(batch + 1_000_000).sum()  # far out of range: the kernel asserts, and CUDA says nothing else then

    return network, make_batch, loss
"""


@pytest.mark.parametrize("load", ALONE)
def test_a_stop_is_heeded_within_a_second(
    worker: GpuWorker, load: str, record_property: Callable[[str, object], None]
) -> None:
    endless = {"known_answer": {"iterations": 1_000_000}, "replay": {"runs": 1000}}.get(load, {})
    worker.send("start", load=load, seconds=120, params=params_of(load, worker.card) | endless)
    for _ in range(3):
        worker.until("progress")
    sent_s = time.monotonic()
    worker.send("stop")
    done = worker.until("done")
    took_s = time.monotonic() - sent_s
    record_property("stop_s", round(took_s, 3))
    if done["status"] == "not_run":
        pytest.skip(f"NOT RUN: {done['reason']}")
    assert done["status"] == "stopped", done["reason"]
    assert took_s < STOP_WITHIN_S


def test_memory_that_does_not_suffice_makes_the_load_smaller(
    cards: list[GpuCard], start: Callable[..., GpuWorker]
) -> None:
    """This process holds nearly all of the memory meanwhile, and the worker none that an earlier load left it."""
    import torch

    if cards[0].small:
        pytest.skip("NOT RUN: the card is too small for it")
    worker = start()
    worker.until("ready")
    free, _ = torch.cuda.mem_get_info()
    hog = torch.empty(int(free - 1.2e9), dtype=torch.uint8, device="cuda")
    done = worker.run("gemm", 5, size=16384, dtypes="float32")
    worker.end()
    del hog
    torch.cuda.empty_cache()
    assert done["status"] in ("passed", "not_run"), "short memory is no fault of the GPU"
    if done["status"] == "passed":
        assert len(done["evidence"]["sizes_tried"]) > 1


def test_a_second_program_on_an_exclusive_card_is_not_run(
    worker: GpuWorker, cards: list[GpuCard], start: Callable[..., GpuWorker]
) -> None:
    from core.machine.telemetry.detect import detect_devices

    modes = {device.id: device.compute_mode for device in detect_devices()}
    if modes.get(cards[0].id) != "exclusive process":
        pytest.skip("NOT RUN: the card is not in exclusive mode (sudo nvidia-smi -c EXCLUSIVE_PROCESS)")
    second = start()
    problem = second.until("ready")["detail"]["problem"]
    done = second.run("gemm", 1.0)
    second.end()
    assert (done["status"], done["reason"]) == ("not_run", problem)


def test_a_process_that_can_compute_no_more_says_so_and_the_next_one_computes(
    cards: list[GpuCard], start: Callable[..., GpuWorker], tmp_path: Path
) -> None:
    if cards[0].small:
        pytest.skip("NOT RUN: a stand-in's kernels assert nothing")
    (tmp_path / "breaks_the_card.py").write_text(BREAKS)
    broken = start()
    assert broken.until("ready")["backend"] == "cuda"
    done = broken.run("own_module", 3.0, module="breaks_the_card:factory", path=str(tmp_path))
    broken.end()
    assert done["status"] == "not_run", "the module is at fault, not the card"
    assert done["spent"]
    fresh = start()
    assert fresh.until("ready")["backend"] == "cuda"
    result = fresh.run("known_answer", 3.0, iterations=2, dtypes="float32")
    fresh.end()
    assert result["status"] == "passed", result["reason"]


def test_power_is_measured_under_the_hottest_products(
    worker: GpuWorker, record_property: Callable[[str, object], None]
) -> None:
    """How near it comes to the limit is measured and told, not judged: cards, PSUs and rooms differ."""
    with subprocess.Popen(METER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as meter:
        assert meter.stdin is not None
        assert meter.stdout is not None
        if json.loads(meter.stdout.readline() or "{}").get("type") != "cards":
            pytest.skip("NOT RUN: there is no NVML to measure power with")
        done = worker.run("gemm", 8.0, **params_of("gemm", worker.card), dtypes="bfloat16,float16")
        meter.stdin.close()
        readings = [reading for line in meter.stdout if (reading := json.loads(line))["type"] == "power"]
    if done["status"] == "not_run":
        pytest.skip(f"NOT RUN: {done['reason']}")
    own: list[dict[str, Any]] = [row["cards"][worker.card.id] for row in readings if worker.card.id in row["cards"]]
    watts = [one["power_w"] for one in own if one["power_w"] is not None][len(own) // 2 :]
    limits = [one["power_limit_w"] for one in own if one["power_limit_w"]]
    if not watts or not limits:
        pytest.skip("NOT RUN: the card does not tell its power, or no limit")
    record_property("power_w", round(fmean(watts), 1))
    record_property("power_share_pct", round(100 * fmean(watts) / limits[-1], 1))
    assert 0 < fmean(watts) < 1.2 * limits[-1]
