"""Real processes: whole runs of simulated devices and of this machine's CPU, and what viewers ask of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import Outcome, ResultStatus, StageStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder, active_run, start_run
from core.errors import RigwrightError
from tests.burnin.processes import (
    LONG,
    SHORT,
    Start,
    WaitFor,
    WriteProfile,
    burning,
    family,
    finished,
    outcome,
    running,
    said,
)

pytestmark = pytest.mark.process

# -- whole runs ---------------------------------------------------------------------------------------------------


def test_a_clean_simulated_run_passes_and_is_marked_simulated(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*SHORT), simulate="3x3090")
    wait_for(lambda: finished(store, run_id), "the verdict")
    run = store.run(run_id)
    assert run.simulated
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert [row.device.simulated for row in store.devices(run_id) if row.burned] == [True] * 3
    assert {stage.status for stage in store.stages(run_id)} == {StageStatus.DONE}
    assert active_run(store.path.parent) is None


def test_a_stage_that_ends_before_the_first_sample_waits_for_it(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    """As a stage of a second does on a machine that is so busy that its samples come late."""
    run_id = start(write_profile(*(("preflight", 0.2, {}) for _ in range(3))), simulate="2x3090")
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert {result.status for result in store.results(run_id)} == {ResultStatus.PASSED}
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)


def test_a_clean_run_on_this_machines_cpu_finds_no_error(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*SHORT), devices=("cpu",))
    wait_for(lambda: finished(store, run_id), "the verdict")
    results = {result.number: result for result in store.results(run_id) if result.device_id == "cpu"}
    assert results[1].status is ResultStatus.PASSED, results[1]
    assert results[2].status is ResultStatus.PASSED, results[2]
    assert outcome(store, run_id) in (Outcome.PASS, Outcome.WARN), store.verdicts(run_id)
    last = store.samples(run_id, "cpu")[-1]
    assert last[COLUMN["errors"]] == 0
    assert last[COLUMN["checks"]] > 0
    assert not store.run(run_id).simulated


@pytest.mark.parametrize("fault", ["bitflip", "nan", "repeatable"])
def test_an_injected_fault_is_found_and_fails_the_device(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, fault: str
) -> None:
    stages = (("preflight", 1.0, {}), ("gemm", 1.5, {"size": 128, "inject": fault}))
    run_id = start(write_profile(*stages), devices=("cpu",))
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id, "cpu") is Outcome.FAIL, store.verdicts(run_id)
    assert outcome(store, run_id) is Outcome.FAIL


# -- requests -----------------------------------------------------------------------------------------------------


def test_a_stop_request_ends_all_loads_and_is_incomplete(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    run_id = start(write_profile(*LONG), simulate="2x3090")
    wait_for(lambda: burning(store, run_id, 2), "throughput of both devices")
    workers = family(store, run_id)[1:]
    store.request(run_id, "stop")
    wait_for(lambda: finished(store, run_id), "the verdict")
    wait_for(lambda: not any(map(running, workers)), "the end of the workers")
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "Stopped by the user" in said(store, run_id)


def test_a_skipped_stage_is_left_and_the_next_one_runs(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    stages = (*LONG, ("idle", 1.0, {}))
    run_id = start(write_profile(*stages), simulate="1x3090")
    wait_for(lambda: burning(store, run_id, 1), "throughput")
    store.request(run_id, "mark", "风扇很响")
    store.request(run_id, "skip")
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert [stage.status for stage in store.stages(run_id)] == [
        StageStatus.DONE, StageStatus.SKIPPED, StageStatus.DONE,
    ]  # fmt: skip
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    assert "风扇很响" in said(store, run_id)


def test_a_second_run_in_the_same_folder_is_refused_in_a_sentence(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    run_id = start(write_profile(*LONG), simulate="1x3090")
    assert active_run(tmp_path) == run_id
    with pytest.raises(RigwrightError, match="already running"):
        start_run(tmp_path, BurnOrder(profile=write_profile(*LONG), simulate="1x3090"))
    assert len(store.runs()) == 1


@pytest.mark.parametrize(
    ("order", "says"),
    [({"simulate": "6xbanana"}, "banana"), ({"devices": ("GPU-none",)}, "GPU-none"), ({"resume": 77}, "no run 77")],
)
def test_a_wrong_order_is_refused_in_a_sentence_and_records_nothing(
    store: RunStore, write_profile: WriteProfile, tmp_path: Path, order: dict[str, Any], says: str
) -> None:
    with pytest.raises(RigwrightError, match=says):
        start_run(tmp_path, BurnOrder(profile=write_profile(*SHORT), **order))
    assert store.runs() == []
