"""What verification costs a burn-in: products checked as the load checks them, against products alone, in turns.

Measured on one thread in its own processor time, which other programs on the machine do not lengthen.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median

import pytest
import torch

from core.loads.formats import FORMATS, Format, product, product_precision
from core.loads.gemm import CPU_SIZE
from core.loads.inject import Injector
from core.loads.sizes import comfortable
from core.loads.sustained import Manner, Sustained, Tally

CPU = torch.device("cpu")
EVERY = Manner().check_every
ROUNDS = 30
LARGEST_COST = 0.03
ON_CPU = [format_ for format_ in FORMATS if format_.on_cpu]


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("format_", ON_CPU, ids=lambda format_: format_.name)
def test_verification_costs_three_per_cent_at_most(
    format_: Format, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    measuring = bool(request.config.getoption("benchmark_enable"))
    size = comfortable(CPU_SIZE, format_, CPU) if measuring else 128
    left, right = (torch.randn(size, size).to(format_.dtype) for _ in range(2))
    tally, out = Tally(), torch.empty(size, size, dtype=format_.result)
    with product_precision(tf32=format_.tf32):
        checked = Sustained(format_, (left, right), injector=Injector("", 0), tally=tally)
        pairs = [(checked_s(checked), alone_s(left, right, format_, out)) for _ in range(ROUNDS if measuring else 2)]
    cost = median(1 - alone / whole for whole, alone in pairs)
    with capsys.disabled():
        print(f"\n{format_.name} {size}: verification costs {100 * cost:.1f} % of throughput")  # noqa: T201
    assert tally.errors == 0
    assert tally.products == EVERY * tally.checks
    if measuring:
        assert cost <= LARGEST_COST


def checked_s(checked: Sustained) -> float:
    """Eight products, the last of which is compared and reported."""
    started = time.thread_time()
    for _ in checked.run(time.monotonic()):
        pass
    return time.thread_time() - started


def alone_s(left: torch.Tensor, right: torch.Tensor, format_: Format, out: torch.Tensor) -> float:
    """Eight products."""
    started = time.thread_time()
    for _ in range(EVERY):
        product(left, right, format_, out=out)
    return time.thread_time() - started
