"""Every load on a real GPU, in a worker: it passes, its heartbeats come in time, its evidence says what was done."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

for _name in ("torch", "numpy", "pydantic", "psutil"):
    pytest.importorskip(_name, reason=f"NOT RUN: it needs {_name}")

from core.loads.products.formats import FORMATS
from core.loads.table import LOADS
from tests.gpu.conftest import GpuCard, GpuWorker

pytestmark = [pytest.mark.gpu, pytest.mark.process, pytest.mark.timeout(300)]

ELSEWHERE = {"machine", "own_module"}
"""No load on a card, and one that needs a network of the user's own: see test_worker_on_gpu."""
SECONDS = {
    "gemm": 8.0, "known_answer": 40.0, "vram": 6.0, "replay": 15.0, "transients": 12.0, "functional_units": 8.0,
    "resnet": 20.0, "lstm": 20.0, "transformer": 20.0, "inference": 30.0,
}  # fmt: skip
"""Known answers end when all are given, which an H200's host takes some 12 s for; training shows its loss fall after
20 steps, of which an H200 did 8 to 18 in 5 s."""
USUAL_S = 5.0
PARAMS: dict[str, dict[str, Any]] = {
    "known_answer": {"iterations": 5},
    "transients": {"periods_s": "0.02,0.1,1", "steps_pct": "50,100"},
    "replay": {"steps": 20},
}
SMALL: dict[str, dict[str, Any]] = {
    "gemm": {"size": 128},
    "known_answer": {"size": 128},
    "bandwidth": {"buffer_mib": 64},
    "host_link": {"buffer_mib": 8, "transfers": 2},
    "vram": {"share_pct": 20, "passes": 1},
    "resnet": {"batch": 2, "image": 32, "width": 8, "classes": 10},
    "lstm": {"layers": 1, "width": 16, "length": 4, "batch": 2, "vocabulary": 32},
    "transformer": {"layers": 1, "width": 32, "heads": 2, "context": 16, "batch": 2, "vocabulary": 64},
    "inference": {"layers": 1, "width": 32, "heads": 2, "vocabulary": 64, "context": 16, "generated": 4},
    "replay": {"network": "lstm", "steps": 1, "batch": 2},
    "functional_units": {"elements": 4096, "copy_mib": 2, "video_frames": 2},
}
ALONE = [entry.name for entry in LOADS if not entry.together and entry.name not in ELSEWHERE]
TOGETHER = [entry.name for entry in LOADS if entry.together]
LONGEST_SILENCE_S = 1.5
MOST_TAKEN_SHARE = 0.02
"""By others, of the memory of a card that counts as free: the driver itself keeps some."""


def params_of(load: str, card: GpuCard) -> dict[str, Any]:
    return PARAMS.get(load, {}) | (SMALL.get(load, {}) if card.small else {})


def run(worker: GpuWorker, load: str, seconds: float | None = None, **more: Any) -> dict[str, Any]:
    """A load as these tests run it, its status and reason checked."""
    done = worker.run(load, seconds or SECONDS.get(load, USUAL_S), **params_of(load, worker.card), **more)
    if done["status"] == "not_run":
        pytest.skip(f"NOT RUN: {done['reason']}")
    assert done["status"] == "passed", done["reason"]
    assert done["evidence"].get("errors", 0) == 0
    return dict(done["evidence"])


@pytest.mark.parametrize("load", ALONE)
def test_it_passes_with_heartbeats_in_time(worker: GpuWorker, load: str) -> None:
    run(worker, load)
    assert max(later - earlier for earlier, later in pairwise(worker.beats)) < LONGEST_SILENCE_S


@pytest.mark.parametrize("load", TOGETHER)
def test_cards_do_it_together(start: Callable[..., GpuWorker], cards: list[GpuCard], tmp_path: Path, load: str) -> None:
    if len(cards) < 2:
        pytest.skip("NOT RUN: this machine has fewer than two NVIDIA GPUs")
    workers = [start(place) for place in (0, 1)]
    devices = [worker.card.id for worker in workers]
    for rank, worker in enumerate(workers):
        assert worker.until("ready")["backend"] == "cuda"
        group = {"rank": rank, "size": 2, "meeting": str(tmp_path / "meeting"), "devices": devices}
        worker.send("start", load=load, seconds=30, params={}, group=group)
    for worker in workers:
        done = worker.until("done")
        assert done["status"] == "passed", done["reason"]
        assert done["evidence"]["errors"] == 0
        worker.end()


