"""The order in which patterns go through memory: written, checked, inverted, upwards and downwards, left alone.

A sweep goes once through all memory. Writing everything before anything is checked lets a write disturb what was
written elsewhere. Moving inversions (march tests: van de Goor 1991, "Testing Semiconductor Memories") check and invert
in one go, upwards and then downwards: a cell coupled to one with a lower or a higher address is found either way.

Work is queued ahead of the device, and counts of wrong words are looked at when they have come. Nothing that a check
reads is overwritten before its count was seen.
"""

import random
import time
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from core.loads.device import TimingMark, cache_bytes, mark
from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.memory import patterns
from core.loads.memory.contract import SHORT
from core.loads.memory.mismatches import Mismatches, Pass, in_words
from core.words import tr, trn

REST_S = 0.2
"""Between signs of life while memory is left alone."""
AHEAD = 3
"""Chunks queued ahead on a GPU, so that it never waits for the host."""
CACHES = 4
"""Rows are read in turns over so many times the cache, half of them: none is still in it when its next turn comes."""
UNKNOWN_CACHE_BYTES = 64 * patterns.MIB
READS = {"cuda": 2000, "cpu": 8}
"""Of each row, a few thousand within a refresh interval of 32 ms at a GPU's bandwidth."""
READS_QUEUED = 100


@dataclass(frozen=True, slots=True)
class _Queued:
    """What the device was given to do with a chunk. `wrong` arrives on the host with `ended`."""

    chunk: patterns.Chunk
    check: Pass
    wrong: torch.Tensor | None
    started: TimingMark
    ended: TimingMark


