"""How a stage is decided on a device: every end is charged to a stage, and nothing hides a failure."""

from __future__ import annotations

import json
import queue
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.children import device_under_test
from core.burnin.children.child import LOOK_EVERY_S, NOTED_S
from core.burnin.children.device_under_test import (
    ENDED_JUST_NOW_S,
    FROZEN_FOR_S,
    STOP_LOAD_WITHIN_S,
    DeviceUnderTest,
    Freeze,
)
from core.burnin.record.rows import ResultStatus
from core.loads.dead_man import EXIT_CODE
from core.loads.load import StopCause
from core.machine.telemetry.device import Device, DeviceKind
from core.platform.child_reports import read_report

FAULT = {"type": "fault", "kind": "mismatch", "message": "wrong"}


class FakeChild:
    """A worker that does nothing by itself."""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.stopping = self.abandoned = self.killed_from_outside = self.frozen = False
        self.pid, self.exit_code = 7, None
        self.alive, self.killed = True, False
        self.sent: list[str] = []

    def send(self, type_: str, **_: Any) -> None:
        self.sent.append(type_)

    def stop(self) -> None:
        self.stopping = True

    def kill(self) -> None:
        self.killed = True

    def advance(self) -> None:
        pass

    def ending(self) -> str:
        return "process 7 was ended by signal 9 (SIGKILL)."


