"""Devices that run a load together: sizes and groups; when one of them fails it alone is named; replays that differ."""

from __future__ import annotations

import signal
from dataclasses import fields
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import EventLevel, Outcome, Result, ResultStatus, StageStatus
from core.burnin.record.store import RunStore
from core.burnin.stages.registry import BY_KIND
from core.burnin.stages.replay import compare_replays
from core.burnin.stages.together import TogetherStage, alike, doubling, joint_result
from core.loads.training.contract import ReplayedTraining
from core.machine.telemetry.device import Device, DeviceKind
from tests.burnin.processes import Start, WriteProfile, burned, child, finished, log_text, outcome, running
from tests.patience import wait_for


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
        ({2: "passed", 4: "passed"}, "passed"), ({2: "passed", 4: "failed"}, "failed"),
        ({2: "stopped", 4: "died"}, "died"), ({2: "not_run", 4: "passed"}, "not_run"),
        ({2: "failed", 4: "not_run"}, "failed"),
    ],
)  # fmt: skip
def test_of_all_sizes_the_worst_end_counts_and_all_evidence_stays(statuses: dict[int, str], joint: str) -> None:
    by_size: dict[int, Result] = {
        size: (ResultStatus(status), "why", {"rates": {"training": 10.0 * size}, "rate_unit": "images/s"})
        for size, status in statuses.items()
    }
    status, reason, evidence = joint_result(by_size)
    assert status is ResultStatus(joint)
    assert set(evidence["by_size"]) == {"2", "4"}
    assert evidence["rates"] == {"training, 2 devices": 20.0, "training, 4 devices": 40.0}
    assert "why" in reason


@pytest.mark.process
def test_a_member_that_dies_is_named_and_the_group_of_one_that_is_frozen_begins_anew(
    start: Start, store: RunStore, write_profile: WriteProfile
) -> None:
    stages = (("collectives", 60.0, {}), ("p2p", 8.0, {}), ("gemm", 1.0, {"size": 128}))
    run_id = start(write_profile(*stages, heartbeat_timeout_s=2.5), simulate="4x3090")

    def worker_in(number: int, card: int) -> tuple[str, Any]:
        wait_for(lambda: store.stages(run_id)[number].status is StageStatus.RUNNING, f"stage {number}")
        victim = burned(store, run_id)[card]
        return victim, child(store, run_id, "core.loads.worker", victim)

    dead, process = worker_in(0, 1)
    process.kill()
    frozen, process = worker_in(1, 2)
    process.send_signal(signal.SIGSTOP)
    wait_for(lambda: finished(store, run_id), "the verdict")
    results = {(result.number, result.device_id): result for result in store.results(run_id)}
    left = [device_id for device_id in burned(store, run_id) if device_id not in (dead, frozen)]
    titles = {row.device.id: row.device.title for row in store.devices(run_id)}
    assert results[0, dead].status is ResultStatus.DIED
    for device_id in (frozen, *left):
        assert results[0, device_id].status is ResultStatus.STOPPED, results[0, device_id]
        assert titles[dead] in results[0, device_id].reason
        assert results[1, device_id].status is ResultStatus.PASSED, results[1, device_id]
        assert "started again for the rest" in results[1, device_id].evidence["warnings"][0]
    assert {results[2, device_id].status for device_id in left} == {ResultStatus.PASSED}
    assert [outcome(store, run_id, device_id) for device_id in (frozen, *left)] == [Outcome.INCOMPLETE] * 3
    assert "frozen from outside" in log_text(store, run_id)
    assert not running(process)


REASON = "all_reduce did not return within 60 s."
HUNG: Result = (ResultStatus.FAILED, REASON, {"retry_with": {"p2p": False}})


