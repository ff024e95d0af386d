"""What went wrong on a device by kind, and a stage told device by device: no card that failed is green, none that
passed is called not run.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import (
    IMPORTED,
    Event,
    EventLevel,
    Outcome,
    ResultStatus,
    StageResult,
    StageStatus,
    Verdict,
)
from core.burnin.record.store import RunStore
from core.burnin.verdict.codes import METRICS, ErrorKind
from core.burnin.verdict.states import (
    BAD,
    GRAVITY,
    Condition,
    ErrorCounts,
    ErrorTally,
    StageState,
    StageStates,
    condition_of,
    error_counts,
    stage_states,
)
from core.loads.load import FaultKind
from tests.burnin.made_run import stage
from tests.present.report.recorded import UUIDS, record_run

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
    row = stage(3, "gemm", started_s, ended_s, status=status)
    stage_results = []
    for device, result in zip(EIGHT, results, strict=False):
        if result is not None:
            how, evidence = result if isinstance(result, tuple) else (result, {})
            stage_results.append(StageResult(3, device, how, "", evidence))
    return stage_states([row], stage_results, events, EIGHT[: len(results)])[0]


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
    state = of(*results)
    assert (state.whole, state.words) == (whole, words)


def test_an_imported_log_is_not_judged_whatever_it_tells() -> None:
    row = stage(0, IMPORTED)
    [state] = stage_states([row], [StageResult(0, "GPU-1", PASSED, "", {})], [error("lost", 15.0)], ["GPU-1"])
    assert state.devices == {"GPU-1": StageState.NOT_JUDGED}


@pytest.mark.parametrize("kind", ["xid", "aer", "mismatch"])
@pytest.mark.parametrize(
    ("time_s", "ended_s", "inside"),
    [(9.9, 20.0, False), (10.0, 20.0, True), (20.0, 20.0, True), (20.1, 20.0, False), (9999.0, None, True)],
)
def test_an_error_that_no_load_noticed_fails_the_stage_in_which_it_came(
    kind: str, time_s: float, ended_s: float | None, inside: bool
) -> None:
    state = of(PASSED, PASSED, events=(error(kind, time_s),), ended_s=ended_s)
    assert state.words == ("1 of 2 passed, 1 FAILED" if inside else "passed")
    assert (state.whole, state.machine) == (StageState.FAILED if inside else StageState.PASSED, None)
    warned = replace(error(kind, time_s), level=EventLevel.WARN)
    assert of(PASSED, PASSED, events=(warned,), ended_s=ended_s).whole is StageState.PASSED
    assert of(PASSED, PASSED, events=(error(kind, time_s),), started_s=None).whole is StageState.PASSED


def test_a_lost_card_is_called_lost_in_the_stage_of_its_loss_only() -> None:
    assert of(PASSED, FAILED, events=(error("lost", 15.0),)).words == "1 of 2 passed, 1 LOST"
    assert of(PASSED, PASSED, events=(error("lost", 15.0),)).words == "1 of 2 passed, 1 LOST"
    assert of(PASSED, NOT_RUN, events=(error("lost", 5.0),)).words == "1 of 2 passed, 1 NOT RUN"
    assert of(PASSED, None, events=(error("lost", 15.0),)).words == "1 of 2 passed, 1 LOST"


def test_missing_planned_cards_fail_the_preflight_though_each_card_that_is_here_passed() -> None:
    state = of(PASSED, PASSED, events=(error("plan", 10.0, None),))
    assert state.whole is StageState.FAILED
    assert state.words == "FAILED: the machine is not as planned"
    assert state.as_dict() == {"state": "FAILED", "states": {"GPU-0": "passed", "GPU-1": "passed"}}
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
    state = of(None, None, status=StageStatus.RUNNING, events=(error("xid", 12.0),), ended_s=None)
    assert state.words == "1 of 2 FAILED, 1 running"
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
    stages = [stage(n, "gemm", 10.0 * n, 10.0 * n + 9) for n in range(3)]
    results = [StageResult(n, "GPU-0", how, "") for n, how in enumerate((PASSED, FAILED, PASSED))]
    states = stage_states(stages, results, [error("xid", 25.0, "GPU-0")], ["GPU-0"])
    assert [(one.number, one.whole) for one in states] == [
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


def event(kind: str, time_s: float, level: EventLevel = EventLevel.ERROR) -> Event:
    return Event(1, time_s, "2026-01-01T00:00:00", "GPU-0", level, kind, "")


def counted(times: Any, values: Mapping[str, Any], events: Iterable[Event]) -> ErrorCounts:
    tally = ErrorTally()
    tally.take_samples(times, values)
    for one in events:
        tally.take_event(one)
    return tally.counts


def test_a_card_without_errors_has_none_and_says_so() -> None:
    times = np.arange(5.0)
    errors = counted(times, {"errors": np.zeros(5), "ecc_uncorrected": np.full(5, 7.0)}, [])
    assert not errors
    assert (errors.words, errors.first_at_s) == ("no errors", None)


@pytest.mark.parametrize(
    ("kind", "error_kind", "one", "two"),
    [
        ("lost", ErrorKind.LOST, "lost", "lost 2 times"),
        ("xid", ErrorKind.XID, "1 Xid error", "2 Xid errors"),
        ("aer", ErrorKind.LINK, "1 link error", "2 link errors"),
        ("died", ErrorKind.DIED, "worker died", "worker died 2 times"),
        *((kind, ErrorKind.WRONG_RESULT, "1 wrong result", "2 wrong results")
          for kind in FaultKind if kind is not FaultKind.ERROR),
        (FaultKind.ERROR, ErrorKind.OTHER, "1 failure", "2 failures"),
        ("guard", ErrorKind.OTHER, "1 failure", "2 failures"),
    ],
)  # fmt: skip
def test_an_error_in_the_log_is_counted_by_its_kind(kind: str, error_kind: ErrorKind, one: str, two: str) -> None:
    errors = counted(np.arange(0.0), {}, [event(kind, 75.0)])
    assert (errors.counts, errors.words, errors.first_at_s) == ({error_kind: 1}, one, 75.0)
    again = counted(np.arange(0.0), {}, [event(kind, 75.0), event(kind, 30.0)])
    assert (again.counts, again.words, again.first_at_s) == ({error_kind: 2}, two, 30.0)
    assert again.as_dict() == {error_kind.value: {"count": 2, "first_s": 30.0}}


@pytest.mark.parametrize("name", METRICS)
def test_a_counter_tells_its_kind_when_it_first_rose_and_begins_anew_after_a_reset(name: str) -> None:
    times = np.array([5.0, 6.0, 7.0, 8.0, 9.0])
    errors = counted(times, {name: np.array([2.0, 2.0, 5.0, 1.0, 1.0])}, [])
    begins_with_the_run = name == "errors"
    assert errors.counts == {METRICS[name]: 6 if begins_with_the_run else 4}
    assert errors.first_at_s == (5.0 if begins_with_the_run else 7.0)
    assert not counted(times, {name: np.full(5, np.nan)}, [])
    assert not counted(times, {name: np.zeros(5)}, [])


def test_two_counters_of_one_kind_add_up_and_the_greater_of_counter_and_log_counts() -> None:
    both = {"aer_fatal": np.array([0.0, 1.0]), "nvlink_replays": np.array([0.0, 2.0])}
    assert counted(np.arange(2.0), both, [event("aer", 0.5)]).counts == {ErrorKind.LINK: 3}
    assert counted(np.arange(2.0), both, [event("aer", 1.0)] * 4).counts == {ErrorKind.LINK: 4}


def test_memory_errors_are_reported_in_words_and_failures_of_the_log_only_where_there_is_nothing_else() -> None:
    for risen, words in ((1.0, "1 uncorrectable memory error"), (2.0, "2 uncorrectable memory errors")):
        assert counted(np.arange(2.0), {"ecc_uncorrected": np.array([0.0, risen])}, []).words == words
    both = counted(np.arange(0.0), {}, [event("guard", 1.0), event("xid", 2.0), event("lost", 3.0)])
    assert both.worth_telling == {ErrorKind.LOST: 1, ErrorKind.XID: 1}
    assert (both.words, both.first_at_s) == ("lost, 1 Xid error", 1.0)
    assert ErrorCounts({ErrorKind.XID: 0}, {}).worth_telling == {}


def test_kinds_are_called_in_json_as_programs_know_them() -> None:
    assert set(METRICS) == {
        "errors", "ecc_uncorrected", "aer_nonfatal", "aer_fatal", "nvlink_replays", "nvlink_recoveries",
    }  # fmt: skip
    assert [str(kind) for kind in ErrorKind] == [
        "lost", "wrong_result", "uncorrectable_memory", "xid", "link", "dead_worker", "other",
    ]  # fmt: skip


def test_what_only_warns_is_no_error() -> None:
    assert not counted(np.arange(0.0), {}, [event("xid", 3.0, EventLevel.WARN), event("aer", 4.0, EventLevel.INFO)])


def test_counters_of_the_driver_count_from_where_the_run_found_them() -> None:
    errors = counted(np.arange(4.0), {"ecc_uncorrected": np.array([np.nan, 3.0, 3.0, 5.0])}, [])
    assert errors.counts == {ErrorKind.MEMORY: 2}
    assert errors.first_at_s == 3.0


def test_counter_and_event_of_one_error_are_one() -> None:
    link = {"aer_fatal": np.array([0.0, 1.0])}
    assert counted(np.arange(2.0), link, [event("aer", 1.0)]).counts == {ErrorKind.LINK: 1}
    wrong = {"errors": np.array([0.0, 12.0])}
    errors = counted(np.arange(2.0), wrong, [event("mismatch", 0.5), event("failed", 1.0)])
    assert errors.words == "12 wrong results"
    assert errors.first_at_s == 0.5


def test_errors_of_several_devices_add_up_and_the_first_is_the_earliest() -> None:
    one, two = (counted(np.arange(0.0), {}, [event("xid", time_s)]) for time_s in (9.0, 4.0))
    both = ErrorCounts.together((one, two))
    assert (both.words, both.first_at_s) == ("2 Xid errors", 4.0)
    other = counted(np.arange(0.0), {}, [event("lost", 2.0)])
    assert ErrorCounts.together((one, other)).first_s == {ErrorKind.XID: 9.0, ErrorKind.LOST: 2.0}
    assert not ErrorCounts.together(())


@given(
    st.lists(st.one_of(st.just(float("nan")), st.integers(0, 9).map(float)), max_size=30),
    st.lists(st.integers(0, 30), max_size=5),
)
def test_pieces_count_as_the_whole(readings: list[float], cuts: list[int]) -> None:
    values, times = np.array(readings), np.arange(float(len(readings)))
    whole = counted(times, dict.fromkeys(METRICS, values), [])
    tally = ErrorTally()
    edges = [0, *sorted(min(cut, len(values)) for cut in cuts), len(values)]
    for start, end in pairwise(edges):
        tally.take_samples(times[start:end], dict.fromkeys(METRICS, values[start:end]))
    assert tally.counts == whole


def test_a_recorded_run_tells_the_errors_of_each_device(tmp_path: Path) -> None:
    with closing(RunStore(tmp_path)) as store:
        run_id = record_run(store)
        store.add_event(run_id, 70.0, EventLevel.ERROR, "xid", "Xid 79", device_id=UUIDS[1])
        store.add_event(run_id, 71.0, EventLevel.ERROR, "xid", "Xid 79", device_id="GPU-9")
        store.add_event(run_id, 72.0, EventLevel.ERROR, "xid", "Xid 79")
        by_device = error_counts(store, run_id)
    assert set(by_device) == set(UUIDS)
    assert not by_device[UUIDS[0]]
    assert by_device[UUIDS[1]].counts == {ErrorKind.WRONG_RESULT: 3, ErrorKind.XID: 1}
    assert by_device[UUIDS[1]].first_s == {ErrorKind.WRONG_RESULT: 61.0, ErrorKind.XID: 70.0}
