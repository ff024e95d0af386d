"""A CPU alone runs a load of a group through its worker: two real ranks, heartbeats, a stop, no orphan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.telemetry.metrics import LOAD_METRICS
from tests.patience import gone, wait_for

pytestmark = pytest.mark.process


def test_all_reduces_run_in_the_worker_until_they_are_stopped(start_worker: Callable[..., Any], tmp_path: Path) -> None:
    worker = start_worker("--device", "cpu", "--kind", "cpu")
    worker.next("ready")
    group = {"rank": 0, "size": 1, "meeting": str(tmp_path / "meeting"), "devices": ["cpu"]}
    params = {"largest_mib": 1, "sustained_mib": 1, "repeats": 2, "warm_up": 0}
    worker.send("start", load="collectives", seconds=3600, params=params, group=group)
    metrics: dict[str, float] = {}
    while "bandwidth_gbps" not in metrics:
        metrics = worker.next("progress")["metrics"]
    assert set(metrics) <= set(LOAD_METRICS)
    ranks = psutil.Process(worker.process.pid).children()
    assert len(ranks) == 2
    worker.send("stop")
    done = worker.next("done")
    assert (done["status"], done["stop"]) == ("stopped", "requested")
    assert done["evidence"]["checks"] > 0
    wait_for(lambda: all(map(gone, ranks)), "the end of the ranks")
