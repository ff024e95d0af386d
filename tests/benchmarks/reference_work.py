"""A fixed piece of work that budgets of time are told in, so that a slow or busy machine gives the same answer.

`make test` counts byte codes, of which a machine with other work does as many as any: a processor that is shared slows
one piece of work more than another, so that no bound on times can be trusted there. `make bench` takes the time.

It does what checks and predictions do: small frozen values, dictionaries of lists, sums, words and sorting, about
90,000 byte codes of CPython 3.11. On a quiet machine on which check() of eight GPUs took 1.66 ms (172,000 byte codes)
it takes 0.63 ms: timed in turns on one machine, check() took 2.6 times as long as this. A budget of 2 ms is 3.2 of it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter
from types import FrameType
from typing import Any

QUIET_S = 0.63e-3
"""What the work takes on the quiet machine."""
STEPS = 90_900
"""Its byte codes on CPython 3.11; other versions need more or fewer, for every work alike."""
ROUNDS, TRIES = 12, 12


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    low: float
    expected: float
    high: float

    def times(self, factor: float) -> _Item:
        return _Item(self.name, self.low * factor, self.expected * factor, self.high * factor)


def reference_work() -> float:
    """The work; what it returns means nothing."""
    total = 0.0
    for _ in range(9):
        items = [_Item(f"part-{n}", 0.9 * n, float(n), 1.1 * n) for n in range(64)]
        groups: dict[str, list[_Item]] = {}
        for item in items:
            groups.setdefault(item.name[-1], []).append(item.times(1.5))
        for name in sorted(groups):
            total += sum([max(item.low, min(item.expected, item.high)) for item in groups[name]])
        total += len({item.name for item in items if item.high > 20})
    return total


def steps(job: Callable[[], object]) -> float:
    """How many byte codes the job needs once it is warm, told in those of CPython 3.11."""
    for work in (job, reference_work):
        work()
    return _byte_codes(job) / _byte_codes(reference_work) * STEPS


def quiet_seconds(job: Callable[[], object], budget_s: float) -> float:
    """What the job would take on the quiet machine: its time over that of the work, both the best of several in turns.

    Tried again, up to `TRIES` times, where it is above the budget: what else runs on the machine only ever adds.
    """
    job()
    reference_work()
    best = inf
    for _ in range(TRIES):
        own, work = inf, inf
        for _ in range(ROUNDS):
            work = min(work, _seconds(reference_work))
            own = min(own, _seconds(job))
        best = min(best, own / work * QUIET_S)
        if best <= budget_s:
            break
    return best


def _seconds(job: Callable[[], object]) -> float:
    start = perf_counter()
    job()
    return perf_counter() - start


def _byte_codes(job: Callable[[], object]) -> int:
    count = 0

    def follow(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal count
        frame.f_trace_lines, frame.f_trace_opcodes = False, True
        count += event == "opcode"
        return follow

    before = sys.gettrace()
    sys.settrace(follow)
    try:
        job()
    finally:
        sys.settrace(before)
    return count
