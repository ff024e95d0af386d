"""Burn-ins on the real GPUs of a machine, from detection to verdict, with the driver's own telemetry."""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

import pytest

from tests.gpu.conftest import GpuCard

# Before what needs them: a machine without these packages skips the tests, and says which one is missing.
for _name in ("numpy", "psutil", "pydantic", "sqlite_utils", "filelock", "platformdirs"):
    pytest.importorskip(_name, reason=f"NOT RUN: it needs {_name}")

import numpy as np
import psutil

from core.burnin.record.rows import Outcome, ResultStatus, RunStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, start_run
from tests.gpu.test_worker_on_gpu import BREAKS

pytestmark = [pytest.mark.gpu, pytest.mark.process, pytest.mark.timeout(300)]
WITHIN_S = 240.0
SPENT = """
name = "spent"
title = "Spent"
description = "A network that breaks the process of the card, then known answers on a new one."

[[stages]]
kind = "own-module"
seconds = 10
params = {{ module = "breaks_the_card:factory", path = "{folder}" }}

[[stages]]
kind = "known-answer"
seconds = 10
params = {{ iterations = 2 }}
"""


def finished(folder: Path, order: BurnOrder) -> tuple[RunStore, int]:
    """Runs an order to its end; what is left of a run that hangs is ended."""
    run_id = start_run(folder, order)
    store = RunStore(folder)
    deadline = time.monotonic() + WITHIN_S
    while store.run(run_id).status is RunStatus.RUNNING and time.monotonic() < deadline:
        time.sleep(0.2)
    with contextlib.suppress(psutil.NoSuchProcess):
        psutil.Process(store.run(run_id).runner_pid).kill()
    return store, run_id


def test_quick_test_passes_and_measures_every_gpu(cards: list[GpuCard], tmp_path: Path) -> None:
    store, run_id = finished(tmp_path, BurnOrder(devices=tuple(card.id for card in cards)))
    with contextlib.closing(store):
        verdicts = store.verdicts(run_id)
        assert verdicts, "no verdict in time"
        assert verdicts[0].outcome in (Outcome.PASS, Outcome.WARN), verdicts
        bad = [result for result in store.results(run_id) if result.status is ResultStatus.FAILED]
        assert bad == []
        for card in cards:
            samples = store.samples(run_id, card.id)
            for metric in ("temperature_c", "power_w", "clock_mhz", "utilisation_pct", "throughput_tflops"):
                assert np.nanmax(samples[:, COLUMN[metric]]) > 0, f"{card.name}: {metric} was never measured"
            assert np.nanmax(samples[:, COLUMN["errors"]]) == 0


def test_a_worker_that_can_compute_no_more_is_replaced_before_the_next_stage(
    cards: list[GpuCard], tmp_path: Path
) -> None:
    if cards[0].small:
        pytest.skip("NOT RUN: a stand-in's kernels assert nothing")
    (tmp_path / "breaks_the_card.py").write_text(BREAKS)
    profile = tmp_path / "spent.toml"
    profile.write_text(SPENT.format(folder=tmp_path))
    store, run_id = finished(tmp_path, BurnOrder(profile=str(profile), devices=(cards[0].id,)))
    with contextlib.closing(store):
        results = {result.number: result for result in store.results(run_id) if result.device_id == cards[0].id}
        assert results[0].status is ResultStatus.NOT_RUN, results[0].reason
        assert results[1].status is ResultStatus.PASSED, results[1].reason
