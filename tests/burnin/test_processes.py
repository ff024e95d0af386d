"""Real processes: whole runs of simulated devices and of this machine's CPU, and what viewers ask of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.rows import Outcome, ResultStatus, StageStatus
from core.burnin.record.samples import COLUMN
from core.burnin.record.store import RunStore
from core.burnin.run.order import BurnOrder, active_run, start_run
from core.platform.errors import RigwrightError
from tests.burnin.processes import (
    LONG,
    SHORT,
    Start,
    WriteProfile,
    burning,
    family,
    finished,
    log_text,
    outcome,
    running,
)
from tests.patience import given_time, wait_for

pytestmark = pytest.mark.process

# -- whole runs ---------------------------------------------------------------------------------------------------


def test_a_clean_simulated_run_passes_and_is_marked_simulated(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    """A stage that ends before its first sample waits for it, as one of a second does on a busy machine."""
    run_id = start(write_profile(*[("preflight", 0.2, {})] * 3, *SHORT[1:]), simulate="3x3090")
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert store.run(run_id).simulated
    assert outcome(store, run_id) is Outcome.PASS, store.verdicts(run_id)
    assert [row.device.simulated for row in store.devices(run_id) if row.burned] == [True] * 3
    assert {stage.status for stage in store.stages(run_id)} == {StageStatus.DONE}
    assert {result.status for result in store.results(run_id)} == {ResultStatus.PASSED}
    assert active_run(store.path.parent) is None


def test_a_clean_run_on_this_machines_cpu_finds_no_error(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    def burned_in(seconds: float) -> int:
        stages = [SHORT[0], *((kind, seconds, params) for kind, _, params in SHORT[1:])]
        run_id = start(write_profile(*stages), devices=("cpu",))
        wait_for(lambda: finished(store, run_id), "the verdict")
        return run_id

    def all_in_time(run_id: int) -> bool:
        return all(result.status is not ResultStatus.NOT_RUN for result in store.results(run_id))

    run_id = given_time(burned_in, 2.0, all_in_time)
    results = {result.number: result for result in store.results(run_id) if result.device_id == "cpu"}
    assert results[1].status is ResultStatus.PASSED, results[1]
    assert results[2].status is ResultStatus.PASSED, results[2]
    assert outcome(store, run_id) in (Outcome.PASS, Outcome.WARN), store.verdicts(run_id)
    last = store.samples(run_id, "cpu")[-1]
    assert last[COLUMN["errors"]] == 0
    assert last[COLUMN["checks"]] > 0
    assert not store.run(run_id).simulated


def test_injected_faults_are_found_and_fail_the_device(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    faults = ("bitflip", "nan", "repeatable")
    loads = [("gemm", 1.5, {"size": 128, "inject": fault}) for fault in faults]
    run_id = start(write_profile(("preflight", 1.0, {}), *loads), devices=("cpu",))
    wait_for(lambda: finished(store, run_id), "the verdict")
    statuses = {result.number: result.status for result in store.results(run_id) if result.device_id == "cpu"}
    assert [statuses[number] for number in (1, 2, 3)] == [ResultStatus.FAILED] * 3
    reasons = next(one.reasons for one in store.verdicts(run_id) if one.device_id == "cpu")
    assert {1, 2, 3} <= {reason.stage for reason in reasons if reason.outcome is Outcome.FAIL}, reasons
    assert outcome(store, run_id, "cpu") is Outcome.FAIL
    assert outcome(store, run_id) is Outcome.FAIL


# -- requests -----------------------------------------------------------------------------------------------------


def test_what_viewers_ask_of_a_run_skips_a_stage_and_ends_all_loads_and_no_second_run_starts_beside_it(
    start: Start, store: RunStore, write_profile: WriteProfile, tmp_path: Path
) -> None:
    stages = (*LONG, ("idle", 1.0, {}), LONG[-1])
    run_id = start(write_profile(*stages), simulate="2x3090")
    assert active_run(tmp_path) == run_id
    with pytest.raises(RigwrightError, match="already running"):
        start_run(tmp_path, BurnOrder(profile=write_profile(*LONG), simulate="1x3090"))
    assert len(store.runs()) == 1
    wait_for(lambda: burning(store, run_id, 2), "throughput of both devices")
    store.request(run_id, "mark", "风扇很响")
    store.request(run_id, "skip")
    wait_for(lambda: store.stages(run_id)[3].status is StageStatus.RUNNING, "the last stage")
    workers = family(store, run_id)[1:]
    store.request(run_id, "stop")
    wait_for(lambda: finished(store, run_id), "the verdict")
    wait_for(lambda: not any(map(running, workers)), "the end of the workers")
    assert [stage.status for stage in store.stages(run_id)] == [
        StageStatus.DONE, StageStatus.SKIPPED, StageStatus.DONE, StageStatus.SKIPPED,
    ]  # fmt: skip
    assert outcome(store, run_id) is Outcome.INCOMPLETE
    for words in ("风扇很响", "The user skipped the rest of this stage.", "Stopped by the user"):
        assert words in log_text(store, run_id)


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
