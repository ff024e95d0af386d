"""Copy and triad on buffers that no cache holds: finds memory that runs slowly or over fewer lines, and arithmetic or
transfers that go wrong under full bandwidth.

Bytes are counted as in STREAM (McCalpin 1995, "Memory Bandwidth and Machine Balance in Current High Performance
Computers"): 2 words for each of a copy, 3 for each of a triad, whatever the caches add.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import torch

from core.loads.alive import alive, alive_through
from core.loads.findings import Findings
from core.loads.inject import LOW_BIT, flip_bit
from core.loads.load import Ending, StepReport
from core.loads.memory.blocks import MIB
from core.loads.memory.caches import cache_bytes, peak_gbps
from core.loads.memory.params import BandwidthParams
from core.loads.memory.tiles import TILE_BYTES, TILE_NUMBERS, Tile
from core.loads.meter import Meter
from core.loads.room import GIB, give_back, room_on
from core.loads.selftest import CORRUPTED_TRANSFER, SelfTest
from core.loads.timing import mark

SCALE = 3
BUFFERS = 3
CACHES = 8
SMALLEST_GPU_BUFFER = GIB
UNKNOWN_CACHE = 64 * MIB
"""Where the system does not tell the size of a CPU's cache."""
CPU_PART_NUMBERS = 8 * MIB // 4
TURN_S = 2.0
"""So long one operation goes on before its result is checked and the other has its turn."""


@dataclass(slots=True)
class Operation:
    """Copy or triad on any part of the buffers. `words` are moved for each one of the result."""

    name: str
    words: int
    compute: Callable[[slice], object]
    right: Tile
    meter: Meter = field(default_factory=Meter)


