"""A fixed piece of work that budgets of time are told in, so that a slow or busy machine gives the same answer.

It does what checks and predictions do: small frozen values, dictionaries of lists, sums, words and sorting, about
90,000 byte codes of CPython 3.11. On a quiet machine on which check() of eight GPUs took 1.66 ms (172,000 byte codes)
it takes 0.63 ms: timed in turns on one machine, check() took 2.6 times as long as this. A budget of 2 ms is 3.2 of it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import inf
from time import perf_counter

QUIET_S = 0.63e-3
"""What the work takes on the quiet machine."""
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
    found = 0.0
    for _ in range(9):
        items = [_Item(f"part-{n}", 0.9 * n, float(n), 1.1 * n) for n in range(64)]
        groups: dict[str, list[_Item]] = {}
        for item in items:
            groups.setdefault(item.name[-1], []).append(item.times(1.5))
        for name in sorted(groups):
            found += sum([max(item.low, min(item.expected, item.high)) for item in groups[name]])
        found += len({item.name for item in items if item.high > 20})
    return found


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