def test_products_are_measured_in_every_format(worker: GpuWorker) -> None:
    evidence = run(worker, "gemm", 12.0)
    formats = set(evidence["rates"]) | set(evidence["not_available"])
    assert formats == {format_.name for format_ in FORMATS}
    assert set(evidence["self_test"].values()) == {"seen"}


def test_a_memory_stream_beside_products_leaves_them_right(worker: GpuWorker) -> None:
    evidence = run(worker, "gemm", 6.0, dtypes="float16,float16+memory")
    assert set(evidence["rates"]) == set(evidence["beside_memory_tflops"]) == {"float16"}


def test_known_answers_are_given_in_every_format(worker: GpuWorker) -> None:
    evidence = run(worker, "known_answer")
    assert set(evidence["products"].values()) == {5}
    assert set(evidence["products"]) | set(evidence["not_available"]) == {format_.name for format_ in FORMATS}


def test_nearly_all_memory_of_a_free_card_holds_every_pattern(worker: GpuWorker, taken_mb: int) -> None:
    if worker.card.small or taken_mb > MOST_TAKEN_SHARE * worker.card.memory_mb:
        pytest.skip(f"NOT RUN: others hold {taken_mb} of the card's {worker.card.memory_mb} MiB")
    evidence = run(worker, "vram", 20.0)
    assert evidence["coverage_pct"] >= 95
    assert evidence["passes"] >= 1
    again = run(worker, "vram", 5.0, passes=1)
    assert again["coverage_pct"] >= 95, "what was tested is given back"


def test_bandwidth_is_that_of_the_memory_and_not_of_a_cache(worker: GpuWorker) -> None:
    evidence = run(worker, "bandwidth")
    if not worker.card.small:
        assert evidence["buffer_bytes"] >= max(2**30, 8 * evidence["cache_bytes"])
    assert evidence["peak_gbps"] is None or max(evidence["rates"].values()) < 1.05 * evidence["peak_gbps"]


def test_the_link_is_used_each_way_and_both_at_once(worker: GpuWorker) -> None:
    rates = run(worker, "host_link")["rates"]
    if worker.card.small:
        pytest.skip("NOT RUN: so little is carried that a rate tells nothing")
    assert rates["both"] > 1.1 * min(rates["to_device"], rates["to_host"])


def test_load_comes_and_goes_at_the_moments_planned(worker: GpuWorker) -> None:
    if worker.card.small:
        pytest.skip("NOT RUN: a stand-in keeps no time")
    evidence = run(worker, "transients", 20.0)
    assert evidence["segments"]
    for segment in evidence["segments"].values():
        assert segment["duty_pct"] == pytest.approx(segment["asked_duty_pct"], abs=15)
        assert segment["median_phase_error_ms"] < 5


@pytest.mark.parametrize("load", ["resnet", "lstm", "transformer"])
def test_training_tells_its_loss_and_speed(worker: GpuWorker, load: str) -> None:
    evidence = run(worker, load)
    assert evidence["rates"]["training"] > 0
    names = {name for metrics in worker.metrics for name in metrics}
    assert {"loss", "step_ms"} <= names


@pytest.mark.parametrize("network", ["resnet", "lstm", "transformer"])
def test_training_repeats_bit_for_bit(worker: GpuWorker, network: str) -> None:
    if worker.card.small:
        pytest.skip("NOT RUN: the networks are too large for so small a card")
    assert run(worker, "replay", 20.0, network=network)["runs"] >= 2


def test_every_unit_that_the_card_has_is_tried(worker: GpuWorker) -> None:
    units = run(worker, "functional_units")["units"]
    assert {entry["status"] for entry in units.values()} <= {"passed", "not_run"}
    assert any(entry["status"] == "passed" for entry in units.values())
    assert all(entry["status"] == "passed" or entry["reason"] for entry in units.values())