class Attempts:
    """A stage of which only what comes of each attempt is made up, in place of loads."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *attempts: dict[str, Result]) -> None:
        self.live = self
        self.cut = False
        self.messages: list[str] = []
        self.changes: list[dict[str, Any]] = []
        self.devices = {member: SimpleNamespace(ran_s=0.0, interrupted=False) for one in attempts for member in one}
        self._attempts = iter(attempts)
        monkeypatch.setattr(TogetherStage, "_run_once", self._attempt)

    def _attempt(self, _context: Any, groups: Any, _seconds: float, changes: dict[str, Any]) -> dict[str, Result]:
        self.changes.append(changes)
        tried = {member for group in groups for member in group}
        return {member: result for member, result in next(self._attempts).items() if member in tried}

    def now(self) -> float:
        return 0.0

    def event(self, _level: EventLevel, _kind: str, message: str) -> None:
        self.messages.append(message)

    def results(self, groups: list[list[str]]) -> dict[str, Result]:
        return BY_KIND["collectives"].run_groups(self, groups, 5.0)  # type: ignore[attr-defined]


def test_a_group_that_hung_is_tried_once_more_and_what_it_works_with_is_a_warning(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fine: Result = (ResultStatus.PASSED, "40 all-reduces, all correct.", {"checks": 40})
    first = {"a": HUNG, "b": (ResultStatus.STOPPED, "It was ended because of a.", {}), "c": fine, "d": fine}
    stage = Attempts(monkeypatch, first, {"a": fine, "b": fine})
    results = stage.results([["a", "b"], ["c", "d"]])
    assert stage.changes == [{}, {"a": {"p2p": False}, "b": {"p2p": False}}]
    assert stage.messages == ["A group hung; it is retried once with p2p = false."]
    assert {status for status, _, _ in results.values()} == {ResultStatus.PASSED}
    assert results["a"][2]["warnings"] == [f"It works only with p2p = false. Without it: {REASON}"]
    assert results["c"] == fine


def test_a_group_that_hangs_again_fails_with_both_reasons(monkeypatch: pytest.MonkeyPatch) -> None:
    still: Result = (ResultStatus.FAILED, f"{REASON} Direct access between the GPUs was off.", {})
    results = Attempts(monkeypatch, {"a": HUNG, "b": HUNG}, {"a": still, "b": still}).results([["a", "b"]])
    status, reason, evidence = results["a"]
    assert (status, reason) == (ResultStatus.FAILED, still[1])
    assert evidence["first_attempt"] == {"status": "failed", "reason": REASON}


def test_a_run_that_is_over_tries_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stage = Attempts(monkeypatch, {"a": HUNG})
    stage.cut = True
    assert stage.results([["a"]]) == {"a": HUNG}
    assert stage.messages == []


FAIL, WARN = Outcome.FAIL, Outcome.WARN


HASHES = {"loss_hash", "weight_hash"}
ALIKE = [one.name for one in fields(ReplayedTraining) if one.name not in HASHES]


def replay(weights: str, *, losses: str = "l", **other: Any) -> ReplayedTraining:
    alike = dict.fromkeys(ALIKE, "same") | {"shape": {"layers": 8}} | other
    return ReplayedTraining(**alike, loss_hash=losses, weight_hash=weights)


@pytest.mark.parametrize(
    ("weights", "outcomes"),
    [
        ("a", {}),
        ("aa", {}),
        ("aaaaaaaa", {}),
        ("ab", {0: WARN, 1: WARN}),
        ("aab", {2: FAIL}),
        ("baa", {0: FAIL}),
        ("abc", {0: WARN, 1: WARN, 2: WARN}),
        ("aabb", {0: WARN, 1: WARN, 2: WARN, 3: WARN}),
        ("aaabb", {3: FAIL, 4: FAIL}),
        ("aaabc", {3: FAIL, 4: FAIL}),
    ],
)
def test_the_minority_has_failed(weights: str, outcomes: dict[int, Outcome]) -> None:
    reasons = compare_replays({str(place): replay(letter) for place, letter in enumerate(weights)})
    assert {int(device): reason.outcome for device, reason in reasons.items()} == outcomes


def test_the_losses_count_as_the_weights_do() -> None:
    reasons = compare_replays({"0": replay("a"), "1": replay("a"), "2": replay("a", losses="other")})
    assert list(reasons) == ["2"]
    assert "different bits than on 2 of 3 devices" in reasons["2"].text


@pytest.mark.parametrize("field", ALIKE)
def test_what_was_not_the_same_training_is_not_compared(field: str) -> None:
    assert compare_replays({"0": replay("a"), "1": replay("b", **{field: "another"})}) == {}


def test_each_model_votes_for_itself() -> None:
    replays = {"0": replay("a"), "1": replay("a"), "2": replay("b", device="other"), "3": replay("c", device="other")}
    reasons = compare_replays(replays)
    assert set(reasons) == {"2", "3"}
    assert {reason.outcome for reason in reasons.values()} == {WARN}
    assert "which of them is wrong" in reasons["2"].text


@given(st.lists(st.sampled_from("abc"), max_size=9))
def test_the_majority_is_never_accused(letters: list[str]) -> None:
    reasons = compare_replays({str(place): replay(letter) for place, letter in enumerate(letters)})
    for letter in set(letters):
        if 2 * letters.count(letter) > len(letters) >= 3:
            accused = [int(device) for device in reasons]
            assert all(letters[place] != letter for place in accused)
    if any(reason.outcome is FAIL for reason in reasons.values()):
        assert len(letters) >= 3
