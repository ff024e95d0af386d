"""Repeated products: how many are compared follows from what comparing costs, and every buffer has its turn."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from core.loads.findings import Findings
from core.loads.load import StepReport
from core.loads.products import sustained as module
from core.loads.products import verify
from core.loads.products.formats import BY_NAME, FORMATS, Format, Operands, normal_operands
from core.loads.products.sustained import CheckPolicy, Injector, ProductTally, Sustained, cheap_every
from tests.loads import lacking_products

CPU = torch.device("cpu")
SIZE = 32
FLOAT32 = BY_NAME["float32"]


@dataclass
class Repeated:
    """Products of one format with what was done and found."""

    sustained: Sustained
    findings: Findings
    tally: ProductTally

    @classmethod
    def of(cls, format_: Format, policy: CheckPolicy, *, size: int = SIZE) -> Repeated:
        findings, tally = Findings(), ProductTally()
        operands = normal_operands(format_, size, seed=1, device=CPU)
        made = Sustained(operands, injector=Injector("", 0), findings=findings, tally=tally, policy=policy)
        return cls(made, findings, tally)

    def run(self, seconds: float) -> list[StepReport]:
        return list(self.sustained.run(time.monotonic() + seconds))


@settings(max_examples=30, deadline=None)
@given(format_=st.sampled_from(FORMATS), check_every=st.integers(1, 20), batch_s=st.sampled_from([1e-6, 1e-4, 0.1]))
def test_the_share_compared_is_that_of_the_checks(format_: Format, check_every: int, batch_s: float) -> None:
    with pytest.MonkeyPatch.context() as patch:
        lacking_products.offer(patch)
        repeated = Repeated.of(format_, CheckPolicy(check_every, batch_s=batch_s))
        reports = repeated.run(0.003)
    tally = repeated.tally
    assert sum(report.checks for report in reports) == repeated.findings.checks == tally.compared >= 1
    assert 1 <= repeated.sustained.check_every <= check_every
    assert tally.products // repeated.sustained.check_every == tally.compared
    assert tally.compared_pct is not None
    assert tally.compared_pct / 100 * tally.products == pytest.approx(tally.compared, abs=5e-4 * tally.products + 1e-9)
    assert repeated.findings.errors == 0
    assert sum(report.flop for report in reports) == pytest.approx(tally.products * 2.0 * SIZE**3)


@given(product_s=st.floats(1e-6, 1.0), compare_s=st.floats(1e-7, 1.0), most=st.integers(1, 1000))
def test_comparing_costs_under_two_per_cent_unless_at_least_so_many_are_asked_for(
    product_s: float, compare_s: float, most: int
) -> None:
    every = cheap_every(product_s, compare_s, most=most)
    assert 1 <= every <= most
    assert every == most or compare_s <= 0.02 * every * product_s * (1 + 1e-9)
    assert every == 1 or compare_s > 0.02 * (every - 1) * product_s * (1 - 1e-9), "no fewer than can be"


@pytest.mark.parametrize(
    ("product_s", "compare_s", "every"),
    [
        (22e-3, 0.2e-3, 1),  # FP32 of 8192 on an H100
        (10e-3, 0.33e-3, 2),  # TF32 on an A100
        (1.4e-3, 0.08e-3, 3),  # BF16 on an H100
        (0.2e-3, 0.1e-3, 8),  # so small that most of the time would be comparing
    ],
)
def test_slow_products_are_all_compared(
    monkeypatch: pytest.MonkeyPatch, product_s: float, compare_s: float, every: int
) -> None:
    def timed(self: Sustained, buffer: torch.Tensor) -> Generator[StepReport, None, tuple[float, float]]:
        yield StepReport()
        return product_s, compare_s

    monkeypatch.setattr(Sustained, "_timed", timed)
    repeated = Repeated.of(FLOAT32, CheckPolicy())
    list(repeated.sustained.prepare())
    assert repeated.sustained.check_every == every


@dataclass(frozen=True)
class Moment:
    """A mark on a clock that only work moves."""

    at_s: float

    def wait(self) -> None:
        pass

    def seconds_since(self, earlier: Moment) -> float:
        return self.at_s - earlier.at_s


@pytest.fixture
def work_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    """One second for a product, three for a comparison."""
    passed = [0.0]

    def taking(seconds: float, work: Callable[..., torch.Tensor]) -> Callable[..., torch.Tensor]:
        def taken(*args: Any, **named: Any) -> torch.Tensor:
            passed[0] += seconds
            return work(*args, **named)

        return taken

    monkeypatch.setattr(module, "mark", lambda device: Moment(passed[0]))
    monkeypatch.setattr(Operands, "product", taking(1.0, Operands.product))
    monkeypatch.setattr(verify, "count_differences", taking(3.0, verify.count_differences))


@pytest.mark.usefixtures("work_takes")
@pytest.mark.parametrize("check_every", [1, 2, 4])
def test_a_step_is_as_long_as_its_products_and_its_comparison(check_every: int) -> None:
    repeated = Repeated.of(FLOAT32, CheckPolicy(check_every))
    busy_s = sum(report.busy_s for report in repeated.run(0.01))
    tally = repeated.tally
    assert repeated.sustained.check_every == check_every, "comparing is so dear that no more are compared"
    assert (tally.compute_s, tally.verify_s) == (tally.products, 3.0 * tally.compared)
    assert busy_s == tally.compute_s + tally.verify_s


@pytest.mark.usefixtures("work_takes")
def test_rates_count_the_time_of_comparing() -> None:
    repeated = Repeated.of(FLOAT32, CheckPolicy(check_every=1))
    repeated.run(0.01)
    assert repeated.tally.meter.rate() == pytest.approx(2.0 * SIZE**3 / 4.0)


@pytest.mark.parametrize("check_every", [1, 2, 3, 4, 7, 8])
@pytest.mark.parametrize("batch_s", [1e-9, 1.0])
def test_results_can_fill_memory_and_are_all_compared(check_every: int, batch_s: float) -> None:
    result_bytes = SIZE * SIZE * 4
    repeated = Repeated.of(FLOAT32, CheckPolicy(check_every, batch_s=batch_s, fill_bytes=20 * result_bytes))
    compared: set[int] = set()
    compare = repeated.sustained._compare
    repeated.sustained._compare = lambda result: (compared.add(result.data_ptr()), compare(result))[1]  # type: ignore[method-assign]
    steps = 2 * (check_every + 1) * 30  # each is a product at the least, and of `check_every` products one is compared
    list(itertools.islice(repeated.sustained.run(math.inf), steps))
    assert 20 <= repeated.tally.buffers < 30
    assert len(compared) == repeated.tally.buffers


def test_nothing_done_is_an_unknown_share() -> None:
    assert ProductTally().compared_pct is None
