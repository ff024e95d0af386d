"""Faults made on purpose on a real GPU: each is found, where it was made."""

from __future__ import annotations

import pytest

for _name in ("torch", "numpy", "pydantic", "psutil"):
    pytest.importorskip(_name, reason=f"NOT RUN: it needs {_name}")

from core.loads.products.formats import FORMATS
from tests.gpu.conftest import GpuWorker

pytestmark = [pytest.mark.gpu, pytest.mark.process, pytest.mark.timeout(300)]

SIZE = 256


@pytest.mark.parametrize("inject", ["bitflip", "nan", "repeatable"])
@pytest.mark.parametrize("dtype", [format_.name for format_ in FORMATS])
def test_a_wrong_product_is_found(worker: GpuWorker, dtype: str, inject: str) -> None:
    done = worker.run("gemm", 1.0, dtypes=dtype, inject=inject, inject_at=16, size=SIZE)
    if done["status"] == "not_run":
        pytest.skip(f"NOT RUN: {done['reason']}")
    assert done["status"] == "failed"
    assert done["evidence"]["injected_on_purpose"]["times"] > 0
    assert "on purpose" in done["reason"]


@pytest.mark.parametrize("inject", ["bitflip", "stuck", "shared"])
def test_a_fault_of_the_memory_is_found_at_its_place(worker: GpuWorker, inject: str) -> None:
    done = worker.run("vram", 1, share_pct=10, inject=inject, inject_at=2)
    evidence = done["evidence"]
    assert done["status"] == "failed"
    places = evidence["injected_on_purpose"]["places"]
    assert evidence["first_wrong"]
    assert all({"block": word["block"], "byte": word["byte"]} in places for word in evidence["first_wrong"])


@pytest.mark.parametrize("load", ["bandwidth", "host_link"])
def test_a_corrupted_transfer_is_found(worker: GpuWorker, load: str) -> None:
    done = worker.run(load, 2, buffer_mib=64, inject="corrupt", inject_at=1)
    assert done["status"] == "failed"
    assert done["evidence"]["errors"] == 1


@pytest.mark.parametrize("inject", ["bitflip", "repeatable"])
def test_a_fault_of_a_functional_unit_is_found(worker: GpuWorker, inject: str) -> None:
    done = worker.run("functional_units", 2, elements=4096, copy_mib=2, inject=inject)
    assert done["status"] == "failed", done["reason"]
    assert "on purpose" in done["reason"]
