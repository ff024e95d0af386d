"""The order in which patterns go through memory: written, checked, inverted, upwards and downwards, left alone.

A sweep goes once through all memory. Writing everything before anything is checked lets a write disturb what was
written elsewhere. Moving inversions (march tests: van de Goor 1991, "Testing Semiconductor Memories") check and invert
in one go, upwards and then downwards: a cell coupled to one with a lower or a higher address is found either way.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import torch

from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.memory.blocks import Chunk, Memory
from core.loads.memory.mismatches import Mismatches
from core.loads.memory.patterns import EVEN, ONES, SOLIDS, ZEROS, Address, Pattern, Random
from core.loads.timing import mark

REST_S = 0.2
"""Between signs of life while memory is left alone."""


class Sweeps:
    """Patterns through a memory; what is wrong goes to `mismatches` and `findings`."""

    def __init__(self, memory: Memory, findings: Findings, mismatches: Mismatches, *, seed: int) -> None:
        self._memory = memory
        self._findings = findings
        self._mismatches = mismatches
        self._seed = seed

    def pattern_steps(self, number: int) -> Iterator[tuple[str, Iterator[StepReport]]]:
        """The parts of pass `number`, by name; each leaves nothing behind for the next."""
        random = Random(self._seed + number)
        for solid in SOLIDS:
            yield solid.name, self._written_and_checked(solid)
        for computed in (Address(), random):
            yield computed.name, self._written_and_checked(computed)
            yield f"{computed.name} inverted", self._written_and_checked(computed, inverted=True)
        for pattern in (ZEROS, EVEN, random):
            yield f"moving inversion of {pattern.name}", self._moving_inversion(pattern)

    def fade(self, seconds: float) -> Iterator[StepReport]:
        """Ones, then zeros, each left alone for half the time: does every cell keep what it holds?"""
        for pattern in (ONES, ZEROS):
            yield from self.write(pattern)
            until = time.monotonic() + seconds / 2
            while (left_s := until - time.monotonic()) > 0:
                time.sleep(min(left_s, REST_S))
                yield StepReport()
            yield from self.check(pattern, name=f"bit fade of {pattern.name}")

    def write(self, pattern: Pattern, *, inverted: bool = False) -> Iterator[StepReport]:
        """One sweep upwards."""
        self._memory.sweeps += 1
        for chunk in self._memory.chunks():
            yield self._written(chunk, pattern, inverted=inverted)

    def check(self, pattern: Pattern, *, name: str, inverted: bool = False) -> Iterator[StepReport]:
        """One sweep upwards."""
        for chunk in self._memory.chunks():
            yield self._checked(chunk, pattern, inverted=inverted, name=name)

    def _written_and_checked(self, pattern: Pattern, *, inverted: bool = False) -> Iterator[StepReport]:
        yield from self.write(pattern, inverted=inverted)
        yield from self.check(pattern, name=f"{pattern.name}{' inverted' if inverted else ''}", inverted=inverted)

    def _moving_inversion(self, pattern: Pattern) -> Iterator[StepReport]:
        name = f"moving inversion of {pattern.name}"
        yield from self.write(pattern)
        for backwards in (False, True):
            self._memory.sweeps += 1
            for chunk in self._memory.chunks(backwards=backwards):
                yield self._checked(chunk, pattern, inverted=backwards, name=name)
                yield self._written(chunk, pattern, inverted=not backwards)
        yield from self.check(pattern, name=name)

    def _written(self, chunk: Chunk, pattern: Pattern, *, inverted: bool) -> StepReport:
        started = mark(self._memory.device)
        self._memory.write(chunk, lambda words: pattern.fill(words, chunk, inverted=inverted))
        ended = mark(self._memory.device)
        ended.wait()
        return StepReport(busy_s=ended.seconds_since(started), moved_bytes=chunk.words.nbytes)

    def _checked(self, chunk: Chunk, pattern: Pattern, *, inverted: bool, name: str) -> StepReport:
        started = mark(self._memory.device)
        expected = pattern.expected(chunk, self._memory.scratch, inverted=inverted)
        wrong = int(torch.count_nonzero(chunk.words != expected))
        ended = mark(self._memory.device)
        ended.wait()
        busy_s = ended.seconds_since(started)
        report = self._wrong(chunk, expected, words=wrong, name=name) if wrong else self._findings.right()
        return StepReport(busy_s=busy_s, checks=1, faults=report.faults, moved_bytes=chunk.words.nbytes)

    def _wrong(self, chunk: Chunk, expected: torch.Tensor | int, *, words: int, name: str) -> StepReport:
        sweep = self._memory.sweeps
        first = self._mismatches.add(chunk, expected, words=words, pattern=name, sweep=sweep)
        wrong = "1 wrong word" if words == 1 else f"{words} wrong words, first"
        where = str(first) if first else f"block {chunk.block}, right when read again"
        return self._findings.wrong(f"pattern {name}, sweep {sweep}: {wrong} in {where}", count=words)
