"""Loads of every kind in a real worker: heartbeats, stops, no orphan, and the worker as it was after."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.loads.backend import usable_processors
from core.machine.telemetry.metrics import LOAD_METRICS
from tests.patience import given_time, gone, wait_for

LOADS: list[tuple[str, dict[str, Any]]] = [
    *((load, {}) for load in ("gemm", "resnet", "lstm", "transformer", "functional_units", "transients")),
    ("known_answer", {"size": 256, "iterations": 1_000_000}),
    ("vram", {"host_mib": 64}),
    ("bandwidth", {"buffer_mib": 64}),
    ("machine", {"memory_share_pct": 1, "disk_mib": 64}),
]

pytestmark = pytest.mark.process


@pytest.mark.parametrize(("load", "params"), LOADS, ids=[name for name, _ in LOADS])
def test_heartbeats_come_and_a_stop_is_heeded(
    cpu_worker: Any, tmp_path: Path, load: str, params: dict[str, Any]
) -> None:
    if load == "machine":
        params = {**params, "folder": str(tmp_path)}
    first = len(cpu_worker.lines)
    cpu_worker.send("start", load=load, seconds=3600, params=params)
    for _ in range(3):
        cpu_worker.next("progress")
    cpu_worker.send("stop")
    done = cpu_worker.next("done")
    assert done["status"] == "stopped", done["reason"]
    assert done["evidence"]["seed"] > 0

    reports = [json.loads(line) for _, line in cpu_worker.lines[first:]]
    assert {name for report in reports for name in report.get("metrics", {})} <= set(LOAD_METRICS)
    assert list(tmp_path.iterdir()) == []


def test_the_load_on_the_machine_leaves_all_processors_to_the_next_one(cpu_worker: Any) -> None:
    """Its threads stay on one processor each and compute with one thread; nothing of that outlives it."""
    counts = []
    for _ in range(2):
        done = given_time(
            lambda seconds: cpu_worker.run("machine", seconds, parts="processors"),
            0.5,
            lambda done: done["status"] != "not_run",
        )
        assert done["status"] == "passed", done["reason"]
        counts.append(done["evidence"]["processors"]["count"])
    assert counts == [usable_processors()] * 2


def test_the_link_of_a_cpu_is_not_run_in_words(cpu_worker: Any) -> None:
    done = cpu_worker.run("host_link", 1.0)
    assert (done["status"], done["reason"]) == ("not_run", "A CPU has no link to the host: it is the host.")


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
