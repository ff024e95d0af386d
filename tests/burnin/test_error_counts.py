"""Errors of a device: by kind, each with the time of the first, the same in one piece and in many."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import Event, EventLevel
from core.burnin.record.store import RunStore
from core.burnin.verdict.codes import METRICS, ErrorKind
from core.burnin.verdict.errors import ErrorCounts, ErrorTally, error_counts
from core.loads.load import FaultKind
from tests.report.recorded import UUIDS, record_run


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
    found = counted(times, {"errors": np.zeros(5), "ecc_uncorrected": np.full(5, 7.0)}, [])
    assert not found
    assert (found.words, found.first_at_s) == ("no errors", None)


@pytest.mark.parametrize(
    ("kind", "told", "one", "two"),
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
def test_an_error_in_the_log_is_counted_by_its_kind(kind: str, told: ErrorKind, one: str, two: str) -> None:
    found = counted(np.arange(0.0), {}, [event(kind, 75.0)])
    assert (found.counts, found.words, found.first_at_s) == ({told: 1}, one, 75.0)
    again = counted(np.arange(0.0), {}, [event(kind, 75.0), event(kind, 30.0)])
    assert (again.counts, again.words, again.first_at_s) == ({told: 2}, two, 30.0)
    assert again.as_dict() == {told.value: {"count": 2, "first_s": 30.0}}


@pytest.mark.parametrize("name", METRICS)
def test_a_counter_tells_its_kind_when_it_first_rose_and_begins_anew_after_a_reset(name: str) -> None:
    times = np.array([5.0, 6.0, 7.0, 8.0, 9.0])
    found = counted(times, {name: np.array([2.0, 2.0, 5.0, 1.0, 1.0])}, [])
    begins_with_the_run = name == "errors"
    assert found.counts == {METRICS[name]: 6 if begins_with_the_run else 4}
    assert found.first_at_s == (5.0 if begins_with_the_run else 7.0)
    assert not counted(times, {name: np.full(5, np.nan)}, [])
    assert not counted(times, {name: np.zeros(5)}, [])


def test_two_counters_of_one_kind_add_up_and_the_greater_of_counter_and_log_counts() -> None:
    both = {"aer_fatal": np.array([0.0, 1.0]), "nvlink_replays": np.array([0.0, 2.0])}
    assert counted(np.arange(2.0), both, [event("aer", 0.5)]).counts == {ErrorKind.LINK: 3}
    assert counted(np.arange(2.0), both, [event("aer", 1.0)] * 4).counts == {ErrorKind.LINK: 4}


def test_memory_errors_are_told_in_words_and_failures_of_the_log_only_where_there_is_nothing_else() -> None:
    for risen, words in ((1.0, "1 uncorrectable memory error"), (2.0, "2 uncorrectable memory errors")):
        assert counted(np.arange(2.0), {"ecc_uncorrected": np.array([0.0, risen])}, []).words == words
    both = counted(np.arange(0.0), {}, [event("guard", 1.0), event("xid", 2.0), event("lost", 3.0)])
    assert both.told == {ErrorKind.LOST: 1, ErrorKind.XID: 1}
    assert (both.words, both.first_at_s) == ("lost, 1 Xid error", 1.0)
    assert ErrorCounts({ErrorKind.XID: 0}, {}).told == {}


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
    found = counted(np.arange(4.0), {"ecc_uncorrected": np.array([np.nan, 3.0, 3.0, 5.0])}, [])
    assert found.counts == {ErrorKind.MEMORY: 2}
    assert found.first_at_s == 3.0


def test_counter_and_event_of_one_error_are_one() -> None:
    link = {"aer_fatal": np.array([0.0, 1.0])}
    assert counted(np.arange(2.0), link, [event("aer", 1.0)]).counts == {ErrorKind.LINK: 1}
    wrong = {"errors": np.array([0.0, 12.0])}
    found = counted(np.arange(2.0), wrong, [event("mismatch", 0.5), event("failed", 1.0)])
    assert found.words == "12 wrong results"
    assert found.first_at_s == 0.5


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
        found = error_counts(store, run_id)
    assert set(found) == set(UUIDS)
    assert not found[UUIDS[0]]
    assert found[UUIDS[1]].counts == {ErrorKind.WRONG_RESULT: 3, ErrorKind.XID: 1}
    assert found[UUIDS[1]].first_s == {ErrorKind.WRONG_RESULT: 61.0, ErrorKind.XID: 70.0}
