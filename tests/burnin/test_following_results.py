"""A viewer reads each result once, and again only where it is written again: its polls cost the same all along."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record import reader
from core.burnin.record.reader import RunReader
from core.burnin.record.rows import ResultStatus, StageResult
from core.burnin.run.follow import Follower
from tests.gui.burnin.fake_run import FakeRun, gpu

EVIDENCE = {"checks": 1000, "errors": 0, "rates": {"float32": 30.1}, "self_test": {"bit flip": "seen"}}


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Any]:
    with closing(FakeRun(tmp_path, [gpu(index) for index in range(8)])) as made:
        yield made


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often a result was read into a value, by stage and device."""
    counts: Counter[str] = Counter()
    real = StageResult

    def counting(number: int, device_id: str, *others: Any) -> StageResult:
        counts[f"{number} {device_id}"] += 1
        return real(number, device_id, *others)

    monkeypatch.setattr(reader, "StageResult", counting)
    return counts


def record(run: Any, number: int, device: int, reason: str = "", status: ResultStatus = ResultStatus.PASSED) -> None:
    run.store.add_result(run.id, StageResult(number, run.devices[device].id, status, reason, EVIDENCE))


def test_each_result_is_read_once_and_again_when_it_is_written_again(run: Any, parsed: Counter[str]) -> None:
    for device in range(8):
        record(run, 0, device)
    with closing(RunReader(run.store.path.parent)) as store:
        follower = Follower(store, run.id)
        first = follower.poll().results
        assert (len(first), parsed.total()) == (8, 8)
        assert follower.poll().results == first
        assert parsed.total() == 8, "nothing was written, nothing is read"
        record(run, 1, 3, "cold")
        record(run, 0, 5, "repeated after a resume")
        parsed.clear()
        update = follower.poll()
        assert parsed == {f"1 {run.devices[3].id}": 1, f"0 {run.devices[5].id}": 1}
        assert [one.reason for one in update.results if one.device_id == run.devices[5].id] == [
            "repeated after a resume"
        ]
        assert update.results == store.results(run.id), "the same, in the same order, as when all are read"


def test_what_a_follower_knows_is_what_is_recorded_whatever_comes_between(run: Any) -> None:
    with closing(RunReader(run.store.path.parent)) as store:
        follower = Follower(store, run.id)
        for step in range(40):
            record(run, step % 3, step * 5 % 8, f"turn {step}")
            if step % 4 == 0:
                run.store.add_event(run.id, float(step), reader.EventLevel.INFO, "note", f"event {step}")
            if step % 3:
                assert follower.poll().results == store.results(run.id)


def test_a_run_that_was_begun_without_a_chain_is_followed_too(run: Any) -> None:
    run.store._db.execute("DELETE FROM links WHERE run_id = ?", (run.id,))
    run.store._db.conn.commit()
    with closing(RunReader(run.store.path.parent)) as store:
        follower = Follower(store, run.id)
        for device in range(3):
            record(run, 0, device)
            assert len(follower.poll().results) == device + 1


def calls(work: Callable[[], object]) -> int:
    """Python calls of some work."""
    count = 0

    def counted(_frame: Any, event: str, _argument: Any) -> None:
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(counted)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def test_a_poll_takes_no_more_work_after_a_thousand_results(run: Any) -> None:
    """Counted in calls, which no other program can change."""

    def polled(results: range) -> tuple[int, int]:
        """Of a poll that brings nothing, and of one that brings one result."""
        for number in results:
            record(run, number // 8, number % 8, f"result {number}")
        with closing(RunReader(run.store.path.parent)) as store:
            follower = Follower(store, run.id)
            follower.poll()
            quiet = calls(follower.poll)
            record(run, 0, 0, "again")
            return quiet, calls(follower.poll)

    few, many = polled(range(40)), polled(range(40, 1040))
    assert many[0] <= 1.05 * few[0]
    assert many[1] <= 1.2 * few[1]
