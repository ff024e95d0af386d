"""What a poll of a viewer costs late in a long run beside what it costs early in it.

    make bench

Both are measured in turns on one machine, the best of each: what else runs only ever adds.
"""

import time
from contextlib import closing
from math import inf
from pathlib import Path
from typing import Any

import pytest

from core.burnin.record.reader import RunReader
from core.burnin.record.rows import ResultStatus, StageResult
from core.burnin.run.follow import Follower
from tests.gui.burnin.fake_run import FakeRun, gpu

pytestmark = pytest.mark.process
FEW, MANY, ROUNDS = 8, 1416, 200
MOST_TIMES = 1.5
EVIDENCE = {"checks": 1000, "errors": 0, "rates": {"float32": 30.1, "float16": 61.0}, "self_test": {"bit flip": "seen"}}


def test_a_poll_after_many_results_costs_as_much_as_one_after_few(tmp_path: Path, record_property: Any) -> None:
    followers = {}
    for count in (FEW, MANY):
        (tmp_path / str(count)).mkdir()
        with closing(FakeRun(tmp_path / str(count), [gpu(index) for index in range(8)])) as run:
            for number in range(count):
                place = number // 8, run.devices[number % 8].id
                run.store.add_result(run.id, StageResult(*place, ResultStatus.PASSED, f"turn {number}", EVIDENCE))
        followers[count] = Follower(RunReader(tmp_path / str(count)), run.id)
        followers[count].poll()
    best = dict.fromkeys(followers, inf)
    for _ in range(ROUNDS):
        for count, follower in followers.items():
            began = time.perf_counter()
            follower.poll()
            best[count] = min(best[count], time.perf_counter() - began)
    times = f"after {FEW} results {1e3 * best[FEW]:.2f} ms, after {MANY} {1e3 * best[MANY]:.2f} ms"
    record_property("poll", times)
    assert best[MANY] < MOST_TIMES * best[FEW], times
