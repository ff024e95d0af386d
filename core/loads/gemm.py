"""Matrix products in every number format of the device, verified while they run.

In each format: a known-answer product, a self-test of the checks, then sustained products of normally distributed
numbers with one result in eight compared bit for bit, and the known answer again on the hot device. Normal numbers, for
zeros and ones draw less power.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import torch

from core.errors import EnvironmentProblem
from core.loads.alive import alive_through
from core.loads.findings import ON_PURPOSE
from core.loads.formats import Format, chosen_formats, laid_out, product, product_precision, split_by_availability
from core.loads.inject import Injector
from core.loads.known_answer import KnownAnswer, Shape
from core.loads.load import Ending, Fault, FaultKind, Status, StepReport
from core.loads.params import GemmParams
from core.loads.product_selftest import try_comparison, try_known_answer
from core.loads.room import give_back, room_on
from core.loads.selftest import SelfTest
from core.loads.sizes import SMALLEST, affordable, comfortable
from core.loads.sustained import Manner, Sustained, Tally
from core.loads.verify import golden_problem

CPU_SIZE = 1024
GPU_SIZE = 8192
SMALL_GPU_SIZE = 4096
SMALL_GPU_BYTES = 8e9
LARGEST_KNOWN_ANSWER = {"cpu": 1024, "cuda": 4096}
"""By device. Larger ones say nothing more and take seconds on the host."""
ROUND_S = 120.0
"""After so long the data are drawn anew and the known answer is asked again."""


class GemmLoad:
    """The "gemm" load. Evidence: see `_evidence`."""

    def __init__(self, params: GemmParams, device: torch.device) -> None:
        self._params = params
        self._device = device
        self._size = params.size or _default_size(device)
        self._sizes_tried = [self._size]
        self._formats, self._skipped = split_by_availability(chosen_formats(params.dtypes), device)
        self._made = time.monotonic()
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._injector = Injector(self._params.inject, self._params.inject_at)
        self._tallies: dict[str, Tally] = {}
        self._periods: dict[str, tuple[float, float]] = {}
        self._known: dict[Shape, KnownAnswer] = {}
        self._sizes: dict[str, int] = {}
        self._self_test = SelfTest()
        self._self_tested: list[str] = []
        self._first_fault = ""

    def shrink(self) -> bool:
        """Halves the matrices, down to 256."""
        if self._size // 2 < SMALLEST:
            return False
        self._size //= 2
        self._sizes_tried.append(self._size)
        self._start_afresh()
        give_back(self._device)
        return True

    def steps(self, seconds: float) -> Iterator[StepReport]:
        """Shares the time evenly among the formats. Raises EnvironmentProblem when the device offers none of them."""
        if not self._formats:
            raise EnvironmentProblem(" ".join(self._skipped.values()))
        started = time.monotonic()
        for position, format_ in enumerate(self._formats):
            deadline = started + seconds * (position + 1) / len(self._formats)
            with product_precision(tf32=format_.tf32):
                yield from self._burn(format_, deadline)
            if self._self_test.blind:
                return

    def finish(self) -> Ending:
        """Failed if a result was wrong or the checks are blind; passed only with every format compared."""
        checks = sum(tally.checks for tally in self._tallies.values())
        errors = sum(tally.errors for tally in self._tallies.values())
        evidence = self._evidence(checks, errors)
        if blind := self._self_test.blind:
            return Ending(Status.FAILED, blind, evidence)
        if errors:
            return Ending(
                Status.FAILED, f"{errors} of {checks} checked results are wrong: {self._first_fault}", evidence
            )
        if any(format_.name not in self._self_tested for format_ in self._formats):
            return Ending(Status.NOT_RUN, "Ended before every number format was checked.", evidence)
        return Ending(Status.PASSED, f"{checks} results checked, none wrong.", evidence)

    # -- one format -----------------------------------------------------------------------------------------------

    def _burn(self, format_: Format, deadline: float) -> Iterator[StepReport]:
        tally = self._tallies[format_.name] = Tally()
        self._injector.new_format()
        self._sizes[format_.name] = self._fitting_size(format_)
        known = yield from self._known_answer(format_)
        began = time.monotonic()
        answer, report = self._ask(known, format_, tally=tally)
        yield self._noted(report)
        reserved_s = time.monotonic() - began
        try_known_answer(self._self_test, answer, known=known, format_=format_)
        yield StepReport()
        del answer
        turn = 0
        while turn == 0 or time.monotonic() < deadline - reserved_s:
            sustained = self._sustained(format_, tally=tally, seed=self._params.seed + turn)
            yield StepReport()
            yield self._noted(self._check_golden(sustained, format_, seed=self._params.seed + turn, tally=tally))
            if turn == 0:
                try_comparison(self._self_test, sustained.golden, format_)
                self._self_tested.append(format_.name)
            if self._self_test.blind:
                return
            until = min(deadline - reserved_s, time.monotonic() + ROUND_S)
            for report in sustained.run(until):
                yield self._noted(report)
                self._note_period(format_)
            del sustained
            yield self._noted(self._ask(known, format_, tally=tally)[1])
            turn += 1

    def _note_period(self, format_: Format) -> None:
        now_s = round(time.monotonic() - self._made, 2)
        began_s, _ = self._periods.get(format_.name, (now_s, now_s))
        self._periods[format_.name] = (began_s, now_s)

    def _known_answer(self, format_: Format) -> Generator[StepReport, None, KnownAnswer]:
        size = min(self._sizes[format_.name], LARGEST_KNOWN_ANSWER[self._device.type])
        shape = (size, min(size, format_.exact_depth), size)
        if shape not in self._known:
            known = KnownAnswer(shape, self._params.seed)
            yield from alive_through(known.prepare())
            self._known[shape] = known
        return self._known[shape]

    def _ask(self, known: KnownAnswer, format_: Format, *, tally: Tally) -> tuple[torch.Tensor, StepReport]:
        """One known-answer product: the result and what was found."""
        answer = product(*known.operands(format_, self._device), format_)
        self._injector.touch_every(answer)
        problem = known.problem(answer, format_)
        tally.known_answers += 1
        return answer, self._report(f"{format_.name} known answer", problem, kind=FaultKind.MISMATCH, tally=tally)

    def _sustained(self, format_: Format, *, tally: Tally, seed: int) -> Sustained:
        generator = torch.Generator(self._device).manual_seed(seed)
        size = self._sizes[format_.name]
        drawn = torch.float64 if format_.dtype is torch.float64 else torch.float32
        a, b = (
            torch.randn((size, size), generator=generator, device=self._device, dtype=drawn).to(format_.dtype)
            for _ in range(2)
        )
        manner = Manner(check_every=self._params.check_every, fill_bytes=self._fill_bytes())
        return Sustained(format_, (a, laid_out(b, format_)), injector=self._injector, tally=tally, manner=manner)

    def _fill_bytes(self) -> int:
        """What results may fill besides the operands."""
        if self._device.type != "cuda" or not self._params.fill_pct:
            return 0
        return room_on(self._device).share(self._params.fill_pct)

    def _check_golden(self, sustained: Sustained, format_: Format, *, seed: int, tally: Tally) -> StepReport:
        problem = golden_problem(sustained.golden, *sustained.operands, format_=format_, seed=seed)
        kind = FaultKind.NAN if problem and problem.not_finite else FaultKind.MISMATCH
        text = None if problem is None else str(problem)
        return self._report(f"{format_.name} against the double-precision reference", text, kind=kind, tally=tally)

    def _report(self, what: str, problem: str | None, *, kind: FaultKind, tally: Tally) -> StepReport:
        tally.checks += 1
        if problem is None:
            return StepReport(checks=1)
        tally.errors += 1
        on_purpose = ON_PURPOSE if self._injector.kind else ""
        return StepReport(checks=1, faults=(Fault(kind, f"{what}: {problem}{on_purpose}."),))

    def _noted(self, report: StepReport) -> StepReport:
        if report.faults and not self._first_fault:
            self._first_fault = report.faults[0].message
        return report

    def _fitting_size(self, format_: Format) -> int:
        """The size at which one product takes well under a second, for a stop to be prompt."""
        if self._params.size is not None:
            return self._size
        if self._device.type == "cpu" and len(self._sizes_tried) == 1:
            return comfortable(self._size, format_, self._device)
        return affordable((self._size, self._size, self._size), format_, self._device)[0]

    def _evidence(self, checks: int, errors: int) -> dict[str, Any]:
        """`rates` are of products alone, by format; `verification_pct` is what checking added to their time.

        `periods` are the first and last moment of the products of each format, in s since the load was made.
        """
        busy_s = sum(tally.compute_s for tally in self._tallies.values())
        verify_s = sum(tally.verify_s for tally in self._tallies.values())
        return {
            "sizes": dict(self._sizes),
            "sizes_tried": self._sizes_tried,
            "seed": self._params.seed,
            "products": sum(tally.products for tally in self._tallies.values()),
            "checks": checks,
            "errors": errors,
            "check_every": self._params.check_every,
            "results_in_memory": {name: tally.buffers for name, tally in self._tallies.items()},
            "known_answers": {name: tally.known_answers for name, tally in self._tallies.items()},
            "periods": dict(self._periods),
            "rates": _tflops(self._tallies),
            "rate_unit": "TFLOP/s",
            "verification_pct": round(100 * verify_s / busy_s, 2) if busy_s > 0 else None,
            **self._self_test.evidence(),
            "not_available": dict(self._skipped),
            **self._injector.evidence(),
        }


def _tflops(tallies: Mapping[str, Tally]) -> dict[str, float]:
    """By format; formats that have not been timed are absent."""
    rates = {name: tally.meter.rate() for name, tally in tallies.items()}
    return {name: round(rate / 1e12, 4) for name, rate in rates.items() if rate is not None}


def _default_size(device: torch.device) -> int:
    if device.type != "cuda":
        return CPU_SIZE
    memory = torch.cuda.get_device_properties(device).total_memory
    return SMALL_GPU_SIZE if memory < SMALL_GPU_BYTES else GPU_SIZE
