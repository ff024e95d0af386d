"""Devices that run a load together: sizes and groups; and when one of them dies or hangs, it alone is named."""

from __future__ import annotations

import signal
from itertools import pairwise
from typing import Any

import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record import Outcome, Result, ResultStatus, StageStatus
from core.burnin.stages.data_parallel import doubling, joined
from core.burnin.stages.together import alike
from core.burnin.store import RunStore
from core.telemetry.device import Device, DeviceKind
from tests.burnin.processes import Start, WaitFor, WriteProfile, burned, child, finished, outcome, running, said


@given(st.integers(1, 64))
def test_sizes_double_up_to_all(most: int) -> None:
    sizes = doubling(most)
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == most
    assert all(later <= 2 * earlier for earlier, later in pairwise(sizes))
    assert most == 1 or min(sizes) == 2


def test_devices_of_one_model_are_a_group() -> None:
    cards = [Device(f"GPU-{n}", DeviceKind.GPU, name) for n, name in enumerate(["A", "B", "A"])]
    assert alike(cards) == [["GPU-0", "GPU-2"], ["GPU-1"]]


@pytest.mark.parametrize(
    ("statuses", "joint"),
    [
        ({2: "passed", 4: "passed"}, "passed"),
        ({2: "passed", 4: "failed"}, "failed"),
        ({2: "stopped", 4: "died"}, "died"),
        ({2: "not_run", 4: "passed"}, "not_run"),
        ({2: "failed", 4: "not_run"}, "failed"),
    ],
)
def test_of_all_sizes_the_worst_end_counts_and_all_evidence_stays(statuses: dict[int, str], joint: str) -> None:
    by_size: dict[int, Result] = {
        size: (ResultStatus(status), "why", {"rates": {"training": 10.0 * size}, "rate_unit": "images/s"})
        for size, status in statuses.items()
    }
    status, reason, evidence = joined(by_size)
    assert status is ResultStatus(joint)
    assert set(evidence["by_size"]) == {"2", "4"}
    assert evidence["rates"] == {"training, 2 devices": 20.0, "training, 4 devices": 40.0}
    assert "why" in reason


@pytest.mark.process
def test_a_member_that_dies_and_one_that_hangs_are_named_and_the_others_go_on(
    start: Start, store: RunStore, write_profile: WriteProfile, wait_for: WaitFor
) -> None:
    stages = (("collectives", 60.0, {}), ("p2p", 60.0, {}), ("gemm", 1.0, {"size": 128}))
    run_id = start(write_profile(*stages, heartbeat_timeout_s=2.5), simulate="4x3090")

    def worker_in(number: int, card: int) -> tuple[str, psutil.Process]:
        wait_for(lambda: store.stages(run_id)[number].status is StageStatus.RUNNING, f"stage {number}", 60)
        victim = burned(store, run_id)[card]
        process = child(store, run_id, "core.loads.worker", victim)
        assert process is not None
        return victim, process

    dead, process = worker_in(0, 1)
    process.kill()
    hung, process = worker_in(1, 2)
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: finished(store, run_id), "the verdict", 60)
    found = {(result.number, result.device_id): result for result in store.results(run_id)}
    left = [device_id for device_id in burned(store, run_id) if device_id not in (dead, hung)]
    titles = {row.device.id: row.device.title for row in store.devices(run_id)}
    _assert_blamed(found, 0, dead, [*left, hung], titles, ResultStatus.DIED)
    _assert_blamed(found, 1, hung, left, titles, ResultStatus.FAILED)
    assert {found[2, device_id].status for device_id in left} == {ResultStatus.PASSED}
    assert outcome(store, run_id, hung) is Outcome.FAIL
    assert [outcome(store, run_id, device_id) for device_id in left] == [Outcome.INCOMPLETE] * 2
    assert "No heartbeat" in said(store, run_id)
    assert not running(process)


def _assert_blamed(
    found: dict[Any, Any], number: int, culprit: str, others: list[str], titles: dict[str, str], status: ResultStatus
) -> None:
    assert found[number, culprit].status is status
    for device_id in others:
        assert found[number, device_id].status is ResultStatus.STOPPED, found[number, device_id]
        assert titles[culprit] in found[number, device_id].reason
