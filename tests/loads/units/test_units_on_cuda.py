"""Functional units and the memory stream on the stand-in for CUDA: streams, pinned memory, a card that errs."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.fake_cuda.stand_in import Card, FakeCuda

pytestmark = pytest.mark.process

UUID = "GPU-00000000-1111-2222-3333-444444444444"
WHOLE = """
import json, torch
from core.loads.products import gemm
from core.loads.products.gemm import GemmLoad
from core.loads.products.gemm import MemoryStream
from core.loads.products.contract import GemmParams
from core.loads.units.load import FunctionalUnitsLoad
from core.loads.units.contract import FunctionalUnitsParams
card = torch.device("cuda", 0)
load = FunctionalUnitsLoad(FunctionalUnitsParams(elements=4096, copy_mib=1), card)
faults = [fault.message for report in load.steps(0.1) for fault in report.faults]
ending = load.finish()
stream = MemoryStream(card, seed=1, buffer_bytes=2**16)
before = stream.moved_bytes
for _ in range(3):
    stream.feed()
gemm.BUFFER_BYTES = 2**20
products = GemmLoad(GemmParams(size=64, dtypes="float32+memory,float16"), card)
wrong = [fault.message for report in products.steps(0.2) for fault in report.faults]
rates = [sorted(products.finish().evidence.as_dict()[name]) for name in ("rates", "beside_memory_tflops")]
told = {"status": ending.status, "units": ending.evidence.as_dict()["units"], "faults": faults}
told |= {"products": products.finish().status, "wrong": wrong, "rates": rates}
print(json.dumps({**told, "moved": stream.moved_bytes > before, "problem": stream.problem()}))
"""


def run(fake_cuda: FakeCuda, folder: Path, card: Card) -> dict[str, Any]:
    environment = os.environ | fake_cuda.environment([card], folder)
    done = subprocess.run(
        [sys.executable, "-c", WHOLE], env=environment, capture_output=True, text=True, timeout=200, check=False
    )
    assert done.returncode == 0, done.stderr
    report: dict[str, Any] = json.loads(done.stdout)
    return report


def test_a_healthy_card_passes_all_that_it_has_a_library_for(fake_cuda: FakeCuda, tmp_path: Path) -> None:
    report = run(fake_cuda, tmp_path, Card(UUID))
    assert (report["status"], report["faults"], report["moved"], report["problem"]) == ("passed", [], True, None)
    status = {name: entry["status"] for name, entry in report["units"].items()}
    assert status == {
        "special functions": "passed", "atomics and shared memory": "passed", "copy engines": "passed",
        "video encoder and decoder": "not_run",
    }  # fmt: skip
    assert report["units"]["copy engines"]["bandwidth_gbps"] > 0
    assert (report["products"], report["wrong"], report["rates"]) == ("passed", [], [["float16"], ["float32"]])


def test_a_card_that_computes_wrongly_fails_in_its_unit(fake_cuda: FakeCuda, tmp_path: Path) -> None:
    report = run(fake_cuda, tmp_path, Card(UUID, spoil_at=("aten::sort", 1)))
    assert report["status"] == "failed"
    failed = [name for name, entry in report["units"].items() if entry["status"] == "failed"]
    assert failed == ["atomics and shared memory"]
    assert report["faults"][0].startswith("sort: ")
