"""Parts of the load on the machine, each in a thread of its own, and the first of them: one processor under verified
load, by a hash with a published answer and by products whose bits are the same on all."""

from __future__ import annotations

import hashlib
import os
import queue
import threading
import time
from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import closing
from dataclasses import dataclass

import torch

from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.products import verify
from core.loads.products.formats import BY_NAME, Operands
from core.loads.words import LOW_BIT, flip_bit
from core.words import tr

JOIN_S = 0.8
"""A thread that is stuck in the kernel for longer is left behind; it ends with the process."""


class HostTask(ABC):
    """Work in small turns, each checked. Only its own thread touches it until `Crew.stop`."""

    name: str

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        """With the drill that strikes in this part, if any."""
        self.missing = ""
        """Why it could not run, in a sentence."""

    @abstractmethod
    def turns(self) -> Generator[StepReport, None, None]:
        """Turns without end, of a fifth of a second at most each; closed when the load ends."""


class Crew:
    """One thread for each part, at work from the start."""

    def __init__(self, parts: Sequence[HostTask]) -> None:
        self._reports: queue.SimpleQueue[StepReport | Future[None]] = queue.SimpleQueue()
        self._stopped = threading.Event()
        self._threads = ThreadPoolExecutor(max_workers=len(parts))
        self._work = {self._threads.submit(self._turns, part): part.name for part in parts}
        for work in self._work:
            work.add_done_callback(self._reports.put)

    def next_report(self, within_s: float) -> StepReport | None:
        """What a part did; None if nothing was done in time. Raises what a part raised."""
        try:
            report = self._reports.get(timeout=within_s)
        except queue.Empty:
            return None
        return report.result() if isinstance(report, Future) else report

    def stop(self) -> list[str]:
        """Ends all work; the names of the parts that did not end in time."""
        self._stopped.set()
        stuck = wait(self._work, timeout=JOIN_S).not_done
        self._threads.shutdown(wait=not stuck)
        return [self._work[work] for work in stuck]

    def unread(self) -> Iterator[StepReport]:
        """What parts did before they ended, and nobody has asked for yet."""
        while not self._reports.empty():
            if isinstance(report := self._reports.get_nowait(), StepReport):
                yield report

    @property
    def at_work(self) -> bool:
        """Whether any part still works."""
        return not all(work.done() for work in self._work)

    def _turns(self, part: HostTask) -> None:
        turns = part.turns()
        with closing(turns):
            for report in turns:
                self._reports.put(report)
                if self._stopped.is_set():
                    return


MESSAGE = b"a" * 1_000_000
DIGEST = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
"""SHA-256 of a million letters "a" (NIST, examples for FIPS 180)."""
HASHES = 8
SIZE = 512
PRODUCTS = 4
"""In one turn: about a fiftieth of a second each of integer and of floating-point work on a core of today."""
FORMAT = BY_NAME["float32"]


@dataclass(frozen=True, slots=True)
class Golden:
    """Operands and the product that all processors must give."""

    left: torch.Tensor
    right: torch.Tensor
    product: torch.Tensor

    @classmethod
    def drawn(cls, seed: int) -> Golden:
        """Normally distributed numbers, and their product by one thread."""
        generator = torch.Generator().manual_seed(seed)
        left, right = (torch.randn((SIZE, SIZE), generator=generator) for _ in range(2))
        return cls(left, right, torch.mm(left, right))

    @property
    def flop(self) -> float:
        """Of one product."""
        return 2.0 * SIZE**3

    def differs(self, product: torch.Tensor) -> bool:
        """Whether any bit of a product is not that of this one."""
        return verify.describe(product, self.product) is not None

    def problem(self, seed: int) -> str | None:
        """What is wrong with the product against one in double precision."""
        problem = verify.golden_problem(self.product, Operands(FORMAT, self.left, self.right), seed=seed)
        return None if problem is None else str(problem)


class Processor(HostTask):
    """A thread that stays on one logical processor, where the system allows that."""

    def __init__(self, number: int, golden: Golden, findings: Findings) -> None:
        super().__init__(findings)
        self.name = tr("processor {number}", number=number)
        self.number = number
        self.pinned = False
        self.hashed_bytes = 0
        self.products = 0
        self._golden = golden

    def turns(self) -> Generator[StepReport, None, None]:
        """Hashes and products in turns."""
        if hasattr(os, "sched_setaffinity"):
            os.sched_setaffinity(threading.get_native_id(), {self.number})
            self.pinned = True
        torch.set_num_threads(1)
        result = torch.empty_like(self._golden.product)
        while True:
            yield self._hash()
            yield self._multiply(result)

    def _hash(self) -> StepReport:
        for _ in range(HASHES):
            right = right_digest(self._changed_message() if self._due("hash") else MESSAGE)
            self.hashed_bytes += len(MESSAGE)
            if not right:
                return self.findings.wrong(
                    tr("{processor}: the SHA-256 of the test message is wrong", processor=self.name)
                )
        return self.findings.right()

    def _multiply(self, result: torch.Tensor) -> StepReport:
        started = time.perf_counter()
        for _ in range(PRODUCTS):
            torch.mm(self._golden.left, self._golden.right, out=result)
        busy_s = time.perf_counter() - started
        self.products += PRODUCTS
        if self._due("product"):
            flip_bit(result, result.numel() // 2, LOW_BIT)
            self.findings.drill.strike(tr("a product on {processor}", processor=self.name))
        difference = verify.describe(result, self._golden.product)
        report = self.findings.checked(
            tr("{processor}: product: {difference}", processor=self.name, difference=str(difference))
            if difference
            else None
        )
        return StepReport(self._golden.flop * PRODUCTS, busy_s, checks=1, faults=report.faults)

    def _due(self, kind: str) -> bool:
        return self.findings.drill.kind == kind and self.findings.drill.due(self.findings.checks)

    def _changed_message(self) -> bytes:
        self.findings.drill.strike(tr("a test message on {processor}", processor=self.name))
        return MESSAGE[:-1] + b"b"


def right_digest(message: bytes = MESSAGE) -> bool:
    """Whether the hash of the message is that of the test message."""
    return hashlib.sha256(message).hexdigest() == DIGEST


def usable_numbers(at_most: int) -> Sequence[int]:
    """Numbers of the logical processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))[:at_most]
    return range(min(at_most, os.cpu_count() or 1))
