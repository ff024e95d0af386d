"""Every stage from its start to its result, in one run of simulated cards and one of this machine's CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import MACHINE, Outcome, ResultStatus, RunStatus, StageResult, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder
from core.burnin.stages.registry import BY_KIND, STAGES
from tests.burnin import fast_run
from tests.burnin.processes import burned, burning_in, profile_in
from tests.patience import given_time, wait_for

WATCHING_S, LOADED_S = 1.2, 0.4
Params = dict[str, Any]
SIMULATED: dict[str, tuple[float, Params]] = {
    "own-module": (LOADED_S, {"module": "my.net:make"}),
    "gemm": (3.0, {"dtypes": "float32,bfloat16"}),
    "soak": (1.5, {"min_seconds": 1.0}),
}
ON_A_CPU: dict[str, tuple[float, Params]] = {
    "known-answer": (1.0, {"size": 128, "iterations": 2}),
    "host-link": (1.0, {}),
    "functional-units": (1.0, {"elements": 16384}),
    "gemm": (1.0, {"size": 128, "dtypes": "float32"}),
    "soak": (4.0, {"size": 128, "min_seconds": 1, "window_seconds": 1, "steady_k": 50, "steady_power_pct": 100}),
    "p2p": (1.0, {"mib": 1, "repeats": 2}),
    "collectives": (1.0, {"largest_mib": 1, "sustained_mib": 1, "repeats": 2, "warm_up": 0}),
    "data-parallel": (2.0, {"networks": "lstm", "batch": 2, "hash_every": 10}),
    "transients": (1.0, {"periods_s": "0.1", "steps_pct": "50"}),
    "whole-system": (4.0, {"machine": {"memory_share_pct": 1, "disk_mib": 16}}),
}


@pytest.fixture
def simulated(tmp_path: Path, store: RunStore) -> tuple[RunStore, int]:
    """All stages on four simulated cards, on a clock that jumps."""
    usual = {stage.kind: (LOADED_S if stage.load else WATCHING_S, {}) for stage in STAGES}
    profile = profile_in(tmp_path, *((kind, *how) for kind, how in (usual | SIMULATED).items()))
    fast_run.burned(tmp_path, BurnOrder(profile=profile, simulate="4x3090"))
    return store, 1


@pytest.fixture
def on_the_cpu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunStore, int]]:
    """Stages that a CPU can run in seconds, and one that it cannot, in processes.

    Each stage has its time, and on a machine with much other work a multiple of it.
    """

    def burned_in(whole_system_s: float) -> RunStore:
        times = whole_system_s / ON_A_CPU["whole-system"][0]
        place = tmp_path_factory.mktemp("cpu")
        profile = profile_in(place, *((kind, seconds * times, params) for kind, (seconds, params) in ON_A_CPU.items()))
        store, run_id = stores.enter_context(burning_in(place, BurnOrder(profile=profile, devices=("cpu",))))
        wait_for(lambda: store.run(run_id).status is not RunStatus.RUNNING, "the verdict")
        assert store.run(run_id).status is RunStatus.FINISHED, [event.message for event in store.events(run_id)]
        return store

    def all_in_time(store: RunStore) -> bool:
        return sum(result.status is ResultStatus.NOT_RUN for result in store.results(1)) == 1

    with contextlib.ExitStack() as stores:
        yield given_time(burned_in, ON_A_CPU["whole-system"][0], all_in_time), 1


def results(run: tuple[RunStore, int], kind: str) -> dict[str, StageResult]:
    store, run_id = run
    number = next(stage.number for stage in store.stages(run_id) if stage.kind == kind)
    return {result.device_id: result for result in store.results(run_id) if result.number == number}


def test_every_stage_passes_on_every_simulated_card(simulated: tuple[RunStore, int]) -> None:
    """One test for all that a run of all stages shows: each process that tests would run it anew."""
    store, run_id = simulated
    cards = set(burned(store, run_id))
    assert len(cards) == 4
    ended = {kind: results(simulated, kind) for kind in BY_KIND}
    assert {kind: of for kind, of in ended.items() if set(of) - {"cpu"} != cards} == {}
    every = [result for of in ended.values() for result in of.values()]
    assert [result for result in every if result.status is not ResultStatus.PASSED] == []
    loads = [result for kind, of in ended.items() if BY_KIND[kind].load for result in of.values()]
    assert all(result.evidence["simulated"] for result in loads)
    assert store.run(run_id).simulated
    assert {stage.status for stage in store.stages(run_id)} == {StageStatus.DONE}
    machine = next(verdict for verdict in store.verdicts(run_id) if verdict.device_id == MACHINE)
    assert machine.outcome in (Outcome.PASS, Outcome.WARN), machine
    assert [stage.kind for stage in STAGES if "cpu" in ended[stage.kind]] == ["whole-system"], (
        "the CPU has a part in it"
    )
    assert "SIMULATED" in ended["whole-system"]["cpu"].reason
    for device_id, swept in ended["gemm"].items():
        power = swept.evidence["power_by_format_w"]
        soaked = ended["soak"][device_id].evidence
        assert list(soaked["rates"]) == [max(power, key=power.get)], "the format that drew the most"
        assert soaked["power_by_format_w"] == power
    for result in ended["data-parallel"].values():
        assert {size: of["ranks"] for size, of in result.evidence["by_size"].items()} == {"2": 2, "4": 4}
    assert all(result.evidence["power_w"] > 0 for result in ended["idle"].values())
    assert all("counters_gained" in result.evidence for result in ended["cooldown"].values())


@pytest.mark.process
def test_stages_that_make_sense_on_a_cpu_pass_on_it_and_one_that_needs_a_gpu_is_not_run(
    on_the_cpu: tuple[RunStore, int],
) -> None:
    store, _ = on_the_cpu
    on_cpu = {kind: results(on_the_cpu, kind)["cpu"] for kind in ON_A_CPU}
    needs_gpu = on_cpu.pop("host-link")
    assert [result for result in on_cpu.values() if result.status is not ResultStatus.PASSED] == []
    assert not any("simulated" in result.evidence for result in on_cpu.values())
    assert (needs_gpu.status, needs_gpu.evidence) == (ResultStatus.NOT_RUN, {"needs": "a GPU"})
    assert store.verdicts(1)[0].outcome is not Outcome.PASS
