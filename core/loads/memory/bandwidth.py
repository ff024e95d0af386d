"""Copy and triad on buffers that no cache holds: finds memory that runs slowly or over fewer lines, and arithmetic or
transfers that go wrong under full bandwidth.

Bytes are counted as in STREAM (McCalpin 1995, "Memory Bandwidth and Machine Balance in Current High Performance
Computers"): 2 words for each of a copy, 3 for each of a triad, whatever the caches add.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import torch

from core.loads.device import GIB, cache_bytes, mark, peak_gbps, room_on
from core.loads.load import StepReport, alive, alive_through
from core.loads.memory.contract import BandwidthEvidence, BandwidthParams
from core.loads.memory.patterns import MIB
from core.loads.meter import Meter
from core.loads.verified_load import DeviceLoad
from core.loads.words import LOW_BIT, WORD_BYTES, Words, flip_bit, try_comparison
from core.words import listed, plain, tr

SCALE = 3
BUFFERS = 3
CACHES = 8
SMALLEST_GPU_BUFFER = GIB
UNKNOWN_CACHE = 64 * MIB
"""Where the system does not tell the size of a CPU's cache."""
CPU_PART_WORDS = 8 * MIB // WORD_BYTES
TRIED_WORDS = 1000
TURN_S = 2.0
"""So long one operation goes on before its result is checked and the other has its turn."""


@dataclass(slots=True)
class Operation:
    """Copy or triad on any part of the buffers. `words` are moved for each one of the result."""

    name: str
    words: int
    compute: Callable[[slice], object]
    right: Words
    meter: Meter = field(default_factory=Meter)


class BandwidthLoad(DeviceLoad[BandwidthParams]):
    """The "bandwidth" load."""

    def __init__(self, params: BandwidthParams, device: torch.device) -> None:
        super().__init__(params, device)
        self._cache_bytes = cache_bytes(device)
        self._bytes = self._buffer_bytes()

    def _start_afresh(self) -> None:
        super()._start_afresh()
        self._contents = Words.drawn(self._params.seed), Words.drawn(self._params.seed + 1)
        self._operations: list[Operation] = []

    def _smaller(self) -> bool:
        """Half the buffers, down to 1 MiB."""
        if self._bytes // 2 < MIB:
            return False
        self._bytes //= 2
        return True

    def _prepare(self) -> Iterator[StepReport]:
        words = self._contents[0]
        try_comparison(self._self_test, words.fill(self._empty(TRIED_WORDS)), words.wrong)
        yield StepReport()

    def _run(self) -> Iterator[StepReport]:
        """Copy and triad in turns, each at least once; every turn ends with a check of its result."""
        held = self._contents
        result, left, right = (self._empty(self._bytes // WORD_BYTES) for _ in range(BUFFERS))
        for buffer, words in ((left, held[0]), (right, held[1]), (result, held[1])):
            yield from alive_through(words.filling(buffer))
        self._operations = _operations(result, left, right, held)
        turn = 0
        while turn < len(self._operations) or time.monotonic() < self._deadline:
            operation = self._operations[turn % len(self._operations)]
            yield from self._turn(operation, len(result), min(time.monotonic() + TURN_S, self._deadline))
            yield from self._check(operation, result)
            turn += 1

    def _unfinished(self) -> str | None:
        return None if self._findings.checks > 1 else tr("Ended before copy and triad were checked.")

    def _passed(self) -> str:
        rates = [plain("{name} {rate:.1f} GB/s", name=name, rate=rate) for name, rate in self._rates().items()]
        return tr("{rates}; {checks} results checked, none wrong.", rates=listed(rates), checks=self._findings.checks)

    # -- running --------------------------------------------------------------------------------------------------

    def _turn(self, operation: Operation, words: int, until: float) -> Iterator[StepReport]:
        """Whole rounds through the buffers until the time is up, at least one."""
        size = words if self._device.type == "cuda" else min(CPU_PART_WORDS, words)
        once = False
        while not once or time.monotonic() < until:
            for start in range(0, words, size):
                part = slice(start, min(start + size, words))
                started = mark(self._device)
                operation.compute(part)
                ended = mark(self._device)
                ended.wait()
                busy_s = max(ended.seconds_since(started), 1e-9)
                moved = operation.words * WORD_BYTES * (part.stop - part.start)
                operation.meter.add(moved, busy_s)
                yield StepReport(busy_s=busy_s, moved_bytes=moved)
            once = True

    def _check(self, operation: Operation, result: torch.Tensor) -> Iterator[StepReport]:
        if self._drill.due(self._findings.checks):
            word = len(result) // 3
            flip_bit(result, word, LOW_BIT)
            self._drill.strike(tr("word {word} of the result of {operation}", word=word, operation=operation.name))
        problem = yield from alive(operation.right.problem(result))
        yield self._findings.checked(
            problem and tr("The result of {operation} is wrong: {problem}", operation=operation.name, problem=problem)
        )

    def _empty(self, words: int) -> torch.Tensor:
        return torch.empty(words, dtype=torch.int64, device=self._device)

    # -- sizes and evidence ---------------------------------------------------------------------------------------

    def _buffer_bytes(self) -> int:
        """Of one buffer: what was asked for, or beyond the reach of the cache, as far as there is room."""
        least = CACHES * (self._cache_bytes or UNKNOWN_CACHE)
        if self._device.type == "cuda":
            least = max(least, SMALLEST_GPU_BUFFER)
        target = self._params.buffer_mib * MIB if self._params.buffer_mib else least
        return max(min(target, room_on(self._device).usable // BUFFERS) // MIB, 1) * MIB

    def _rates(self) -> dict[str, float]:
        rates = {operation.name: operation.meter.rate() for operation in self._operations}
        return {name: round(rate / 1e9, 3) for name, rate in rates.items() if rate is not None}

    def _evidence(self) -> BandwidthEvidence:
        return BandwidthEvidence(
            warnings=self._warnings(),
            buffer_bytes=self._bytes,
            buffers=BUFFERS,
            cache_bytes=self._cache_bytes,
            peak_gbps=peak_gbps(self._device),
            rates=self._rates(),
            rate_unit="GB/s",
        )

    def _warnings(self) -> tuple[str, ...]:
        """Small buffers are worth a warning only where they were not asked for."""
        small = self._cache_bytes is not None and self._bytes < CACHES * self._cache_bytes
        if not small or self._params.buffer_mib is not None:
            return ()
        return (
            tr(
                "Buffers of {buffer} MiB are smaller than {caches} times the cache: the rates may be "
                "those of the cache. Free some memory.",
                buffer=self._bytes // MIB,
                caches=CACHES,
            ),
        )


def _operations(
    result: torch.Tensor, left: torch.Tensor, right: torch.Tensor, held: tuple[Words, Words]
) -> list[Operation]:
    """result = left, and result = left + 3 x right, in integers that wrap around: every bit of every word counts."""

    def copy(part: slice) -> object:
        return result[part].copy_(left[part])

    def triad(part: slice) -> object:
        return torch.add(left[part], right[part], alpha=SCALE, out=result[part])

    summed = held[0].plus(held[1], times=SCALE)
    return [Operation("copy", 2, copy, held[0]), Operation("triad", 3, triad, summed)]