class Sweeps:
    """Patterns through a memory, or its blocks of the numbers in `region`; what is wrong goes to `mismatches` and
    `findings`."""

    def __init__(
        self,
        memory: patterns.Memory,
        findings: Findings,
        mismatches: Mismatches,
        *,
        seed: int,
        region: range | None = None,
    ) -> None:
        self._memory = memory
        self._findings = findings
        self._mismatches = mismatches
        self._seed = seed
        self._region = region
        self._ahead = AHEAD if memory.device.type == "cuda" else 0

    def pattern_steps(self, number: int, tests: Sequence[str] = SHORT) -> Iterator[tuple[str, Iterator[StepReport]]]:
        """The parts of pass `number`, by name; each leaves nothing behind for the next."""
        random_words = patterns.Random(self._seed + number)
        for test in tests:
            match test:
                case "solid":
                    for solid in patterns.SOLIDS:
                        yield solid.name, self._written_and_checked(solid)
                case "address" | "random" as test:
                    computed = patterns.Address() if test == "address" else random_words
                    yield computed.name, self._written_and_checked(computed)
                    yield f"{computed.name} inverted", self._written_and_checked(computed, inverted=True)
                case "moving-inversions":
                    for pattern in (patterns.ZEROS, patterns.EVEN, random_words):
                        yield f"moving inversion of {pattern.name}", self._moving_inversion(pattern)
                case "walking-bits":
                    for name, inverted in (("walking ones", False), ("walking zeros", True)):
                        yield name, self._walking(name, inverted=inverted)
                case "modulo-20":
                    yield "modulo 20", self._modulo_20(number)
                case "random-order":
                    for inverted in (False, True):
                        name = f"random order{' inverted' if inverted else ''}"
                        yield (
                            name,
                            self._written_and_checked(patterns.RandomOrder(self._seed + number), inverted=inverted),
                        )
                case "row-hammer":
                    yield "row hammer", self._row_hammer()

    def fade(self, seconds: float) -> Iterator[StepReport]:
        """Ones, then zeros, each left alone for half the time: does every cell keep what it holds?"""
        for pattern in (patterns.ONES, patterns.ZEROS):
            yield from self.write(pattern)
            until = time.monotonic() + seconds / 2
            while (left_s := until - time.monotonic()) > 0:
                time.sleep(min(left_s, REST_S))
                yield StepReport()
            yield from self.check(pattern, name=f"bit fade of {pattern.name}")

    def write(self, pattern: patterns.Pattern, *, inverted: bool = False) -> Iterator[StepReport]:
        """One sweep upwards."""
        self._memory.sweeps += 1
        return self._swept(Pass(pattern, inverted))

    def check(self, pattern: patterns.Pattern, *, name: str, inverted: bool = False) -> Iterator[StepReport]:
        """One sweep upwards."""
        return self._swept(Pass(pattern, inverted, name, self._memory.sweeps))

    # -- orders ---------------------------------------------------------------------------------------------------

    def _written_and_checked(self, pattern: patterns.Pattern, *, inverted: bool = False) -> Iterator[StepReport]:
        yield from self.write(pattern, inverted=inverted)
        yield from self.check(pattern, name=f"{pattern.name}{' inverted' if inverted else ''}", inverted=inverted)

    def _moving_inversion(self, pattern: patterns.Pattern) -> Iterator[StepReport]:
        name = f"moving inversion of {pattern.name}"
        yield from self.write(pattern)
        for backwards in (False, True):
            self._memory.sweeps += 1
            check = Pass(pattern, backwards, name, self._memory.sweeps)
            write = Pass(pattern, not backwards)
            yield from self._swept(check, write, backwards=backwards)
        yield from self.check(pattern, name=name)

    def _walking(self, name: str, *, inverted: bool) -> Iterator[StepReport]:
        for shift in range(patterns.WORD_BITS):
            pattern = patterns.Walking(shift)
            yield from self.write(pattern, inverted=inverted)
            yield from self.check(pattern, name=name, inverted=inverted)

    def _modulo_20(self, number: int) -> Iterator[StepReport]:
        word = random.Random(self._seed + number).randrange(-(2**63), 2**63)
        for first in range(patterns.MODULUS):
            yield from self._written_and_checked(patterns.Modulo20(first, word))

    def _row_hammer(self) -> Iterator[StepReport]:
        """Every other row is read again and again, then the rows between are checked, and the same the other way.

        Best effort: how addresses lie in rows is known to the memory controller alone, and GPUs refresh rows that are
        read too often. A row is activated anew each time, because more than the cache holds is read in between.
        """
        rows = patterns.Striped()
        for odd in (False, True):
            yield from self.write(rows, inverted=odd)
            for chunk in self._memory.chunks(self._region):
                yield from self._hammered(chunk, int(odd))
            yield from self.check(rows, name="row hammer", inverted=odd)

    def _hammered(self, chunk: patterns.Chunk, odd: int) -> Iterator[StepReport]:
        device = self._memory.device
        at_once = CACHES * (cache_bytes(device) or UNKNOWN_CACHE_BYTES) // (2 * patterns.ROW_WORDS * 8)
        pairs = chunk.words[: len(chunk.words) // (2 * patterns.ROW_WORDS) * 2 * patterns.ROW_WORDS].view(
            -1, 2, patterns.ROW_WORDS
        )
        for start in range(0, len(pairs), at_once):
            rows = pairs[start : start + at_once, odd]
            for done in range(0, READS[device.type], READS_QUEUED):
                times = min(READS_QUEUED, READS[device.type] - done)
                started = mark(device)
                for _ in range(times):
                    rows.sum()
                ended = mark(device)
                ended.wait()
                yield StepReport(busy_s=ended.seconds_since(started), moved_bytes=times * 8 * rows.numel())

    # -- sweeps ---------------------------------------------------------------------------------------------------

    def _swept(self, check: Pass, then: Pass | None = None, *, backwards: bool = False) -> Iterator[StepReport]:
        """One sweep; `then` is done with each chunk after its count of wrong words was seen."""
        waiting: deque[_Queued] = deque()
        for chunk in self._memory.chunks(self._region, backwards=backwards):
            waiting.append(self._queued(chunk, check))
            while len(waiting) > self._ahead:
                yield self._settled(waiting, then)
        while waiting:
            yield self._settled(waiting, then)

    def _queued(self, chunk: patterns.Chunk, check: Pass) -> _Queued:
        memory, pattern, wrong = self._memory, check.pattern, None
        started = mark(memory.device)
        if check.name:
            wrong = self._on_its_way(pattern.wrong(chunk, memory.scratch, inverted=check.inverted))
        else:
            memory.write(chunk, lambda: pattern.write(chunk, memory.scratch, inverted=check.inverted))
        return _Queued(chunk, check, wrong, started, mark(memory.device))

    def _on_its_way(self, count: torch.Tensor) -> torch.Tensor:
        """To the host, without stopping the device."""
        if self._memory.device.type != "cuda":
            return count
        return torch.empty((), dtype=count.dtype, pin_memory=True).copy_(count, non_blocking=True)

    def _settled(self, waiting: deque[_Queued], then: Pass | None) -> StepReport:
        queued = waiting.popleft()
        queued.ended.wait()
        busy_s, moved = queued.ended.seconds_since(queued.started), queued.chunk.words.nbytes
        if queued.wrong is None:
            return StepReport(busy_s=busy_s, moved_bytes=moved)
        wrong = int(queued.wrong)
        report = self._wrong(queued.chunk, queued.check, wrong) if wrong else self._findings.right()
        if then is not None:
            waiting.append(self._queued(queued.chunk, then))
        return StepReport(busy_s=busy_s, checks=1, faults=report.faults, moved_bytes=moved)

    def _wrong(self, chunk: patterns.Chunk, check: Pass, words: int) -> StepReport:
        first = self._mismatches.add(chunk, self._memory.scratch, check, words=words)
        where = in_words(first) if first else tr("block {block}, correct on re-read", block=chunk.block)
        fields = {"pattern": check.name, "sweep": check.sweep, "count": words, "where": where}
        text = trn(
            "pattern {pattern}, sweep {sweep}: {count} wrong word in {where}",
            "pattern {pattern}, sweep {sweep}: {count} wrong words, first in {where}",
            **fields,
        )
        return self._findings.wrong(text, count=words)