@pytest.fixture
def device(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> DeviceUnderTest:
    monkeypatch.setattr(device_under_test, "Child", FakeChild)
    under_test = DeviceUnderTest(Device("GPU-1", DeviceKind.GPU, "Card"), inbox=queue.SimpleQueue(), log_dir=tmp_path)
    under_test.wake()
    return under_test


def worker(device: DeviceUnderTest) -> FakeChild:
    assert isinstance(device.worker, FakeChild)
    return device.worker


def status(device: DeviceUnderTest) -> ResultStatus | None:
    result = device.take_result()
    return result[0] if result else None


def test_a_load_is_decided_once_by_its_worker(device: DeviceUnderTest) -> None:
    device.start_load(0.0, "gemm", 10.0, {})
    assert status(device) is None
    device.handle({"type": "done", "status": "passed", "reason": "fine", "evidence": {"checks": 3}}, 10.0)
    assert device.take_result() == (ResultStatus.PASSED, "fine", {"checks": 3})
    assert status(device) is None


@pytest.mark.parametrize("cause", StopCause)
def test_a_load_that_was_stopped_says_why_by_a_value_and_in_words(device: DeviceUnderTest, cause: StopCause) -> None:
    device.start_load(0.0, "gemm", 10.0, {})
    done = read_report(json.dumps({"type": "done", "status": "stopped", "reason": "", "stop": cause}))
    assert done is not None
    device.handle(done, 1.0)
    assert device.stop_cause is cause
    assert device.take_result() == (ResultStatus.STOPPED, cause.label, {})
    device.start_load(2.0, "gemm", 10.0, {})
    assert device.stop_cause is None


@pytest.mark.parametrize(
    ("taken", "report"),
    [
        (False, {"type": "done", "status": "stopped", "stop": "whim"}),
        (False, {"type": "done", "stop": "requested"}),
        (True, {"type": "progress", "metrics": {"loss": float("nan"), "rate": 3, "size": None}}),
        (False, {"type": "progress", "fraction": True}),
        (False, {"type": "samples", "samples": {"GPU-1": {"power_w": 1e301}}}),
        (False, {"type": "samples", "samples": {"GPU-1": {"power_w": 10**400}}}),
        (False, {"type": "samples", "samples": {"GPU-1": 3}}),
        (False, {"type": "lost", "device": "GPU-1"}),
        (False, {"type": "mce", "device": 7}),
        (True, {"type": "of tomorrow", "status": 7}),
    ],
)
def test_a_report_whose_fields_are_nonsense_is_not_taken(taken: bool, report: dict[str, Any]) -> None:
    assert (read_report(json.dumps(report)) is not None) is taken


def test_evidence_of_a_worker_that_talks_nonsense_is_unknown(device: DeviceUnderTest) -> None:
    device.start_load(0.0, "gemm", 10.0, {})
    nonsense = {"checks": 3, "errors": "none", "rates": {"float32": [1]}, "products": 9, "invented": {"deep": 1}}
    device.handle({"type": "done", "status": "passed", "reason": "fine", "evidence": nonsense}, 10.0)
    assert device.take_result() == (
        ResultStatus.PASSED, "fine", {"checks": 3, "rates": None, "products": 9},
    )  # fmt: skip


@pytest.mark.parametrize("outside", [True, False])
def test_a_worker_that_dies_before_its_first_stage_is_charged_to_that_stage(
    device: DeviceUnderTest, outside: bool
) -> None:
    worker(device).killed_from_outside = outside
    device.handle({"type": "ended"}, 1.0)
    result = device.take_result()
    assert (result[0], result[2]) == (ResultStatus.DIED, {"killed_from_outside": outside})
    device.start_load(2.0, "gemm", 10.0, {})
    assert status(device) is ResultStatus.NOT_RUN


def test_what_a_replaced_worker_leaves_behind_as_it_ends_is_known_to_be_our_doing(device: DeviceUnderTest) -> None:
    assert not device.ending_a_worker(0.0)
    device.renew()
    device.advance(10.0)
    assert device.ending_a_worker(10.0)
    device.former[0].alive = False  # type: ignore[misc]
    device.advance(12.0)
    assert device.ending_a_worker(10.0 + ENDED_JUST_NOW_S)
    assert not device.ending_a_worker(11.0 + ENDED_JUST_NOW_S)
    device.end(ResultStatus.FAILED, "lost")
    assert device.ending_a_worker(100.0)


def test_a_worker_that_can_compute_no_more_is_replaced_and_its_result_kept(device: DeviceUnderTest) -> None:
    device.handle({"type": "ready"}, 0.0)
    device.start_load(0.0, "gemm", 10.0, {})
    spent = worker(device)
    device.handle({"type": "done", "status": "failed", "reason": "illegal", "evidence": {}, "spent": True}, 3.0)
    assert spent.stopping
    assert device.worker is not spent
    assert device.starting
    assert status(device) is ResultStatus.FAILED
    device.handle({"type": "ready"}, 4.0)
    device.start_load(5.0, "gemm", 10.0, {})
    assert device.loading


@pytest.mark.parametrize(
    ("loaded", "befalls"),
    [
        (False, lambda device: device.end(ResultStatus.FAILED, "The device was lost")),
        (True, lambda device: (device.handle(FAULT, 1.0), device.handle({"type": "ended"}, 2.0))),
        (True, lambda device: (device.end(ResultStatus.STOPPED, "stopped"), device.end(ResultStatus.FAILED, "lost"))),
    ],
    ids=["lost at rest", "its worker reported faults and died", "lost after it was stopped"],
)
def test_nothing_hides_a_failure(device: DeviceUnderTest, loaded: bool, befalls: Any) -> None:
    if loaded:
        device.start_load(0.0, "gemm", 10.0, {})
    befalls(device)
    assert status(device) is ResultStatus.FAILED


def test_a_worker_that_does_not_stop_its_load_is_ended(device: DeviceUnderTest) -> None:
    device.start_load(0.0, "gemm", 10.0, {})
    device.stop_load(1.0)
    device.advance(1.0 + STOP_LOAD_WITHIN_S)
    assert device.loading
    device.advance(1.1 + STOP_LOAD_WITHIN_S)
    assert worker(device).stopping
    assert status(device) is ResultStatus.STOPPED


def test_silence_while_the_runner_stood_still_is_not_the_workers(device: DeviceUnderTest) -> None:
    device.start_load(0.0, "gemm", 60.0, {})
    device.stop_load(1.0)
    device.excuse(15.0)
    device.advance(16.0)
    assert device.loading
    assert device.heartbeat_s == 15.0


# -- frozen, or left alone -------------------------------------------------------------------------------------------


def look(device: DeviceUnderTest, from_s: float, to_s: float, *, frozen: bool) -> list[Freeze]:
    """Several times a second, as the runner does; ends where the worker is replaced."""
    watched, freezes, now_s = worker(device), [], from_s
    watched.frozen = frozen
    while now_s < to_s - 1e-6 and device.worker is watched:
        if freeze := device.look_for_freeze(now_s):
            freezes.append(freeze)
        now_s += LOOK_EVERY_S
    return freezes


@given(st.floats(0.3, FROZEN_FOR_S - 0.6))
def test_a_worker_that_wakes_again_goes_on_and_its_freeze_is_reported(seconds: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(device_under_test, "Child", FakeChild)
        device = DeviceUnderTest(Device("GPU-1", DeviceKind.GPU, "Card"), inbox=queue.SimpleQueue(), log_dir=Path())
        device.wake()
        device.start_load(0.0, "gemm", 60.0, {})
        assert look(device, 0.0, 3.0, frozen=False) == []
        assert look(device, 3.0, 3.0 + seconds, frozen=True) == []
        freezes = look(device, 3.0 + seconds, 12.0, frozen=False)
        assert all(freeze.lasted_s >= seconds for freeze in freezes)
        assert freezes or seconds < NOTED_S
        assert device.loading


def test_a_worker_that_does_not_wake_is_replaced_and_its_load_may_be_started_again(device: DeviceUnderTest) -> None:
    frozen = worker(device)
    device.start_load(0.0, "gemm", 60.0, {})
    device.handle({"type": "progress", "fraction": 0.5, "metrics": {}}, 1.0)
    look(device, 0.0, 1.0, frozen=False)
    (freeze,) = look(device, 1.0, 20.0, frozen=True)
    assert device.heartbeat_s > FROZEN_FOR_S, "no guard calls the card hung for that"
    assert FROZEN_FOR_S <= freeze.lasted_s < FROZEN_FOR_S + 1
    assert "was ended" in freeze.text
    assert frozen.killed
    assert device.worker is not None
    assert device.worker is not frozen
    assert (device.interrupted, device.ran_s, device.unusable) == (True, 30.0, None)
    assert status(device) is ResultStatus.STOPPED


def test_nobody_is_ended_for_the_time_in_which_the_runner_did_not_look(device: DeviceUnderTest) -> None:
    look(device, 0.0, 1.0, frozen=False)
    device.excuse(60.0)
    assert look(device, 61.0, 61.0 + FROZEN_FOR_S - 0.5, frozen=True) == []


def test_a_load_that_was_left_alone_may_be_started_again_and_one_that_found_a_fault_has_failed(
    device: DeviceUnderTest,
) -> None:
    for faults, ends in ((0, ResultStatus.STOPPED), (1, ResultStatus.FAILED)):
        device.start_load(0.0, "gemm", 10.0, {})
        if faults:
            device.handle(FAULT, 1.0)
        before = worker(device)
        before.exit_code = EXIT_CODE  # type: ignore[assignment]
        device.handle({"type": "ended"}, 5.0)
        assert device.interrupted
        assert device.worker is not before
        assert status(device) is ends


# -- at rest, and on to the next worker ---------------------------------------------------------------------------


def counts(device: DeviceUnderTest, checks: int, errors: int) -> tuple[float, float]:
    """What the series shows after a worker has said so much."""
    device.handle({"type": "progress", "metrics": {"checks": checks, "errors": errors, "loss": 1.0}}, 1.0)
    return device.metrics["checks"], device.metrics["errors"]


def passed(device: DeviceUnderTest) -> None:
    device.handle({"type": "done", "status": "passed", "reason": "", "evidence": {}}, 2.0)


@pytest.mark.parametrize("replace", [DeviceUnderTest.renew, lambda d: (d.rest(), d.wake())], ids=["renewed", "rested"])
def test_what_was_counted_goes_on_with_another_worker(device: DeviceUnderTest, replace: Any) -> None:
    device.start_load(0.0, "gemm", 10.0, {})
    assert counts(device, 100, 3) == (100, 3)
    passed(device)
    replace(device)
    assert device.metrics == {"checks": 100, "errors": 3}
    device.start_load(3.0, "gemm", 10.0, {})
    assert counts(device, 0, 0) == (100, 3)
    assert counts(device, 7, 1) == (107, 4)
    passed(device)
    replace(device)
    assert counts(device, 1, 0) == (108, 4)
    device.handle({"type": "ended"}, 3.0)
    assert device.metrics == {"checks": 108, "errors": 4}, "it outlives a worker that dies"


def test_a_resumed_run_counts_on_from_what_is_recorded(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(device_under_test, "Child", FakeChild)
    card = Device("GPU-1", DeviceKind.GPU, "Card")
    device = DeviceUnderTest(card, inbox=queue.SimpleQueue(), log_dir=tmp_path, counted={"checks": 50, "errors": 2})
    assert device.metrics == {"checks": 50, "errors": 2}
    device.wake()
    device.start_load(0.0, "gemm", 10.0, {})
    assert counts(device, 5, 0) == (55, 2)


def test_a_device_at_rest_has_no_worker_and_waits_for_none(device: DeviceUnderTest) -> None:
    resting = worker(device)
    device.rest()
    assert (device.worker, device.starting, resting.stopping) == (None, False, True)
    assert device.ending
    assert device.look_for_freeze(5.0) is None
    resting.alive = False
    device.advance(6.0)
    assert (device.ending, device.workers) == (False, ())
    device.wake()
    assert device.starting
    device.end(ResultStatus.FAILED, "lost")
    device.rest()
    device.wake()
    assert device.worker is None, "what is out of the run is not woken"


def test_a_worker_that_does_not_go_away_takes_its_device_out_of_the_run_and_blames_nobody(
    device: DeviceUnderTest,
) -> None:
    stuck = worker(device)
    device.rest()
    stuck.abandoned = True
    assert [kind for _, kind, _ in device.advance(20.0)] == ["abandoned"]
    assert not device.ending
    assert device.advance(21.0) == []
    device.wake()
    assert device.worker is None
    assert status(device) is ResultStatus.STOPPED
