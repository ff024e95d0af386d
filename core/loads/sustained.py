"""The same product over and over, results compared bit for bit with the first one."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import torch

from core.loads import verify
from core.loads.findings import ON_PURPOSE
from core.loads.formats import Format, product
from core.loads.inject import Injector
from core.loads.load import Fault, FaultKind, StepReport
from core.loads.meter import Meter
from core.loads.timing import Mark, mark

BATCH_S = 0.1
"""Work queued at once: small enough that a stop is heeded and no display driver's watchdog bites."""
IN_FLIGHT = 2
"""Batches queued ahead on CUDA, so that the GPU never waits for the host."""


@dataclass(slots=True)
class Tally:
    """What was done in one number format."""

    products: int = 0
    checks: int = 0
    errors: int = 0
    known_answers: int = 0
    buffers: int = 0
    """Results that are kept in memory at a time."""
    compute_s: float = 0.0
    verify_s: float = 0.0
    meter: Meter = field(default_factory=Meter)


@dataclass(frozen=True, slots=True)
class _Batch:
    """Products queued together, with the comparison of the last one if there was one."""

    products: int
    result: torch.Tensor
    differing: torch.Tensor | None
    started: Mark
    computed: Mark
    checked: Mark


@dataclass(frozen=True, slots=True)
class Manner:
    """How products are repeated."""

    check_every: int = 8
    """One product in so many is compared."""
    batch_s: float = BATCH_S
    fill_bytes: int = 0
    """Memory for results, which go to other buffers each time; 0 keeps only those that are still to be compared."""


class Sustained:
    """Repeats A x B on one stream. `golden` is the first result; cuBLAS and MKL repeat it bit for bit.

    A result stays in its own buffer until its comparison was read, so that a fault can be described.
    """

    def __init__(
        self,
        format_: Format,
        operands: tuple[torch.Tensor, torch.Tensor],
        *,
        injector: Injector,
        tally: Tally,
        manner: Manner | None = None,
    ) -> None:
        self._format = format_
        self._a, self._b = operands
        self._device = self._a.device
        self._injector = injector
        manner = manner or Manner()
        self._every = manner.check_every
        self._tally = tally
        ahead = IN_FLIGHT if self._device.type == "cuda" else 0
        shape = (self._a.shape[0], self._b.shape[1])
        self._flop = 2.0 * shape[0] * shape[1] * self._a.shape[1]
        buffers = max(ahead + 1, manner.fill_bytes // (shape[0] * shape[1] * format_.result.itemsize))
        # An odd number: results are checked in every one of them, for one in 2, 4 or 8 is.
        self._buffers = deque(self._empty(shape) for _ in range(buffers | 1))
        self._ahead = ahead
        tally.buffers = len(self._buffers)
        self._queue: deque[_Batch] = deque()
        self._unchecked = 0
        self.golden = self._empty(shape)
        self._multiply(self.golden)
        injector.touch_every(self.golden)
        self._batch_size = self._fitting_batch(manner.batch_s)

    @property
    def operands(self) -> tuple[torch.Tensor, torch.Tensor]:
        """A and B as they lie on the device."""
        return self._a, self._b

    def run(self, deadline: float) -> Iterator[StepReport]:
        """Steps until `deadline` (monotonic), at the least until one result was compared."""
        checks_before = self._tally.checks
        while time.monotonic() < deadline or self._tally.checks == checks_before:
            self._queue.append(self._launch())
            if len(self._queue) > self._ahead:
                yield self._settle(self._queue.popleft())
        while self._queue:
            yield self._settle(self._queue.popleft())

    def _launch(self) -> _Batch:
        result = self._buffers[0]
        self._buffers.rotate(-1)
        products = min(self._batch_size, self._every - self._unchecked)
        started = mark(self._device)
        for _ in range(products):
            self._multiply(result)
        computed = mark(self._device)
        self._tally.products += products
        self._unchecked += products
        differing = self._compare(result) if self._unchecked == self._every else None
        return _Batch(products, result, differing, started, computed, mark(self._device))

    def _compare(self, result: torch.Tensor) -> torch.Tensor:
        """Queues the comparison; its count arrives on the host without stopping the device."""
        self._unchecked = 0
        self._injector.touch_every(result)
        self._injector.touch_once(result, self._tally.products)
        differing = verify.count_differences(result, self.golden)
        if self._device.type != "cuda":
            return differing
        host = torch.empty((), dtype=differing.dtype, pin_memory=True)
        return host.copy_(differing, non_blocking=True)

    def _settle(self, batch: _Batch) -> StepReport:
        batch.checked.wait()
        busy_s = batch.computed.seconds_since(batch.started)
        flop = self._flop * batch.products
        tally = self._tally
        tally.compute_s += busy_s
        tally.verify_s += batch.checked.seconds_since(batch.computed)
        tally.meter.add(flop, busy_s)
        if batch.differing is None:
            return StepReport(flop=flop, busy_s=busy_s)
        tally.checks += 1
        faults = () if int(batch.differing) == 0 else (self._fault(batch.result),)
        tally.errors += len(faults)
        return StepReport(flop=flop, busy_s=busy_s, checks=1, faults=faults)

    def _fault(self, result: torch.Tensor) -> Fault:
        difference = verify.describe(result, self.golden)
        on_purpose = ON_PURPOSE if self._injector.kind else ""
        what = str(difference) if difference else "a comparison failed and its repetition did not"
        kind = FaultKind.NAN if difference and difference.not_finite else FaultKind.MISMATCH
        message = f"{self._format.name} product {self._tally.products}: {what}{on_purpose}."
        return Fault(kind, message)

    def _fitting_batch(self, batch_s: float) -> int:
        """Products per batch by the time that one takes, once a buffer was touched."""
        self._multiply(self._buffers[0])
        started = mark(self._device)
        self._multiply(self._buffers[0])
        ended = mark(self._device)
        ended.wait()
        one_s = max(ended.seconds_since(started), 1e-9)
        return max(1, min(self._every, int(batch_s / one_s)))

    def _multiply(self, out: torch.Tensor) -> None:
        product(self._a, self._b, self._format, out=out)

    def _empty(self, shape: tuple[int, int]) -> torch.Tensor:
        return torch.empty(shape, dtype=self._format.result, device=self._device)
