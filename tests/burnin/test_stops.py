"""What ends loads besides their time: limits of the user, a power cut; and what is told before they begin."""

from __future__ import annotations

from pathlib import Path

import pytest

from core.burnin.record.rows import Event, Outcome, RunStatus
from core.burnin.record.store import RunStore
from core.burnin.run.launch import BurnOrder, start_run
from core.burnin.run.recovery import find_interrupted
from tests.burnin.processes import Start, WaitFor, WriteProfile, burned, child, finished, outcome, running, said

pytestmark = pytest.mark.process


def events(store: RunStore, run_id: int, kind: str) -> list[Event]:
    return [event for event in store.events(run_id) if event.kind == kind]


def test_a_limit_of_the_user_stops_the_load_and_the_others_go_on(
    start: Start, store: RunStore, tmp_path: Path, wait_for: WaitFor
) -> None:
    profile = tmp_path / "limited.toml"
    profile.write_text(
        """
        name = "limited"
        title = "Limited"
        [[stages]]
        kind = "gemm"
        seconds = 6
        [[guards.limits]]
        metric = "power_w"
        above = 400
        for_s = 1
        """
    )
    run_id = start(str(profile), simulate="1x3090,1x4090")
    smaller, larger = wait_for(lambda: burned(store, run_id), "the devices")
    worker = wait_for(lambda: child(store, run_id, "core.loads.worker", larger), "the worker")
    breach = wait_for(lambda: events(store, run_id, "guard"), "the breach")[0]
    wait_for(lambda: not running(worker), "the end of the load")
    assert breach.device_id == larger
    assert "Power was above 400 W" in breach.message
    wait_for(lambda: finished(store, run_id), "the verdict")
    assert outcome(store, run_id, larger) is Outcome.FAIL
    assert outcome(store, run_id, smaller) is Outcome.PASS, store.verdicts(run_id)
    kinds = [event.kind for event in store.events(run_id)]
    assert kinds.index("power") < kinds.index("ready") < kinds.index("stage"), "told before anything burns"
    assert "800 W" in said(store, run_id)


def test_a_power_cut_leaves_no_last_word_and_is_a_finding_of_the_run_that_goes_on(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor, tmp_path: Path
) -> None:
    run_id = start(write_profile(("gemm", 4.0, {})), simulate="2x3090,fault=psu:3s")
    wait_for(lambda: find_interrupted(store, tmp_path), "the power cut")
    assert store.run(run_id).status is RunStatus.INTERRUPTED
    reset = events(store, run_id, "interruption")[0].message
    assert "The machine was reset during Verified GEMM" in reset
    assert "SIMULATED" in reset
    start_run(tmp_path, BurnOrder(resume=run_id, simulate="2x3090"))
    wait_for(lambda: finished(store, run_id), "the verdict")
    machine = store.verdicts(run_id)[0]
    assert machine.outcome is Outcome.FAIL
    assert machine.reasons[0].text == reset
    assert outcome(store, run_id, burned(store, run_id)[0]) is Outcome.PASS, store.verdicts(run_id)
