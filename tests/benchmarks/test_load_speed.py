"""What verification costs a burn-in: products checked as the load checks them, against products alone."""

from __future__ import annotations

import time
from statistics import median

import pytest
import torch

from core.loads.formats import FORMATS, Format
from core.loads.inject import Injector
from core.loads.sustained import Sustained, Tally

SIZE = 1024
ROUNDS = 8
ROUND_S = 0.4
TOLERATED = 0.8
"""Of the unverified speed. 0.98 to 0.99 was measured on two quiet cores; other programs blur the measurement."""

ON_CPU = [format_ for format_ in FORMATS if format_.on_cpu]


@pytest.mark.parametrize("format_", ON_CPU, ids=lambda format_: format_.name)
def test_verified_products_are_nearly_as_fast_as_unverified_ones(
    format_: Format, request: pytest.FixtureRequest, capsys: pytest.CaptureFixture[str]
) -> None:
    measuring = bool(request.config.getoption("benchmark_enable"))
    rounds, round_s = (ROUNDS, ROUND_S) if measuring else (1, 0.02)
    a, b = (torch.randn(SIZE, SIZE).to(format_.dtype) for _ in range(2))
    tally = Tally()
    checked = Sustained(format_, (a, b), injector=Injector("", 0), tally=tally)

    # In turns, so that whatever slows the machine slows both.
    pairs = [(verified_rate(checked, tally, round_s), plain_rate(a, b, round_s)) for _ in range(rounds)]
    ratio = median(verified / plain for verified, plain in pairs)
    counted = 1 - tally.verify_s / (tally.compute_s + tally.verify_s)
    with capsys.disabled():
        print(f"\n{format_.name} {SIZE}: verified/unverified {ratio:.3f} by the clock, {counted:.3f} as counted")  # noqa: T201
    assert tally.errors == 0
    if measuring:
        assert max(ratio, counted) > TOLERATED


def verified_rate(checked: Sustained, tally: Tally, seconds: float) -> float:
    """Products per second of wall time."""
    before, started = tally.products, time.perf_counter()
    for _ in checked.run(time.monotonic() + seconds):
        pass
    return (tally.products - before) / (time.perf_counter() - started)


def plain_rate(a: torch.Tensor, b: torch.Tensor, seconds: float) -> float:
    """Products per second of wall time, nothing compared."""
    out = torch.empty((SIZE, SIZE), dtype=a.dtype)
    products, started = 0, time.perf_counter()
    while time.perf_counter() - started < seconds:
        torch.mm(a, b, out=out)
        products += 1
    return products / (time.perf_counter() - started)
