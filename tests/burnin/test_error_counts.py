"""Errors of a device: by kind, each with the time of the first, the same in one piece and in many."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.burnin.record.rows import Event, EventLevel
from core.burnin.record.store import RunStore
from core.burnin.verdict.errors import METRICS, ErrorCounts, ErrorKind, ErrorTally, counted, error_counts
from tests.report.recorded import UUIDS, record_run


def event(kind: str, time_s: float, level: EventLevel = EventLevel.ERROR) -> Event:
    return Event(1, time_s, "2026-01-01T00:00:00", "GPU-0", level, kind, "")


def test_a_card_without_errors_has_none_and_says_so() -> None:
    times = np.arange(5.0)
    found = counted(times, {"errors": np.zeros(5), "ecc_uncorrected": np.full(5, 7.0)}, [])
    assert not found
    assert (found.words, found.first_at_s) == ("no errors", None)


@pytest.mark.parametrize(
    ("kind", "told", "words"),
    [
        ("lost", ErrorKind.LOST, "lost"),
        ("xid", ErrorKind.XID, "1 Xid error"),
        ("aer", ErrorKind.LINK, "1 link error"),
        ("died", ErrorKind.DIED, "worker died"),
        ("mismatch", ErrorKind.WRONG_RESULT, "1 wrong result"),
        ("guard", ErrorKind.OTHER, "1 failure"),
    ],
)
def test_an_error_in_the_log_is_counted_by_its_kind(kind: str, told: ErrorKind, words: str) -> None:
    found = counted(np.arange(0.0), {}, [event(kind, 75.0)])
    assert found.counts == {told: 1}
    assert (found.words, found.first_at_s) == (words, 75.0)


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
    store = RunStore(tmp_path)
    found = error_counts(store, record_run(store))
    assert not found[UUIDS[0]]
    assert found[UUIDS[1]].counts == {ErrorKind.WRONG_RESULT: 3}
    assert found[UUIDS[1]].first_at_s == 61.0
    store.close()
