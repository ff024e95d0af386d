"""A stage is told device by device: no card that failed is green, none that passed is called not run."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from core.burnin.record.rows import (
    Event,
    EventLevel,
    Outcome,
    ResultStatus,
    StageResult,
    StageRow,
    StageStatus,
    Verdict,
)
from core.burnin.verdict.codes import ErrorKind
from core.burnin.verdict.errors import ErrorCounts
from core.burnin.verdict.states import BAD, GRAVITY, Condition, StageState, StageStates, condition_of, stage_states

PASSED, FAILED, DIED, STOPPED, NOT_RUN = (
    ResultStatus.PASSED, ResultStatus.FAILED, ResultStatus.DIED, ResultStatus.STOPPED, ResultStatus.NOT_RUN,
)  # fmt: skip
EIGHT = [f"GPU-{number}" for number in range(8)]


def of(
    *results: ResultStatus | tuple[ResultStatus, dict[str, Any]] | None,
    status: StageStatus = StageStatus.DONE,
    events: tuple[Event, ...] = (),
    started_s: float | None = 10.0,
    ended_s: float | None = 20.0,
) -> StageStates:
    stage = StageRow(3, "gemm", "GEMM", 10.0, status, 0.5, started_s, ended_s, "boot")
    found = []
    for device, result in zip(EIGHT, results, strict=False):
        if result is not None:
            how, evidence = result if isinstance(result, tuple) else (result, {})
            found.append(StageResult(3, device, how, "", evidence))
    return stage_states([stage], found, events, EIGHT[: len(results)])[0]


def error(kind: str, time_s: float, device: str | None = "GPU-1") -> Event:
    return Event(1, time_s, "", device, EventLevel.ERROR, kind, "")


@pytest.mark.parametrize(
    ("results", "whole", "words"),
    [
        ([PASSED] * 8, StageState.PASSED, "passed"),
        ([*[PASSED] * 7, NOT_RUN], StageState.PARTLY, "7 of 8 passed, 1 NOT RUN"),
        ([*[PASSED] * 7, FAILED], StageState.FAILED, "7 of 8 passed, 1 FAILED"),
        ([DIED, PASSED], StageState.DIED, "1 of 2 passed, 1 DIED"),
        ([STOPPED, PASSED], StageState.STOPPED, "1 of 2 passed, 1 stopped"),
        ([NOT_RUN, NOT_RUN], StageState.NOT_RUN, "NOT RUN"),
        ([(NOT_RUN, {"needs": "a GPU"}), PASSED], StageState.PASSED, "passed"),
        ([(PASSED, {"warnings": ["low"]}), PASSED], StageState.WARNED, "1 of 2 passed, 1 passed with warnings"),
        ([PASSED, None], StageState.PARTLY, "1 of 2 passed, 1 NOT RUN"),
        ([(PASSED, {"warnings": ["low"]}), NOT_RUN], StageState.PARTLY, "1 of 2 passed with warnings, 1 NOT RUN"),
        ([FAILED, NOT_RUN], StageState.FAILED, "1 of 2 FAILED, 1 NOT RUN"),
        ([FAILED, DIED, STOPPED, PASSED], StageState.DIED, "1 of 4 passed, 1 DIED, 1 FAILED, 1 stopped"),
        ([(NOT_RUN, {"needs": "a GPU"})] * 2, StageState.NO_PART, "not applicable"),
        ([(NOT_RUN, {"needs": "a GPU"}), PASSED, FAILED], StageState.FAILED, "1 of 2 passed, 1 FAILED"),
        ([(FAILED, {"needs": "a GPU"})], StageState.FAILED, "FAILED"),
        ([(FAILED, {"warnings": ["low"]})], StageState.FAILED, "FAILED"),
        ([], StageState.PENDING, "pending"),
    ],
)
def test_a_stage_that_ended(results: list[Any], whole: StageState, words: str) -> None:
    found = of(*results)
    assert (found.whole, found.words) == (whole, words)


@pytest.mark.parametrize("kind", ["xid", "aer", "mismatch"])
@pytest.mark.parametrize(
    ("time_s", "ended_s", "inside"),
    [(9.9, 20.0, False), (10.0, 20.0, True), (20.0, 20.0, True), (20.1, 20.0, False), (9999.0, None, True)],
)
def test_an_error_that_no_load_noticed_fails_the_stage_in_which_it_came(
    kind: str, time_s: float, ended_s: float | None, inside: bool
) -> None:
    found = of(PASSED, PASSED, events=(error(kind, time_s),), ended_s=ended_s)
    assert found.words == ("1 of 2 passed, 1 FAILED" if inside else "passed")
    assert (found.whole, found.machine) == (StageState.FAILED if inside else StageState.PASSED, None)
    warned = replace(error(kind, time_s), level=EventLevel.WARN)
    assert of(PASSED, PASSED, events=(warned,), ended_s=ended_s).whole is StageState.PASSED
    assert of(PASSED, PASSED, events=(error(kind, time_s),), started_s=None).whole is StageState.PASSED


def test_a_lost_card_is_called_lost_in_the_stage_of_its_loss_only() -> None:
    assert of(PASSED, FAILED, events=(error("lost", 15.0),)).words == "1 of 2 passed, 1 LOST"
    assert of(PASSED, PASSED, events=(error("lost", 15.0),)).words == "1 of 2 passed, 1 LOST"
    assert of(PASSED, NOT_RUN, events=(error("lost", 5.0),)).words == "1 of 2 passed, 1 NOT RUN"
    assert of(PASSED, None, events=(error("lost", 15.0),)).words == "1 of 2 passed, 1 LOST"


def test_missing_planned_cards_fail_the_preflight_though_each_card_that_is_here_passed() -> None:
    found = of(PASSED, PASSED, events=(error("plan", 10.0, None),))
    assert found.whole is StageState.FAILED
    assert found.words == "FAILED: the machine is not as planned"
    assert found.as_dict() == {"state": "FAILED", "states": {"GPU-0": "passed", "GPU-1": "passed"}}
    for other in (error("plan", 10.0), error("xid", 10.0, None), error("plan", 25.0, None)):
        assert of(PASSED, PASSED, events=(other,)).machine is None


@pytest.mark.parametrize(
    ("status", "started_s", "state"),
    [
        (StageStatus.PENDING, None, StageState.PENDING),
        (StageStatus.RUNNING, 10.0, StageState.RUNNING),
        (StageStatus.SKIPPED, None, StageState.SKIPPED),
        (StageStatus.SKIPPED, 10.0, StageState.STOPPED),
    ],
)
def test_a_stage_that_has_not_ended(status: StageStatus, started_s: float | None, state: StageState) -> None:
    assert of(None, None, status=status, started_s=started_s).whole is state


def test_a_running_stage_shows_the_card_that_has_failed_already() -> None:
    found = of(None, None, status=StageStatus.RUNNING, events=(error("xid", 12.0),), ended_s=None)
    assert found.words == "1 of 2 FAILED, 1 running"
    skipped = of(None, None, status=StageStatus.SKIPPED, events=(error("xid", 12.0),))
    assert skipped.whole is StageState.STOPPED


@pytest.mark.parametrize(
    ("errors", "outcome", "condition"),
    [
        ({ErrorKind.LOST: 1, ErrorKind.XID: 1}, Outcome.FAIL, Condition.LOST),
        ({ErrorKind.DIED: 1}, None, Condition.DEAD),
        ({ErrorKind.WRONG_RESULT: 3}, None, Condition.FAILED),
        ({}, None, Condition.SOUND),
        ({}, Outcome.WARN, Condition.WARNED),
        ({}, Outcome.PASS, Condition.PASSED),
        ({}, Outcome.FAIL, Condition.FAILED),
        ({}, Outcome.INCOMPLETE, Condition.INCOMPLETE),
        ({ErrorKind.OTHER: 1}, Outcome.PASS, Condition.FAILED),
        ({ErrorKind.LOST: 1, ErrorKind.DIED: 1}, None, Condition.LOST),
        ({ErrorKind.LOST: 0, ErrorKind.DIED: 1}, None, Condition.DEAD),
    ],
)
def test_the_word_for_a_device(errors: dict[ErrorKind, int], outcome: Outcome | None, condition: Condition) -> None:
    verdict = Verdict("GPU-0", outcome, ()) if outcome else None
    assert condition_of(ErrorCounts(errors, dict.fromkeys(errors, 1.0)), [], verdict) is condition


@pytest.mark.parametrize("how", ResultStatus)
def test_a_result_that_failed_shows_before_there_is_a_verdict(how: ResultStatus) -> None:
    results = [StageResult(0, "GPU-0", ResultStatus.PASSED, ""), StageResult(1, "GPU-0", how, "")]
    expected = Condition.FAILED if how is FAILED else Condition.SOUND
    assert condition_of(ErrorCounts(), results, None) is expected


def test_each_stage_has_its_own_results_and_events() -> None:
    stages = [
        StageRow(n, "gemm", "GEMM", 10.0, StageStatus.DONE, 1.0, 10.0 * n, 10.0 * n + 9, "boot") for n in range(3)
    ]
    results = [
        StageResult(0, "GPU-0", PASSED, ""),
        StageResult(1, "GPU-0", FAILED, ""),
        StageResult(2, "GPU-0", PASSED, ""),
    ]
    found = stage_states(stages, results, [error("xid", 25.0, "GPU-0")], ["GPU-0"])
    assert [(one.number, one.whole) for one in found] == [
        (0, StageState.PASSED), (1, StageState.FAILED), (2, StageState.FAILED),
    ]  # fmt: skip


def test_the_gravest_state_of_a_stage_is_its_own_and_each_has_a_word() -> None:
    gravest = StageState.LOST, StageState.DIED, StageState.FAILED, StageState.STOPPED, StageState.SKIPPED
    order = (*gravest, StageState.RUNNING, StageState.WARNED, StageState.PASSED, StageState.NOT_RUN, StageState.PENDING)
    for place, state in enumerate(order):
        for milder in (*order[place:], StageState.NO_PART):
            passed = {state, milder} == {state, StageState.NOT_RUN} and state in (StageState.PASSED, StageState.WARNED)
            expected = StageState.PARTLY if passed else state
            assert StageStates(0, {"a": milder, "b": state}).whole is expected
    assert set(GRAVITY) == set(StageState) - {StageState.PARTLY}
    assert set(BAD) == {StageState.LOST, StageState.DIED, StageState.FAILED}
    assert [str(state) for state in StageState] == [
        "pending", "running", "passed", "passed with warnings", "partly run", "FAILED", "LOST", "DIED", "not finished",
        "NOT RUN", "no part", "skipped", "not judged",
    ]  # fmt: skip
    assert {state: str(state.label) for state in StageState if state.label != state} == {
        StageState.NO_PART: "not applicable",
        StageState.STOPPED: "stopped",
    }
    assert [str(one.label) for one in Condition] == [
        "LOST", "DEAD", "FAILED", "INCOMPLETE", "WARNED", "PASSED", "no fault so far",
    ]  # fmt: skip
