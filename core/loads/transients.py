"""Load that comes and goes on all devices at the same moment: finds supplies that trip, regulators that ring and clocks
that fail while they change.

Square waves first, steps of load after them; every phase compares at least one result bit for bit.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import torch

from core.errors import EnvironmentProblem
from core.loads.findings import ON_PURPOSE
from core.loads.formats import Format, chosen_formats, laid_out, product_precision, why_unavailable
from core.loads.inject import Injector
from core.loads.load import Ending, Fault, FaultKind, Status, StepReport
from core.loads.params import TransientsParams
from core.loads.product_selftest import try_comparison
from core.loads.room import give_back
from core.loads.selftest import SelfTest
from core.loads.sizes import SMALLEST, seconds_per_flop
from core.loads.sustained import BATCH_S, Manner, Sustained, Tally
from core.loads.transients_plan import Kept, Segment, planned
from core.loads.verify import golden_problem

CPU_SIZE = 1024
GPU_SIZE = 8192
PREFERRED = "bfloat16,float16,float32"
CHECK_EVERY = 8
PARTS = 16
"""Of a phase that is on: products are so small that several fit, and the phase ends when it should."""
REST_S = 0.2
"""Between signs of life while nothing is computed."""


class TransientsLoad:
    """The "transients" load. Evidence: see `_evidence`."""

    def __init__(self, params: TransientsParams, device: torch.device) -> None:
        self._params = params
        self._device = device
        self._format = _format(params.dtype, device)
        self._largest = GPU_SIZE if device.type == "cuda" else CPU_SIZE
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._injector = Injector(self._params.inject, self._params.inject_at)
        self._tally = Tally()
        self._self_test = SelfTest()
        self._kept: list[Kept] = []
        self._left_out: list[Segment] = []
        self._first_fault = ""

    def shrink(self) -> bool:
        """Halves the matrices, down to 256."""
        if self._largest // 2 < SMALLEST:
            return False
        self._largest //= 2
        self._start_afresh()
        give_back(self._device)
        return True

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """The waves, then the steps, in the time that there is."""
        ends = time.monotonic() + seconds
        segments, self._left_out = planned(self._params, seconds)
        with product_precision(tf32=self._format.tf32):
            per_flop_s = seconds_per_flop(self._format, self._device)
            for place, segment in enumerate(segments):
                later_s = sum(other.seconds for other in segments[place + 1 :])
                sustained = self._sustained(segment, per_flop_s)
                yield StepReport()
                yield self._golden(sustained)
                if self._self_test.blind:
                    return
                yield from self._noted(self._segment(segment, sustained, ends - later_s))
                del sustained

    def finish(self) -> Ending:
        """Failed if a result was wrong; passed only when a wave was kept up."""
        tally, evidence = self._tally, self._evidence()
        if blind := self._self_test.blind:
            return Ending(Status.FAILED, blind, evidence)
        if tally.errors:
            told = f"{tally.errors} of {tally.checks} results compared are wrong: {self._first_fault}"
            return Ending(Status.FAILED, told, evidence)
        cycles = sum(len(kept.spans) for kept in self._kept)
        if not cycles or not tally.checks:
            return Ending(Status.NOT_RUN, "Ended before load had come and gone.", evidence)
        return Ending(
            Status.PASSED, f"Load came and went {cycles} times; {tally.checks} results compared, none wrong.", evidence
        )

    # -- one segment ----------------------------------------------------------------------------------------------

    def _segment(self, segment: Segment, sustained: Sustained, ends: float) -> Iterator[StepReport]:
        """Phases until `ends`, each begun at a multiple of the period."""
        kept = self._kept[-1]
        early_s = 0.0
        while (start := segment.next_start(time.monotonic())) + segment.on_s <= ends or not kept.spans:
            yield from _rest(start)
            began = time.monotonic()
            yield from sustained.run(start + segment.on_s - early_s)
            ended = time.monotonic()
            kept.phase(start, began, ended)
            # What is queued when a phase should end runs on: the next one stops queueing so much earlier.
            early_s = min(max(early_s + (ended - start - segment.on_s) / 2, 0.0), segment.on_s / 2)

    def _sustained(self, segment: Segment, per_flop_s: float) -> Sustained:
        size = self._size(segment, per_flop_s)
        self._kept.append(Kept(segment, size))
        generator = torch.Generator(self._device).manual_seed(self._params.seed)
        drawn = torch.float64 if self._format.dtype is torch.float64 else torch.float32
        left, right = (
            torch.randn((size, size), generator=generator, device=self._device, dtype=drawn).to(self._format.dtype)
            for _ in range(2)
        )
        return Sustained(
            self._format,
            (left, laid_out(right, self._format)),
            injector=self._injector,
            tally=self._tally,
            manner=Manner(CHECK_EVERY, batch_s=min(BATCH_S, segment.on_s / PARTS)),
        )

    def _size(self, segment: Segment, per_flop_s: float) -> int:
        """The largest product of which many fit into a phase."""
        size = self._largest
        while size > SMALLEST and 2.0 * size**3 * per_flop_s > segment.on_s / PARTS:
            size //= 2
        return size

    def _golden(self, sustained: Sustained) -> StepReport:
        """Checks the result that all others are compared with, and once that the comparison sees faults."""
        if len(self._kept) == 1:
            try_comparison(self._self_test, sustained.golden, self._format)
        problem = golden_problem(
            sustained.golden, *sustained.operands, format_=self._format, seed=self._params.seed + len(self._kept)
        )
        self._tally.checks += 1
        if problem is None:
            return StepReport(checks=1)
        self._tally.errors += 1
        kind = FaultKind.NAN if problem.not_finite else FaultKind.MISMATCH
        on_purpose = ON_PURPOSE if self._injector.kind else ""
        what = f"{self._format.name} against the double-precision reference: {problem}{on_purpose}."
        self._first_fault = self._first_fault or what
        return StepReport(checks=1, faults=(Fault(kind, what),))

    def _noted(self, steps: Iterator[StepReport]) -> Iterator[StepReport]:
        for report in steps:
            if report.faults and not self._first_fault:
                self._first_fault = report.faults[0].message
            yield report

    def _evidence(self) -> dict[str, Any]:
        """`segments` by name: duty and phase as asked for and as kept. `left_out` had no room in the time given."""
        left_out = [segment.name for segment in self._left_out]
        return {
            "format": self._format.name,
            "segments": {kept.segment.name: kept.evidence() for kept in self._kept},
            "left_out": left_out,
            "products": self._tally.products,
            "checks": self._tally.checks,
            "errors": self._tally.errors,
            "check_every": CHECK_EVERY,
            "seed": self._params.seed,
            **self._self_test.evidence(),
            **self._injector.evidence(),
        }


def _rest(until: float) -> Iterator[StepReport]:
    """Nothing until a moment, with signs of life."""
    while (left_s := until - time.monotonic()) > 0:
        time.sleep(min(left_s, REST_S))
        yield StepReport()


def _format(name: str, device: torch.device) -> Format:
    """The format asked for, or the first of the preferred ones that the device has in hardware.

    Raises EnvironmentProblem where it lacks what was asked for.
    """
    if not name.strip() and device.type != "cuda":
        name = "float32"
    formats = chosen_formats(name.strip() or PREFERRED)
    reasons = [why_unavailable(format_, device) for format_ in formats]
    for format_, reason in zip(formats, reasons, strict=True):
        if reason is None:
            return format_
    raise EnvironmentProblem(" ".join(filter(None, reasons)))
