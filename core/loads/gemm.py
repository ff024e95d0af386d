"""Matrix products in every number format of the device, verified while they run.

In each format: a known-answer product, a self-test of the checks, then sustained products of normally distributed
numbers with one result in eight compared bit for bit, and the known answer again on the hot device. Normal numbers, for
zeros and ones draw less power.
"""

from __future__ import annotations

import time
import timeit
from collections.abc import Generator, Iterator, Mapping
from typing import Any

import torch

from core.errors import EnvironmentProblem
from core.loads.formats import Format, chosen_formats, product_precision, split_by_availability
from core.loads.inject import Injector
from core.loads.known_answer import LARGEST_SIZE, KnownAnswer
from core.loads.load import Ending, Fault, FaultKind, Status, StepReport
from core.loads.params import GemmParams
from core.loads.selftest import unseen_faults
from core.loads.sustained import Sustained, Tally
from core.loads.verify import golden_problem

CPU_SIZE = 1024
GPU_SIZE = 8192
SMALL_GPU_SIZE = 4096
SMALL_GPU_BYTES = 8e9
SMALLEST_SIZE = 256
LONGEST_CPU_PRODUCT_S = 0.3
PROBES = 4
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
        self._start_afresh()

    def _start_afresh(self) -> None:
        self._injector = Injector(self._params.inject, self._params.inject_at)
        self._tallies: dict[str, Tally] = {}
        self._known: dict[int, KnownAnswer] = {}
        self._sizes: dict[str, int] = {}
        self._unseen: list[str] = []
        self._self_tested: list[str] = []
        self._first_fault = ""

    def shrink(self) -> bool:
        """Halves the matrices, down to 256."""
        if self._size // 2 < SMALLEST_SIZE:
            return False
        self._size //= 2
        self._sizes_tried.append(self._size)
        self._start_afresh()
        if self._device.type == "cuda":
            torch.cuda.empty_cache()
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
            if self._unseen:
                return

    def finish(self) -> Ending:
        """Failed if a result was wrong or the checks are blind; passed only with every format compared."""
        checks = sum(tally.checks for tally in self._tallies.values())
        errors = sum(tally.errors for tally in self._tallies.values())
        evidence = self._evidence(checks, errors)
        if self._unseen:
            return Ending(Status.FAILED, f"self-test: the checks did not see {' nor '.join(self._unseen)}.", evidence)
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
        known = yield from self._known_answer(self._sizes[format_.name])
        began = time.monotonic()
        answer, report = self._ask(known, format_, tally=tally)
        yield self._noted(report)
        reserved_s = time.monotonic() - began
        turn = 0
        while turn == 0 or time.monotonic() < deadline - reserved_s:
            sustained = self._sustained(format_, tally=tally, seed=self._params.seed + turn)
            yield self._noted(self._check_golden(sustained, format_, seed=self._params.seed + turn, tally=tally))
            if turn == 0 and not self._self_test(sustained.golden, answer, known=known, format_=format_):
                return
            until = min(deadline - reserved_s, time.monotonic() + ROUND_S)
            for report in sustained.run(until):
                yield self._noted(report)
            del sustained
            yield self._noted(self._ask(known, format_, tally=tally)[1])
            turn += 1

    def _known_answer(self, size: int) -> Generator[StepReport, None, KnownAnswer]:
        size = min(size, LARGEST_SIZE)
        if size not in self._known:
            known = KnownAnswer(size, self._params.seed)
            for _ in known.prepare():
                yield StepReport()
            self._known[size] = known
        return self._known[size]

    def _ask(self, known: KnownAnswer, format_: Format, *, tally: Tally) -> tuple[torch.Tensor, StepReport]:
        """One known-answer product: the result and what was found."""
        a, b = known.operands(format_.dtype, self._device)
        answer = torch.mm(a, b)
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
        return Sustained(format_, (a, b), injector=self._injector, check_every=self._params.check_every, tally=tally)

    def _check_golden(self, sustained: Sustained, format_: Format, *, seed: int, tally: Tally) -> StepReport:
        problem = golden_problem(sustained.golden, *sustained.operands, format_=format_, seed=seed)
        kind = FaultKind.NAN if problem and problem.not_finite else FaultKind.MISMATCH
        text = None if problem is None else str(problem)
        return self._report(f"{format_.name} against the double-precision reference", text, kind=kind, tally=tally)

    def _self_test(self, golden: torch.Tensor, answer: torch.Tensor, *, known: KnownAnswer, format_: Format) -> bool:
        """Whether the checks see injected faults; without that nothing after it could be trusted."""
        self._unseen = [
            f"an injected {fault} in {format_.name}"
            for fault in unseen_faults(golden, answer, known=known, format_=format_)
        ]
        self._self_tested.append(format_.name)
        return not self._unseen

    def _report(self, what: str, problem: str | None, *, kind: FaultKind, tally: Tally) -> StepReport:
        tally.checks += 1
        if problem is None:
            return StepReport(checks=1)
        tally.errors += 1
        on_purpose = " (injected on purpose)" if self._injector.kind else ""
        return StepReport(checks=1, faults=(Fault(kind, f"{what}: {problem}{on_purpose}."),))

    def _noted(self, report: StepReport) -> StepReport:
        if report.faults and not self._first_fault:
            self._first_fault = report.faults[0].message
        return report

    def _fitting_size(self, format_: Format) -> int:
        """The size at which one product takes well under a second, for a stop to be prompt."""
        if self._params.size is not None:
            return self._size
        if self._device.type != "cuda":
            return affordable_size(self._size, format_)
        # Double precision runs at 1/32 to 1/64 of the speed on GPUs for desktops.
        return min(self._size, SMALL_GPU_SIZE) if format_.dtype is torch.float64 else self._size

    def _evidence(self, checks: int, errors: int) -> dict[str, Any]:
        """`rates` are of products alone, by format; `verification_pct` is what checking added to their time."""
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
            "known_answers": {name: tally.known_answers for name, tally in self._tallies.items()},
            "rates": _tflops(self._tallies),
            "rate_unit": "TFLOP/s",
            "verification_pct": round(100 * verify_s / busy_s, 2) if busy_s > 0 else None,
            "self_test": "failed" if self._unseen else "passed" if self._self_tested else "not run",
            "not_available": dict(self._skipped),
            **self._injector.evidence(),
        }


def affordable_size(size: int, format_: Format) -> int:
    """Halves a CPU's product until it takes less than 0.3 s.

    Formats that a CPU lacks are emulated, hundreds of times slower.
    """
    probe = torch.ones((SMALLEST_SIZE, SMALLEST_SIZE), dtype=format_.dtype)
    # The fastest of a few: the first one wakes threads, and another program may disturb any of them.
    probe_s = min(timeit.repeat(lambda: torch.mm(probe, probe), number=1, repeat=PROBES))
    while size > SMALLEST_SIZE and probe_s * (size / SMALLEST_SIZE) ** 3 > LONGEST_CPU_PRODUCT_S:
        size //= 2
    return size


def _tflops(tallies: Mapping[str, Tally]) -> dict[str, float]:
    """By format; formats that have not been timed are absent."""
    rates = {name: tally.meter.rate() for name, tally in tallies.items()}
    return {name: round(rate / 1e12, 4) for name, rate in rates.items() if rate is not None}


def _default_size(device: torch.device) -> int:
    if device.type != "cuda":
        return CPU_SIZE
    memory = torch.cuda.get_device_properties(device).total_memory
    return SMALL_GPU_SIZE if memory < SMALL_GPU_BYTES else GPU_SIZE
