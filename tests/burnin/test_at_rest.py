"""Real processes: no worker lives while a run only watches, and none eats the time of the stage that needs it."""

from __future__ import annotations

import numpy as np
import psutil
import pytest

from core.burnin.record.rows import ResultStatus, StageStatus
from core.burnin.record.store import RunStore
from tests.burnin.processes import Start, WriteProfile, family, finished
from tests.patience import wait_for

pytestmark = pytest.mark.process
LOADS = (1, 3)
"""Numbers of the stages with a load."""


def workers(store: RunStore, run_id: int) -> int:
    count = 0
    for process in family(store, run_id)[1:]:
        try:
            count += "core.loads.worker" in process.cmdline()
        except psutil.NoSuchProcess:
            continue
    return count


def running(store: RunStore, run_id: int) -> int | None:
    return next((stage.number for stage in store.stages(run_id) if stage.status is StageStatus.RUNNING), None)


def watched(store: RunStore, run_id: int) -> dict[int, set[int]]:
    """How many workers were seen in each stage, until the run has ended; a stage that changed meanwhile is left out."""
    seen: dict[int, set[int]] = {}

    def looked() -> bool:
        before, count, after = running(store, run_id), workers(store, run_id), running(store, run_id)
        if before is not None and before == after:
            seen.setdefault(before, set()).add(count)
        return finished(store, run_id)

    wait_for(looked, "the verdict")
    return seen


def test_no_worker_lives_while_nothing_is_to_be_loaded(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    load = ("gemm", 1.5, {"size": 128})
    stages = (("idle", 1.5, {}), load, ("cooldown", 1.5, {}), load, ("cooldown", 1.5, {}))
    run_id = start(write_profile(*stages), simulate="1x3090", devices=("0", "cpu"))
    seen = watched(store, run_id)
    assert set(seen) == {0, 1, 2, 3, 4}
    for number, counts in seen.items():
        assert max(counts) == (2 if number in LOADS else 0), seen
    not_passed = [result for result in store.results(run_id) if result.status is not ResultStatus.PASSED]
    # A machine that tells no temperature of its CPU cannot tell that it cooled down.
    assert all(result.device_id == "cpu" and "temperature" in result.reason for result in not_passed), not_passed
    rows, events = store.stages(run_id), store.events(run_id)
    for number in LOADS:  # torch was imported before the stage began, not within its time
        before_s, began_s = rows[number - 1].ended_s, rows[number].started_s
        ready = [event.time_s for event in events if event.kind == "ready"]
        assert before_s is not None
        assert began_s is not None
        assert sum(before_s <= time_s <= began_s for time_s in ready) == 2
    checks = store.samples(run_id, "cpu", names=("checks",))[:, 1]
    steps = np.diff(checks[~np.isnan(checks)])
    assert (steps >= 0).all(), "what a worker has counted goes on with the next one"
