"""Every stage from its start to its result, in one run of simulated cards and one of this machine's CPU."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import psutil
import pytest

from core.burnin.record.rows import MACHINE, Outcome, ResultStatus, RunStatus, StageResult, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder, start_run
from core.burnin.stages.registry import BY_KIND, STAGES
from tests.burnin import fast_run
from tests.burnin.processes import burned, family
from tests.patience import given_time, wait_for

WATCHING_S, LOADED_S = 1.2, 0.4
SIMULATED = {
    "own-module": (LOADED_S, 'module = "my.net:make"'),
    "gemm": (3.0, 'dtypes = "float32,bfloat16"'),
    "soak": (1.5, "min_seconds = 1.0"),
}
ON_A_CPU = {
    "known-answer": (1.0, "size = 128, iterations = 2"),
    "host-link": (1.0, ""),
    "functional-units": (1.0, "elements = 16384"),
    "gemm": (1.0, 'size = 128, dtypes = "float32"'),
    "soak": (4.0, "size = 128, min_seconds = 1, window_seconds = 1, steady_k = 50, steady_power_pct = 100"),
    "p2p": (1.0, "mib = 1, repeats = 2"),
    "collectives": (1.0, "largest_mib = 1, sustained_mib = 1, repeats = 2, warm_up = 0"),
    "data-parallel": (2.0, 'networks = "lstm", batch = 2, hash_every = 10'),
    "transients": (1.0, 'periods_s = "0.1", steps_pct = "50"'),
    "whole-system": (4.0, "machine = { memory_share_pct = 1, disk_mib = 16 }"),
}


def ordered(place: Path, stages: list[tuple[str, float, str]], **order: Any) -> BurnOrder:
    """A run of these (kind, seconds, params)."""
    lines = ['name = "all"', 'title = "All"']
    for kind, seconds, params in stages:
        lines += ["[[stages]]", f'kind = "{kind}"', f"seconds = {seconds}", f"params = {{ {params} }}"]
    profile = place / "all.toml"
    profile.write_text("\n".join(lines), encoding="utf-8")
    return BurnOrder(profile=str(profile), **order)


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunStore, int]]:
    """All stages on four simulated cards, on a clock that jumps."""
    usual = {stage.kind: (LOADED_S if stage.load else WATCHING_S, "") for stage in STAGES}
    stages = [(kind, *how) for kind, how in (usual | SIMULATED).items()]
    place = tmp_path_factory.mktemp("simulated")
    with pytest.MonkeyPatch.context() as patch:
        fast_run.burned(place, ordered(place, stages, simulate="4x3090"), patch)
    with closing(RunStore(place)) as store:
        yield store, store.runs()[0].id


@pytest.fixture(scope="module")
def on_the_cpu(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[RunStore, int]]:
    """Stages that a CPU can run in seconds, and one that it cannot, in processes.

    Each stage has its time, and on a machine with much other work a multiple of it.
    """

    def burned_in(whole_system_s: float) -> RunStore:
        times = whole_system_s / ON_A_CPU["whole-system"][0]
        stages = [(kind, seconds * times, params) for kind, (seconds, params) in ON_A_CPU.items()]
        place = tmp_path_factory.mktemp("cpu")
        store = stores.enter_context(closing(RunStore(place)))
        run_id = start_run(place, ordered(place, stages, devices=("cpu",)))
        try:
            wait_for(lambda: store.run(run_id).status is not RunStatus.RUNNING, "the verdict")
        finally:
            for process in family(store, run_id):
                with contextlib.suppress(psutil.NoSuchProcess):
                    process.kill()
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


# -- simulated cards ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(BY_KIND))
def test_every_stage_passes_on_every_simulated_card(simulated: tuple[RunStore, int], kind: str) -> None:
    store, run_id = simulated
    found = results(simulated, kind)
    cards = set(burned(store, run_id))
    assert len(cards) == 4
    assert set(found) - {"cpu"} == cards
    assert {result.status for result in found.values()} == {ResultStatus.PASSED}, found
    if BY_KIND[kind].load:
        assert all(result.evidence["simulated"] for result in found.values())


def test_the_whole_run_is_done_and_marked_simulated(simulated: tuple[RunStore, int]) -> None:
    store, run_id = simulated
    assert store.run(run_id).simulated
    assert {stage.status for stage in store.stages(run_id)} == {StageStatus.DONE}
    machine = next(verdict for verdict in store.verdicts(run_id) if verdict.device_id == MACHINE)
    assert machine.outcome in (Outcome.PASS, Outcome.WARN), machine


def test_the_cpu_takes_part_in_the_whole_system_alone(simulated: tuple[RunStore, int]) -> None:
    with_cpu = [stage.kind for stage in STAGES if "cpu" in results(simulated, stage.kind)]
    assert with_cpu == ["whole-system"]
    assert "SIMULATED" in results(simulated, "whole-system")["cpu"].reason


def test_the_soak_burns_in_the_format_that_drew_the_most(simulated: tuple[RunStore, int]) -> None:
    for device_id, swept in results(simulated, "gemm").items():
        power = swept.evidence["power_by_format_w"]
        soaked = results(simulated, "soak")[device_id].evidence
        assert list(soaked["rates"]) == [max(power, key=power.get)]
        assert soaked["power_by_format_w"] == power


def test_data_parallel_ran_on_two_and_on_four(simulated: tuple[RunStore, int]) -> None:
    for result in results(simulated, "data-parallel").values():
        assert {size: of["ranks"] for size, of in result.evidence["by_size"].items()} == {"2": 2, "4": 4}


def test_idle_and_cool_down_have_their_figures(simulated: tuple[RunStore, int]) -> None:
    assert all(result.evidence["power_w"] > 0 for result in results(simulated, "idle").values())
    assert all("counters_gained" in result.evidence for result in results(simulated, "cooldown").values())


# -- this machine's CPU ---------------------------------------------------------------------------------------------


@pytest.mark.process
@pytest.mark.parametrize("kind", [kind for kind in ON_A_CPU if kind != "host-link"])
def test_stages_that_make_sense_on_a_cpu_pass_on_it(on_the_cpu: tuple[RunStore, int], kind: str) -> None:
    result = results(on_the_cpu, kind)["cpu"]
    assert result.status is ResultStatus.PASSED, result
    assert "simulated" not in result.evidence


@pytest.mark.process
def test_a_stage_that_needs_a_gpu_is_not_run_on_a_cpu_and_the_run_is_no_pass(on_the_cpu: tuple[RunStore, int]) -> None:
    result = results(on_the_cpu, "host-link")["cpu"]
    assert (result.status, result.evidence) == (ResultStatus.NOT_RUN, {"needs": "a GPU"})
    store, run_id = on_the_cpu
    assert store.verdicts(run_id)[0].outcome is not Outcome.PASS
