"""A stage is told device by device: no card that failed is green, none that passed is called not run."""

from __future__ import annotations

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
from core.burnin.verdict.errors import ErrorCounts, ErrorKind
from core.burnin.verdict.states import Condition, StageState, StageStates, condition_of, stage_states

PASSED, FAILED, DIED, STOPPED, NOT_RUN = (
    ResultStatus.PASSED, ResultStatus.FAILED, ResultStatus.DIED, ResultStatus.STOPPED, ResultStatus.NOT_RUN,
)  # fmt: skip
EIGHT = [f"GPU-{number}" for number in range(8)]


def of(
    *results: ResultStatus | tuple[ResultStatus, dict[str, Any]] | None,
    status: StageStatus = StageStatus.DONE,
    events: tuple[Event, ...] = (),
    started_s: float | None = 10.0,
) -> StageStates:
    stage = StageRow(3, "gemm", "GEMM", 10.0, status, 0.5, started_s, 20.0, "boot")
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
        ([STOPPED, PASSED], StageState.STOPPED, "1 of 2 passed, 1 not finished"),
        ([NOT_RUN, NOT_RUN], StageState.NOT_RUN, "NOT RUN"),
        ([(NOT_RUN, {"needs": "a GPU"}), PASSED], StageState.PASSED, "passed"),
        ([(PASSED, {"warnings": ["low"]}), PASSED], StageState.WARNED, "1 of 2 passed, 1 passed with warnings"),
        ([PASSED, None], StageState.PARTLY, "1 of 2 passed, 1 NOT RUN"),
    ],
)
def test_a_stage_that_ended(results: list[Any], whole: StageState, words: str) -> None:
    found = of(*results)
    assert (found.whole, found.words) == (whole, words)


@pytest.mark.parametrize("kind", ["xid", "aer", "mismatch"])
def test_an_error_that_no_load_noticed_fails_the_stage_in_which_it_came(kind: str) -> None:
    assert of(PASSED, PASSED, events=(error(kind, 15.0),)).words == "1 of 2 passed, 1 FAILED"
    assert of(PASSED, PASSED, events=(error(kind, 25.0),)).whole is StageState.PASSED


def test_a_lost_card_is_called_lost_in_the_stage_of_its_loss_only() -> None:
    assert of(PASSED, FAILED, events=(error("lost", 15.0),)).words == "1 of 2 passed, 1 LOST"
    assert of(PASSED, NOT_RUN, events=(error("lost", 5.0),)).words == "1 of 2 passed, 1 NOT RUN"


def test_missing_planned_cards_fail_the_preflight_though_each_card_that_is_here_passed() -> None:
    found = of(PASSED, PASSED, events=(error("plan", 10.0, None),))
    assert found.whole is StageState.FAILED
    assert found.words == "FAILED: the machine is not as planned"


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
    assert of(None, None, status=StageStatus.RUNNING, events=(error("xid", 12.0),)).whole is StageState.FAILED


@pytest.mark.parametrize(
    ("errors", "outcome", "condition"),
    [
        ({ErrorKind.LOST: 1, ErrorKind.XID: 1}, Outcome.FAIL, Condition.LOST),
        ({ErrorKind.DIED: 1}, None, Condition.DEAD),
        ({ErrorKind.WRONG_RESULT: 3}, None, Condition.FAILED),
        ({}, None, Condition.SOUND),
        ({}, Outcome.WARN, Condition.WARNED),
        ({}, Outcome.PASS, Condition.PASSED),
    ],
)
def test_the_word_for_a_device(errors: dict[ErrorKind, int], outcome: Outcome | None, condition: Condition) -> None:
    verdict = Verdict("GPU-0", outcome, ()) if outcome else None
    assert condition_of(ErrorCounts(errors, dict.fromkeys(errors, 1.0)), [], verdict) is condition
