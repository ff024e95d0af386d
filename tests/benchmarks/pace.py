"""How fast this machine is just now, so that a limit in seconds asks the same of every machine.

A machine that is slow, or shared with others, takes longer for everything, by a factor that changes within seconds.
The same piece of Python work, done again and again between the rounds of a benchmark, tells that factor: a limit grows
with it, and never shrinks. Time, limit and factor are printed.
"""

from __future__ import annotations

import ast
import inspect
import tokenize
from statistics import fmean
from time import perf_counter

from pytest_benchmark.fixture import BenchmarkFixture

WORK = ast.parse(inspect.getsource(tokenize))
"""Turned back into text: calls, attributes, small objects and strings, as in rules and predictions."""
USUAL_S = 2.8e-3
"""What that takes on two idle cores of a 2 GHz server (Xeon with 105 MB of cache, Python 3.11).

Reckoned from what was measured there when it was idle: one check of eight GPUs in 1.66 ms, where the work took 1.67
times as long in turns with it; the longest "what fits" among 50,000 parts in 67 ms gives 2.6 ms.
"""
APART_S = 0.05
"""Between two looks, so that they take little of the time of a short round and do not empty its caches."""


class Pace:
    """Does the work between rounds: its `feel` is the setup of `benchmark.pedantic`."""

    def __init__(self, benchmark: BenchmarkFixture, told: list[str]) -> None:
        """`told` takes a line for each limit."""
        self._benchmark, self._told = benchmark, told
        self._took_s: list[float] = []
        self._last_s = 0.0

    def feel(self) -> None:
        """Looks how fast the machine is, unless it was just done."""
        start = perf_counter()
        if self._benchmark.enabled and start - self._last_s > APART_S:
            ast.unparse(WORK)
            self._last_s = perf_counter()
            self._took_s.append(self._last_s - start)

    def holds(self, took_s: float, limit_s: float) -> bool:
        """Whether a time is within a limit that is meant for the usual machine."""
        slowness = max(1.0, fmean(self._took_s) / USUAL_S)
        limits = f"{1e3 * limit_s:g} ms x {slowness:.2f} = {1e3 * limit_s * slowness:.1f} ms"
        self._told.append(f"{1e3 * took_s:7.2f} ms, limit {limits}: {self._benchmark.name}")
        return took_s <= limit_s * slowness
