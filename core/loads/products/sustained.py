"""The same product over and over, results compared bit for bit with the first one."""

import math
import time
from collections import deque
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field

import torch

from core.loads.device import TimingMark, mark
from core.loads.findings import Drill, Findings
from core.loads.load import FaultKind, StepReport
from core.loads.meter import Meter
from core.loads.products import verify
from core.loads.products.formats import Operands
from core.loads.words import LOW_BIT, flip_bit, set_nan
from core.words import tr

BATCH_S = 0.1
"""Work queued at once: small enough that a stop is heeded and no display driver's watchdog bites."""
LEAST_AHEAD, MOST_AHEAD = 2, 8
AHEAD_S = 5e-3
"""Batches queued ahead on CUDA, and for how long at the least: the GPU shall never wait for the host."""
CHEAP = 0.02
"""Comparing may cost this share of the products' time: every one is compared where that suffices."""
TIMINGS, LONG_ENOUGH_S = 3, 0.5
"""Rounds of timing after the first; slow products need fewer."""


@dataclass(slots=True)
class Injector(Drill):
    """Injects one kind of fault: "bitflip" and "nan" once per number format, "repeatable" into every result."""

    _spent: bool = field(default=False, init=False)

    def new_format(self) -> None:
        """Arms a transient fault again."""
        self._spent = False

    def inject_always(self, result: torch.Tensor) -> None:
        """A repeatable fault: the same bit of the same element, in golden results and known answers alike."""
        if self.kind == "repeatable":
            flip_bit(result, result.numel() // 3, LOW_BIT)
            self.strike(tr("element {element} of every result", element=result.numel() // 3))

    def inject_once(self, result: torch.Tensor, iteration: int) -> None:
        """A transient fault, in the first verified result from iteration `at` on."""
        if self._spent or iteration < self.at or self.kind not in ("bitflip", "nan"):
            return
        if self.kind == "bitflip":
            flip_bit(result, result.numel() // 2, LOW_BIT)
        else:
            set_nan(result, result.numel() // 2)
        self._spent = True
        self.strike(tr("element {element} of result {number}", element=result.numel() // 2, number=iteration))


@dataclass(slots=True)
class ProductTally:
    """What was done in one number format."""

    products: int = 0
    compared: int = 0
    """Products of which every bit was compared."""
    known_answers: int = 0
    buffers: int = 0
    """Results that are kept in memory at a time."""
    compute_s: float = 0.0
    verify_s: float = 0.0
    meter: Meter = field(default_factory=Meter)
    """Operations over the time of products and comparisons together."""

    @property
    def compared_pct(self) -> float | None:
        """Share of the products that was compared; None before the first."""
        return round(100 * self.compared / self.products, 1) if self.products else None


@dataclass(frozen=True, slots=True)
class _Batch:
    """Products queued together, with the comparison of the last one if there was one."""

    products: int
    result: torch.Tensor
    differing: torch.Tensor | None
    started: TimingMark
    computed: TimingMark
    checked: TimingMark


@dataclass(frozen=True, slots=True)
class CheckPolicy:
    """How products are repeated."""

    check_every: int = 8
    """At least one product in so many is compared, and as many more as cost less than 2 % of the products' time."""
    batch_s: float = BATCH_S
    fill_bytes: int = 0
    """Memory for results, which go to other buffers each time; 0 keeps only those that are still to be compared."""


class Sustained:
    """Repeats A x B on one stream. `golden` is the first result; cuBLAS and MKL repeat it bit for bit.

    A result stays in its own buffer until its comparison was read, so that a fault can be described. What is found goes
    to `findings`, what is done to `tally`.
    """

    def __init__(
        self,
        operands: Operands,
        *,
        injector: Injector,
        findings: Findings,
        tally: ProductTally,
        policy: CheckPolicy | None = None,
    ) -> None:
        self.operands = operands
        self._device = operands.left.device
        self._injector = injector
        self._findings = findings
        self._tally = tally
        self._policy = policy or CheckPolicy()
        self.golden = operands.product(out=self._empty())
        injector.inject_always(self.golden)
        self._buffers = deque([self._empty()])
        self._queue: deque[_Batch] = deque()
        self._unchecked = 0
        self.check_every = self.batch_size = self.ahead = 0
        """One product in so many is compared, so many are queued together, and so many batches; 0 before `prepare`."""

    def prepare(self) -> Iterator[StepReport]:
        """Times product and comparison, and shares out work and memory by that. `run` does it where nobody has."""
        buffer = self._buffers.pop()
        product_s, compare_s = yield from self._timed(buffer)
        self.check_every = cheap_every(product_s, compare_s, most=self._policy.check_every)
        self.batch_size = max(1, min(self.check_every, int(self._policy.batch_s / product_s)))
        if self._device.type == "cuda":
            batch_s = self.batch_size * product_s
            self.ahead = max(LEAST_AHEAD, min(MOST_AHEAD, math.ceil(AHEAD_S / batch_s)))
        count = max(self.ahead + 1, self._policy.fill_bytes // buffer.nbytes)
        # Every buffer comes to be compared only where its turn and that of the comparison have no common measure.
        turns = math.ceil(self.check_every / self.batch_size)
        while math.gcd(count, turns) != 1:
            count += 1
        self._buffers = deque([buffer, *(self._empty() for _ in range(count - 1))])
        self._tally.buffers = count

    def run(self, deadline: float) -> Iterator[StepReport]:
        """Steps until `deadline` (monotonic), at the least until one result was compared."""
        if not self.check_every:
            yield from self.prepare()
        compared_before = self._tally.compared
        while time.monotonic() < deadline or self._tally.compared == compared_before:
            self._queue.append(self._launch())
            if len(self._queue) > self.ahead:
                yield self._settle(self._queue.popleft())
        while self._queue:
            yield self._settle(self._queue.popleft())

    def _launch(self) -> _Batch:
        result = self._buffers.popleft()
        products = min(self.batch_size, self.check_every - self._unchecked)
        started = mark(self._device)
        for _ in range(products):
            result = self.operands.product(out=result)
        computed = mark(self._device)
        self._buffers.append(result)
        self._tally.products += products
        self._unchecked += products
        differing = self._compare(result) if self._unchecked == self.check_every else None
        return _Batch(products, result, differing, started, computed, mark(self._device))

    def _compare(self, result: torch.Tensor) -> torch.Tensor:
        """Queues the comparison; its count arrives on the host without stopping the device."""
        self._unchecked = 0
        self._injector.inject_always(result)
        self._injector.inject_once(result, self._tally.products)
        differing = verify.count_differences(result, self.golden)
        if self._device.type != "cuda":
            return differing
        host = torch.empty((), dtype=differing.dtype, pin_memory=True)
        return host.copy_(differing, non_blocking=True)

    def _settle(self, batch: _Batch) -> StepReport:
        batch.checked.wait()
        busy_s = batch.checked.seconds_since(batch.started)
        compute_s = batch.computed.seconds_since(batch.started)
        flop = self.operands.flop * batch.products
        tally = self._tally
        tally.compute_s += compute_s
        tally.verify_s += busy_s - compute_s
        tally.meter.add(flop, busy_s)
        if batch.differing is None:
            return StepReport(flop=flop, busy_s=busy_s)
        tally.compared += 1
        report = self._findings.right() if int(batch.differing) == 0 else self._wrong(batch.result)
        return StepReport(flop=flop, busy_s=busy_s, checks=1, faults=report.faults)

    def _wrong(self, result: torch.Tensor) -> StepReport:
        difference = verify.describe(result, self.golden)
        what = str(difference) if difference else tr("a comparison failed once and passed when repeated")
        kind = FaultKind.NAN if difference and difference.not_finite else FaultKind.MISMATCH
        name, number = self.operands.format_.name, self._tally.products
        message = tr("{format} product {number}: {what}", format=name, number=number, what=what)
        return self._findings.wrong(message, kind=kind)

    def _timed(self, buffer: torch.Tensor) -> Generator[StepReport, None, tuple[float, float]]:
        """Device time of a product, and of a comparison with what it costs the next product: it takes the caches."""
        product_s = both_s = compare_s = math.inf
        began = time.monotonic()
        # The first round touches memory, wakes threads and loads kernels. The fastest were disturbed least.
        for _ in range(1 + TIMINGS):
            after, _ = yield from self._marked(buffer, compare=False)
            before, compared = yield from self._marked(buffer, compare=True)
            product_s, both_s = min(product_s, max(before, 1e-9)), min(both_s, after + compared)
            compare_s = min(compare_s, compared)
            if time.monotonic() - began > LONG_ENOUGH_S:
                break
        return product_s, max(compare_s, both_s - product_s)

    def _marked(self, buffer: torch.Tensor, *, compare: bool) -> Generator[StepReport, None, tuple[float, float]]:
        started = mark(self._device)
        result = self.operands.product(out=buffer)
        computed = mark(self._device)
        if compare:
            verify.count_differences(result, self.golden)
        compared = mark(self._device)
        compared.wait()
        yield StepReport()
        return computed.seconds_since(started), compared.seconds_since(computed)

    def _empty(self) -> torch.Tensor:
        height, _, width = self.operands.shape
        return torch.empty((height, width), dtype=self.operands.format_.result, device=self._device)


def cheap_every(product_s: float, compare_s: float, *, most: int) -> int:
    """The smallest number of products of whose time one comparison is less than 2 %, but no more than `most`."""
    return max(1, min(most, math.ceil(compare_s / (CHEAP * product_s))))