class BandwidthLoad:
    """The "bandwidth" load. Evidence: see `_evidence`."""

    def __init__(self, params: BandwidthParams, device: torch.device) -> None:
        self._params = params
        self._device = device
        self._cache_bytes = cache_bytes(device)
        self._bytes = self._buffer_bytes()
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._findings = Findings(injected=bool(self._params.inject))
        self._self_test = SelfTest()
        self._operations: list[Operation] = []
        self._injected = 0

    def shrink(self) -> bool:
        """Halves the buffers, down to one tile."""
        if self._bytes // 2 < TILE_BYTES:
            return False
        self._bytes = self._bytes // 2 // TILE_BYTES * TILE_BYTES
        self._start_afresh()
        give_back(self._device)
        return True

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Copy and triad in turns, each at least once; every turn ends with a check of its result."""
        deadline = time.monotonic() + seconds
        tiles = Tile.drawn(self._params.seed), Tile.drawn(self._params.seed + 1)
        yield from self._try(tiles[0])
        if self._self_test.blind:
            return
        result, left, right = (torch.empty(self._bytes // 4, device=self._device) for _ in range(BUFFERS))
        for buffer, tile in ((left, tiles[0]), (right, tiles[1]), (result, tiles[1])):
            yield from alive_through(tile.spread(buffer))
        self._operations = _operations(result, left, right, tiles)
        turn = 0
        while turn < len(self._operations) or time.monotonic() < deadline:
            operation = self._operations[turn % len(self._operations)]
            yield from self._run(operation, len(result), min(time.monotonic() + TURN_S, deadline))
            yield from self._check(operation, result)
            turn += 1

    def finish(self) -> Ending:
        """Failed if a result was wrong; passed only after copy and triad were checked."""
        told = " and ".join(f"{name} {rate:.1f} GB/s" for name, rate in self._rates().items())
        done = f"{told}; {self._findings.checks} results checked, none wrong."
        unfinished = None if self._findings.checks > 1 else "Ended before copy and triad were checked."
        return self._findings.ending(self._evidence(), blind=self._self_test.blind, unfinished=unfinished, done=done)

    # -- running --------------------------------------------------------------------------------------------------

    def _run(self, operation: Operation, numbers: int, until: float) -> Iterator[StepReport]:
        """Whole rounds through the buffers until the time is up, at least one."""
        size = numbers if self._device.type == "cuda" else min(CPU_PART_NUMBERS, numbers)
        once = False
        while not once or time.monotonic() < until:
            for start in range(0, numbers, size):
                part = slice(start, min(start + size, numbers))
                started = mark(self._device)
                operation.compute(part)
                ended = mark(self._device)
                ended.wait()
                busy_s = max(ended.seconds_since(started), 1e-9)
                moved = operation.words * 4 * (part.stop - part.start)
                operation.meter.add(moved, busy_s)
                yield StepReport(busy_s=busy_s, moved_bytes=moved)
            once = True

    def _check(self, operation: Operation, result: torch.Tensor) -> Iterator[StepReport]:
        due = self._params.inject == "corrupt" and self._findings.checks >= self._params.inject_at
        if due and not self._injected:
            flip_bit(result, len(result) // 3, LOW_BIT)
            self._injected = 1
        problem = yield from alive(operation.right.problem(result))
        yield self._findings.checked(problem and f"The result of {operation.name} is wrong: {problem}")

    def _try(self, tile: Tile) -> Iterator[StepReport]:
        """The self-test: a transfer with one flipped bit, and one without."""
        buffer = torch.empty(2 * TILE_NUMBERS, device=self._device)
        yield from alive_through(tile.spread(buffer))
        right = yield from alive(tile.problem(buffer))
        flip_bit(buffer, TILE_NUMBERS + 5, LOW_BIT)
        wrong = yield from alive(tile.problem(buffer))
        self._self_test.note(CORRUPTED_TRANSFER, wrong is not None and right is None)

    # -- sizes and evidence ---------------------------------------------------------------------------------------

    def _buffer_bytes(self) -> int:
        """Of one buffer: what was asked for, or beyond the reach of the cache, as far as there is room."""
        least = CACHES * (self._cache_bytes or UNKNOWN_CACHE)
        if self._device.type == "cuda":
            least = max(least, SMALLEST_GPU_BUFFER)
        asked = self._params.buffer_mib * MIB if self._params.buffer_mib else least
        return max(min(asked, room_on(self._device).usable // BUFFERS) // TILE_BYTES, 1) * TILE_BYTES

    def _rates(self) -> dict[str, float]:
        rates = {operation.name: operation.meter.rate() for operation in self._operations}
        return {name: round(rate / 1e9, 3) for name, rate in rates.items() if rate is not None}

    def _evidence(self) -> dict[str, Any]:
        """`rates` by operation; `cache_bytes` of the cache before the memory, `peak_gbps` of the memory by
        its clock and width; None where they are not known."""
        injected = {"kind": "corrupt", "from_iteration": self._params.inject_at, "times": self._injected}
        return {
            "buffer_bytes": self._bytes,
            "buffers": BUFFERS,
            "cache_bytes": self._cache_bytes,
            "peak_gbps": peak_gbps(self._device),
            "rates": self._rates(),
            "rate_unit": "GB/s",
            "checks": self._findings.checks,
            "errors": self._findings.errors,
            "seed": self._params.seed,
            **self._self_test.evidence(),
            **self._warnings(),
            **({"injected_on_purpose": injected} if self._params.inject else {}),
        }

    def _warnings(self) -> dict[str, list[str]]:
        """Small buffers are worth a warning only where they were not asked for."""
        small = self._cache_bytes is not None and self._bytes < CACHES * self._cache_bytes
        if not small or self._params.buffer_mib is not None:
            return {}
        told = f"Buffers of {self._bytes // MIB} MiB are less than {CACHES} times the cache: rates may be of the cache."
        return {"warnings": [f"{told} Free some memory."]}


def _operations(
    result: torch.Tensor, left: torch.Tensor, right: torch.Tensor, tiles: tuple[Tile, Tile]
) -> list[Operation]:
    """result = left, and result = left + 3 x right; what they should give is computed in integers."""

    def copy(part: slice) -> object:
        return result[part].copy_(left[part])

    def triad(part: slice) -> object:
        return torch.add(left[part], right[part], alpha=SCALE, out=result[part])

    summed = Tile(tiles[0].numbers + SCALE * tiles[1].numbers)
    return [Operation("copy", 2, copy, tiles[0]), Operation("triad", 3, triad, summed)]
